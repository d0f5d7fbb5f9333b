"""What a card says about a turn: words, clock, tail. Wall, channel page and feed show turns through it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Literal

from django.conf import settings
from django.utils.html import format_html

from streamhub.accounts.models import User
from streamhub.console.templatetags.live import lasted, thousands, unix_ms
from streamhub.console.timeline import Stretch, spent, total
from streamhub.turns.attention import Attention, Situation, attention_of, is_urgent
from streamhub.turns.models import Attempt, Turn
from streamhub.turns.state import LIVE, EndReason, Phase, Status

type Tail = Literal["text", "thought", "note"]

CLOCK_LABELS = {"first_token": "First token", "idle": "Idle", "total": "Total"}
CLOCK_WORDS = {
    EndReason.FIRST_TOKEN_CLOCK: "first-token clock",
    EndReason.IDLE_CLOCK: "idle clock",
    EndReason.TOTAL_CLOCK: "total clock",
}
CLOCK_NAMES = {
    EndReason.FIRST_TOKEN_CLOCK: "first_token",
    EndReason.IDLE_CLOCK: "idle",
    EndReason.TOTAL_CLOCK: "total",
}


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock that will end a turn: name, limit in seconds, since when it runs and how far it is."""

    name: str
    limit: float
    since: datetime
    value: float

    @property
    def label(self) -> str:
        """What it is called on a card."""
        return CLOCK_LABELS[self.name]

    @property
    def left(self) -> float:
        """Seconds until it fires."""
        return max(0.0, self.limit - self.value)

    @property
    def is_urgent(self) -> bool:
        """Whether so much has run that a person should look."""
        return is_urgent(round(self.value * 1000), round(self.limit * 1000))

    @property
    def quarters(self) -> Sequence[float]:
        """Where its bar is notched."""
        return [self.limit * share for share in (0.25, 0.5, 0.75)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A turn as the wall shows it at one moment."""

    turn: Turn
    attention: Attention
    detail: str
    age: float
    waiting: int = 0
    clock: Clock | None = None
    pieces: list[Stretch] = field(default_factory=list)
    tail_kind: Tail = "note"
    tail: str = ""
    by: str = ""
    asked_ago: float = 0.0

    @property
    def word(self) -> str:
        """The first word, with who killed it where somebody did."""
        return f"{self.attention.word} by {self.by}" if self.is_gone and self.by else self.attention.word

    @property
    def is_gone(self) -> bool:
        """Whether the turn has ended."""
        return self.turn.is_terminal

    @property
    def is_live(self) -> bool:
        """Whether a kill of everything would end it: what waits for a client's tool results is left alone."""
        return self.turn.status in LIVE and self.turn.kill_requested_at is None

    @property
    def attributes(self) -> str:
        """The data attributes of its element: all that static/js/card.js knows of the turn."""
        turn, clock = self.turn, self.clock
        values: dict[str, str | bool] = {
            "turn": str(turn.pk),
            "channel": str(turn.channel_id),
            "status": turn.status,
            "doing": turn.phase,
            "phase": self.attention.phase,
            "loud": self.attention.loud or False,
            "group": self.attention.group,
            "gone": self.is_gone,
            "asked": unix_ms(turn.kill_requested_at) or False,
            "killable": True,
            "name": f"#{turn.channel.name}",
            "waiting": str(self.waiting),
            "created": unix_ms(turn.created_at),
            "progress": unix_ms(turn.progress_at),
            "ended": unix_ms(turn.ended_at),
            "clock": clock.name if clock else "",
            "limit": f"{clock.limit:g}" if clock else "0",
            "since": unix_ms(clock.since) if clock else "",
            "thoughts": str(turn.thought_chars),
            "seq": str(turn.last_seq),
        }
        return _written(values)

    @property
    def spent_seconds(self) -> float:
        """The length of the bar of time spent."""
        return max(total(self.pieces), 0.001)

    def rank(self, sort: str) -> tuple[object, ...]:
        """Where the card stands in its section: by attention (the clock that fires first), age or channel."""
        if sort == "channel":
            return (self.turn.channel.name.lower(), self.turn.created_at)
        if sort == "age":
            return (self.is_gone, self.turn.created_at)
        step = {"act": 0, "watch": 1}.get(self.attention.loud, 2)
        left = self.clock.left if self.clock and step < 2 else 1e9
        return (step, self.is_gone, self.turn.status == Status.QUEUED, left, self.turn.created_at)


def card_of(turn: Turn, now: datetime, *, viewer: User | None, waiting: int = 0, place: int = 1) -> Card:
    """Return the card of a turn. `turn.attempts` should be prefetched; `place` is its place in the queue."""
    clock = clock_of(turn, now)
    attention = attention_of(_situation(turn, clock, now))
    attempts = list(turn.attempts.all())
    kind, tail = _tail(turn, attempts)
    return Card(
        turn=turn,
        attention=attention,
        detail=_detail(turn, attention, attempts, now=now, place=place),
        age=((turn.ended_at or now) - turn.created_at).total_seconds(),
        waiting=waiting,
        clock=clock,
        pieces=spent(turn, attempts) if turn.is_terminal else [],
        tail_kind=kind,
        tail=tail,
        by=killer_of(turn, viewer) if turn.status == Status.KILLED or turn.is_stopping else "",
        asked_ago=(now - turn.kill_requested_at).total_seconds() if turn.kill_requested_at else 0.0,
    )


def killer_of(turn: Turn, viewer: User | None) -> str:
    """Name whoever asked for the kill, from the viewer's side."""
    if viewer is not None and turn.kill_requested_by_id == viewer.pk:
        return "you"
    return turn.kill_requested_label or "StreamHub"


def clock_of(turn: Turn, now: datetime) -> Clock | None:
    """Return the clock that would end a running turn, None if none is set. A kill waits for no clock."""
    if turn.status != Status.RUNNING or turn.claimed_at is None or turn.kill_requested_at:
        return None
    name, since = "first_token", turn.claimed_at
    if turn.progress_at:
        name, since = "idle", turn.progress_at
    limit = limit_of(turn, name)
    value = min(limit, max(0.0, (now - since).total_seconds()))
    return Clock(name, limit, since, value) if limit else None


def limit_of(turn: Turn, name: str) -> float:
    """Return a clock's limit in seconds as the turn runs under it, 0 if it is off."""
    installed = {
        "first_token": settings.STREAM_FIRST_TOKEN_TIMEOUT_MS,
        "idle": settings.STREAM_SDK_CALL_TIMEOUT_MS,
        "total": settings.STREAM_TOTAL_TIMEOUT_MS,
    }
    return float(turn.clocks.get(name, installed[name] / 1000))


def _situation(turn: Turn, clock: Clock | None, now: datetime) -> Situation:
    quiet = (now - turn.progress_at).total_seconds() if turn.progress_at else None
    return Situation(
        status=turn.status,
        phase=turn.phase,
        kill_requested=turn.kill_requested_at is not None,
        quiet_ms=None if quiet is None else round(quiet * 1000),
        clock_ms=round(clock.value * 1000) if clock else 0,
        limit_ms=round(clock.limit * 1000) if clock else 0,
    )


def _detail(turn: Turn, attention: Attention, attempts: list[Attempt], *, now: datetime, place: int) -> str:
    """Return the words after the first one."""
    if turn.is_terminal:
        return _ending(turn)
    if attention.phase == "stopping":
        return "closing upstream"
    if attention.phase == "stalled" and turn.progress_at:
        return f"for {int((now - turn.progress_at).total_seconds())} s"
    words: dict[str, str] = {
        Status.QUEUED: f"{ordinal(place)} in line",
        Status.TOOL_CALLS: "for the client's tool results",
        Phase.WAITING: "for the first token",
        Phase.THINKING: f"{thousands(turn.thought_chars)} chars",
        Phase.CONNECTING: f"to {attempts[-1].endpoint_label}" if attempts else "",
        Phase.SETTLING: "closing the connection",
    }
    return words.get(turn.phase if turn.status == Status.RUNNING else turn.status, "")


def _ending(turn: Turn) -> str:
    if turn.status == Status.KILLED:
        return f"in {lasted(kill_seconds(turn))}" if kill_seconds(turn) is not None else turn.error_code
    if turn.status == Status.TIMED_OUT:
        reason = EndReason(turn.end_reason)
        return f"{CLOCK_WORDS[reason]}, {limit_of(turn, CLOCK_NAMES[reason]):g} s"
    if turn.status == Status.LOST:
        return f"{turn.worker_id or 'its worker'} went away, {thousands(turn.text_chars)} characters kept"
    if turn.stop_string:
        return f"stop string “{turn.stop_string}” matched"
    return turn.finish_reason if turn.status == Status.COMPLETED else turn.error_code or turn.error_type


def kill_seconds(turn: Turn) -> float | None:
    """Return how long a killed turn took to end, None if nobody asked or it has not ended."""
    if turn.ended_at is None or turn.kill_requested_at is None:
        return None
    return (turn.ended_at - turn.kill_requested_at).total_seconds()


def _tail(turn: Turn, attempts: list[Attempt]) -> tuple[Tail, str]:
    """Return what the middle of the card shows: the end of the text, else why there is none."""
    if turn.status in (Status.FAILED, Status.TIMED_OUT) and not turn.text_chars:
        return "note", turn.error_message
    if turn.tail:
        return "text", turn.tail
    if turn.status == Status.QUEUED:
        return "note", "It starts by itself as soon as the turn before it has ended."
    if turn.phase == Phase.THINKING and not turn.is_terminal:
        return "note", "Reasoning so far, no text yet."
    if turn.is_terminal:
        return "note", "Reasoning only, no text." if turn.thought_chars else "No text was received."
    if turn.phase in ("", Phase.CONNECTING) or not attempts:
        return "note", "Opening the connection. The clock started when the request was sent."
    return "note", "Nothing received yet. Keep-alives do not re-arm this clock."


def ordinal(number: int) -> str:
    """Write a place in line: 1st, 2nd, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _written(values: dict[str, str | bool]) -> str:
    """Write data attributes with one call: a wall has a thousand of them."""
    shown = {name: value for name, value in values.items() if value is not False}
    return format_html(_pattern(tuple((name, value is True) for name, value in shown.items())), **shown)


@lru_cache(maxsize=256)
def _pattern(names: tuple[tuple[str, bool], ...]) -> str:
    """Return the format of these attributes, each with the name and whether it stands without a value."""
    return "".join(f" data-{name}" if is_bare else f' data-{name}="{{{name}}}"' for name, is_bare in names)
