"""OpenRouter. Names the serving backend in each chunk and reports errors inside a 200 stream."""

from providers.openai_family.adapter import OpenAIFamilyAdapter


class OpenRouterAdapter(OpenAIFamilyAdapter):
    """See the module's first line; everything else is the family's."""

    kind = "openrouter"
