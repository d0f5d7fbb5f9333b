"""Where the time of a turn went, as stretches in seconds. Cards, the feed and the turn page draw from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from streamhub.turns.attention import STALLED_AFTER_MS
from streamhub.turns.models import Attempt, Turn
from streamhub.turns.state import Phase, Status

type Kind = Literal["connect", "wait", "think", "text", "stall", "settle", "fail"]

type Mark = tuple[Kind, datetime | None]

WORDS: dict[Kind, str] = {
    "connect": "Connect",
    "wait": "First token",
    "think": "Thinking",
    "text": "Text",
    "stall": "No progress",
    "settle": "Settle",
    "fail": "Failed",
}
# The shortest stretch that is still drawn, as a share of the whole.
SLIVER = 0.004


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of an attempt: what it was spent on, from when (seconds into the turn) and for how long."""

    kind: Kind
    start: float
    seconds: float

    @property
    def end(self) -> float:
        """Where it ends, in seconds into the turn."""
        return self.start + self.seconds


def stretches_of(attempt: Attempt, turn: Turn, until: datetime) -> list[Stretch]:
    """Cut an attempt at its marks; seconds count from the start of the turn's first attempt.

    A long quiet end is its own stretch, and so is closing the connection.
    """
    origin = turn.attempts.all()[0].started_at
    end = attempt.ended_at or until
    marks = _marks(attempt) if attempt.ended_at else _marks_so_far(attempt, turn)
    marks.append(("stall", _quiet_from(turn, marks, end)))
    known = [(kind, at) for kind, at in marks if at is not None]
    pieces = [
        Stretch(kind, (at - origin).total_seconds(), max(0.0, (after - at).total_seconds()))
        for (kind, at), after in zip(known, [*(at for _, at in known[1:]), end], strict=True)
    ]
    if attempt.upstream_closed_ms:
        pieces.append(Stretch("settle", (end - origin).total_seconds(), attempt.upstream_closed_ms / 1000))
    return [piece for piece in pieces if piece.seconds > 0]


def spent(turn: Turn, attempts: Sequence[Attempt]) -> list[Stretch]:
    """Return the stretches of an ended turn for its bar, wide enough to be seen."""
    until = turn.ended_at or turn.created_at
    pieces = [piece for attempt in attempts for piece in stretches_of(attempt, turn, until)]
    if turn.status == Status.FAILED and pieces:
        pieces[-1] = Stretch("fail", pieces[-1].start, pieces[-1].seconds)
    least = total(pieces) * SLIVER
    return [Stretch(piece.kind, piece.start, max(piece.seconds, least)) for piece in pieces]


def total(pieces: Iterable[Stretch]) -> float:
    """Return where the last stretch ends, in seconds into the turn."""
    return max((piece.end for piece in pieces), default=0.0)


def _marks(attempt: Attempt) -> list[Mark]:
    """What is written of an attempt when it ends."""
    thinks = attempt.first_text_at != attempt.first_token_at
    return [
        ("connect", attempt.started_at),
        ("wait", attempt.headers_at),
        ("think", attempt.first_token_at if thinks else None),
        ("text", attempt.first_text_at),
    ]


def _marks_so_far(attempt: Attempt, turn: Turn) -> list[Mark]:
    """A running attempt has no marks of its own yet. The turn's row says when content began and what comes now."""
    doing: Kind = "think" if turn.phase == Phase.THINKING else "text"
    first = turn.first_token_at
    began = first if first and first >= attempt.started_at else None
    return [
        ("connect" if turn.phase in ("", Phase.CONNECTING) else "wait", attempt.started_at),
        (doing, began),
    ]


def _quiet_from(turn: Turn, marks: list[Mark], end: datetime) -> datetime | None:
    """The row knows the last progress of the turn only, so just its last attempt can have a quiet end."""
    last = turn.progress_at
    begun = [at for kind, at in marks if kind in ("think", "text") and at]
    if last is None or not begun or last < begun[0] or last > end:
        return None
    return last if (end - last).total_seconds() * 1000 >= STALLED_AFTER_MS else None
