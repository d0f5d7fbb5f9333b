"""Z.ai (GLM). Wants its reasoning back with a tool's result."""

from providers.openai_family.adapter import OpenAIFamilyAdapter


class ZaiAdapter(OpenAIFamilyAdapter):
    """See the module's first line; everything else is the family's."""

    kind = "zai"
    replays_reasoning = True
