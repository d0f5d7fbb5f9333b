"""StreamHub: a self-hosted control room for LLM streams."""

__version__ = "0.1.0"
