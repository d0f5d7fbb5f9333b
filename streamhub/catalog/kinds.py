"""What the dialects are called, and where well-known providers answer: words for people, no rules."""

from providers.registry import kinds

_LABELS = {
    "openai_compatible": "OpenAI compatible (OpenAI, gateways, most providers)",
    "custom": "Own server (llama.cpp, vLLM, LM Studio, Ollama)",
    "openrouter": "OpenRouter",
    "deepseek": "DeepSeek",
    "mistral": "Mistral",
    "zai": "Z.ai",
}

# Offered while a base address is typed; any other works as well.
WELL_KNOWN_ADDRESSES: tuple[tuple[str, str], ...] = (
    ("https://api.openai.com/v1", "OpenAI"),
    ("https://openrouter.ai/api/v1", "OpenRouter"),
    ("https://api.deepseek.com/v1", "DeepSeek"),
    ("https://api.mistral.ai/v1", "Mistral"),
    ("https://api.z.ai/api/paas/v4", "Z.ai"),
    ("https://api.groq.com/openai/v1", "Groq"),
    ("http://127.0.0.1:11434/v1", "Ollama on this machine"),
    ("http://127.0.0.1:1234/v1", "LM Studio on this machine"),
    ("http://127.0.0.1:8080/v1", "llama.cpp on this machine"),
)


def kind_label(kind: str) -> str:
    """Return the name of a dialect for people; its id if it has none yet."""
    return _LABELS.get(kind, kind)


def kind_choices() -> list[tuple[str, str]]:
    """Return every dialect that an adapter speaks, for a select."""
    return [(kind, kind_label(kind)) for kind in kinds()]
