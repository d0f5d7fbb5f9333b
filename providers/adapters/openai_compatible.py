"""Any server that speaks chat completions as OpenAI does."""

from providers.openai_family.adapter import OpenAIFamilyAdapter


class OpenAICompatibleAdapter(OpenAIFamilyAdapter):
    """See the module's first line; everything else is the family's."""

    kind = "openai_compatible"
