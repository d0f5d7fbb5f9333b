"""What a dialect has to know. The server and the scripts know none of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from providers.simulator.steps import Refuse, Step


class BadRequest(ValueError):
    """The body is not a request of this dialect; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOffer:
    """A tool the request offers; `parameters` is its JSON schema."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What the scripts need to know of a request, in no dialect's shape.

    `tool_result` is the text of the last message when that is a tool's answer; a script that called the tool
    then talks about the result instead of calling it again.
    """

    model: str
    stream: bool = False
    include_usage: bool = False
    tools: tuple[ToolOffer, ...] = ()
    last_user_text: str = ""
    tool_result: str | None = None


class Reply(Protocol):
    """One answer being written."""

    def encode(self, step: Step) -> bytes:
        """Return the bytes of one step of a stream; empty for a step that has none."""

    def whole(self, steps: Sequence[Step]) -> bytes:
        """Return the body of an answer that was not streamed."""


class Dialect(Protocol):
    """One way to speak. Stateless."""

    stream_type: str

    def parse(self, body: bytes) -> ChatRequest:
        """Return the request. Raises BadRequest."""

    def reply(self, request: ChatRequest, *, number: int, created: int) -> Reply:
        """Return an answer; `number` makes its id, `created` is in Unix seconds."""

    def refusal(self, refuse: Refuse) -> bytes:
        """Return the body of an HTTP error."""

    def models(self, ids: Sequence[str]) -> bytes:
        """Return the body of the list of models."""
