"""Mistral. Reasoning comes as parts of a content list, calls whole and without an index."""

from providers.openai_family.adapter import OpenAIFamilyAdapter


class MistralAdapter(OpenAIFamilyAdapter):
    """See the module's first line; everything else is the family's."""

    kind = "mistral"
