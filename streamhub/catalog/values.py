"""The fields that people may set, as the services take them: what is left out stays as it is."""

from typing import Any, TypedDict


class EndpointValues(TypedDict, total=False):
    """The fields of an endpoint; clocks in seconds, None for the installation's own."""

    name: str
    kind: str
    base_url: str
    is_enabled: bool
    first_token_seconds: int | None
    idle_seconds: int | None
    is_demo: bool


class ModelValues(TypedDict, total=False):
    """The fields of a model."""

    model_id: str
    label: str
    is_enabled: bool
    has_tools: bool
    max_output_tokens: int | None


class RuleValues(TypedDict, total=False):
    """The fields of a rule, beside its stop strings."""

    name: str
    kind_pattern: str
    model_pattern: str
    priority: int
    is_enabled: bool
    reasoning_tags: list[str]
    starts_in_reasoning: bool | None
    extra_parameters: dict[str, Any]
    dropped_parameters: list[str]
    first_token_seconds: int | None
    idle_seconds: int | None
