"""DeepSeek. Wants its reasoning back with a tool's result, or answers 400."""

from providers.openai_family.adapter import OpenAIFamilyAdapter


class DeepSeekAdapter(OpenAIFamilyAdapter):
    """See the module's first line; everything else is the family's."""

    kind = "deepseek"
    replays_reasoning = True
