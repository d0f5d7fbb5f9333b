"""What a provider can do, one step at a time. A script yields steps; a dialect turns them into bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

type ReasoningField = Literal["reasoning_content", "reasoning", "reasoning_details", "openrouter"]
type StopReason = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, slots=True)
class Wait:
    """Say nothing for `seconds`; None means until the client leaves."""

    seconds: float | None


@dataclass(frozen=True, slots=True)
class Open:
    """Send the status line and the headers of a stream."""


@dataclass(frozen=True, slots=True)
class Text:
    """Visible text."""

    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Reasoning in its own field; `openrouter` stands for the same text in two fields at once."""

    text: str
    field: ReasoningField = "reasoning_content"


@dataclass(frozen=True, slots=True)
class CallStart:
    """A tool call begins: its place among parallel calls, its id and its name."""

    index: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class CallArguments:
    """A fragment of a call's arguments, which are JSON only once they are put together."""

    index: int
    fragment: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A sign of life without content (an SSE comment where the dialect has them)."""

    text: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The provider says why it stopped."""

    reason: StopReason = "stop"


@dataclass(frozen=True, slots=True)
class EndMarker:
    """The dialect's own end of the stream, usage before it where the request asked for it."""


@dataclass(frozen=True, slots=True)
class InBandError:
    """An error object inside a stream that began with status 200."""

    message: str
    code: str = "server_error"
    type: str = "server_error"


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer with an HTTP error instead of a stream. `retry_after` is in seconds."""

    status: int
    message: str
    code: str = ""
    type: str = "invalid_request_error"
    retry_after: str | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """Body bytes as they are, one write."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """End the connection in the middle of the body: a TCP reset, or a close with the body unfinished."""

    how: Literal["reset", "close"] = "reset"


@dataclass(frozen=True, slots=True)
class Split:
    """Write a step in pieces of `size` bytes, each on its own, whatever characters that cuts in two."""

    step: "Step"
    size: int


type Step = (
    Wait
    | Open
    | Text
    | Reasoning
    | CallStart
    | CallArguments
    | Comment
    | Finish
    | EndMarker
    | InBandError
    | Refuse
    | Raw
    | Cut
    | Split
)


@dataclass(frozen=True, slots=True)
class Script:
    """A script ready to be played, once. `content_type` replaces the dialect's own."""

    name: str
    steps: Iterator[Step]
    content_type: str = ""
