"""What a guard makes of text, and the contract of a guard."""

from typing import Literal, NamedTuple, Protocol

from providers.chunks import FunctionCall, GuardFiring


class Piece(NamedTuple):
    """A slice of the stream: visible text, a thought, a recovered call, or the end by a stop string.

    `text` is the literal text in each case (of a call: how it was written; of a stop: the string that
    matched).
    """

    kind: Literal["text", "thought", "call", "stop"]
    text: str
    call: FunctionCall | None = None
    firing: GuardFiring | None = None


class Guard(Protocol):
    """Sees the visible text in order. Whatever it holds back is bounded and comes out of `flush`."""

    def feed(self, text: str) -> list[Piece]:
        """Take the next text; return what is certain by now."""

    def flush(self) -> list[Piece]:
        """A call, an error or the end follows: give back everything held."""

    def saw_reasoning(self) -> None:
        """Reasoning came in a field of its own."""
