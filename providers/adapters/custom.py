"""A self-hosted server: llama.cpp, vLLM, LM Studio, LocalAI, Ollama over /v1."""

from providers.openai_family.adapter import OpenAIFamilyAdapter


class CustomAdapter(OpenAIFamilyAdapter):
    """See the module's first line; everything else is the family's."""

    kind = "custom"
