"""What a turn asks of a provider, in no provider's shape, and the HTTP request an adapter makes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

type Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """Plain text of a message."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart:
    """An image by address: https or a data URL."""

    url: str


type Part = TextPart | ImagePart


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallPart:
    """A call the assistant made earlier. `opaque` holds the provider's own fields, sent back unchanged."""

    id: str
    name: str
    args_json: str
    opaque: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the conversation. A `tool` message answers `tool_call_id`."""

    role: Role
    parts: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCallPart, ...] = ()
    tool_call_id: str = ""
    name: str = ""
    opaque: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool the model may call; `parameters` is a JSON schema object."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest:
    """Everything one provider call needs.

    `extra` is merged into the body last; `drop` removes keys from it.
    """

    model: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: str | Mapping[str, Any] | None = None
    stop: tuple[str, ...] = ()
    max_output_tokens: int | None = None
    sampling: Mapping[str, float | int] = field(default_factory=dict)
    thinking_level: str | None = None
    prefill: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointConfig:
    """Where to send a request. The key never appears in a repr."""

    base_url: str
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request as a value; the transport sends it, nobody else does."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
