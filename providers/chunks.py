"""The values a stream is made of: what a decoder yields (raw) and what the engine routes (processed).

Every dialect collapses into `ProcessedChunk` (seed 03). A processed chunk has exactly one of four types; any
of them may also carry thoughts, guard firings, metadata and the serving backend, so nothing needs a fifth
type.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from providers.errors import ProviderError

type ChunkType = Literal["text", "function_call", "error", "done"]
type ThoughtKind = Literal["summary", "raw"]


class FinishReason(StrEnum):
    """Why the provider stopped, in one vocabulary; the provider's own word is kept beside it."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    ERROR = "error"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtLogEntry:
    """A piece of reasoning. `summary` is the provider's own digest, `raw` the reasoning itself."""

    kind: ThoughtKind
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts as the provider reported them last; None where it said nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """A tool call in no provider's shape.

    `args_truncated` means the arguments were cut and repaired at best: such a call must never run.
    The last three fields are opaque and must be sent back unchanged with the tool's result.
    """

    name: str
    args: Mapping[str, Any]
    id: str = ""
    args_raw: str = ""
    args_truncated: bool = False
    thought_signature: str | None = None
    reasoning_details: tuple[Mapping[str, Any], ...] = ()
    deepseek_reasoning_content: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardFiring:
    """A guard moved, dropped or recovered `text`. Kept so that nothing disappears silently."""

    guard: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkMetadata:
    """What a provider says about the stream as a whole. Each field is None until it was said."""

    finish_reason: FinishReason | None = None
    raw_finish_reason: str | None = None
    usage: Usage | None = None
    stop_string: str | None = None
    response_id: str | None = None
    response_model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawStreamChunk:
    """One decoded event of a provider's stream, before any rule was applied to it.

    `data` is the parsed payload in the dialect's own terms (after tool-call fragments were assembled by the
    decoder); `event` is the SSE event name where the dialect uses one.
    """

    provider: str
    data: Any
    event: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessedChunk:
    """The only shape the engine, the recorder and the viewers know."""

    type: ChunkType
    content: str = ""
    function_call: FunctionCall | None = None
    error: ProviderError | None = None
    thoughts: tuple[ThoughtLogEntry, ...] = ()
    serving_provider: str | None = None
    metadata: ChunkMetadata | None = None
    firings: tuple[GuardFiring, ...] = field(default=())
