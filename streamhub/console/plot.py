"""The attempts of a turn drawn to scale: positions for the SVG, and the same numbers for its table."""

from dataclasses import dataclass
from datetime import datetime

from streamhub.console.timeline import WORDS, Kind, Stretch, stretches_of, total
from streamhub.turns.models import Attempt, Turn

LEFT, RIGHT, TOP, LANE, BAR = 10.0, 1090.0, 54.0, 62.0, 30.0
STEPS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
MOST_TICKS = 12
LABEL_FITS = 74.0
COLUMNS: tuple[Kind, ...] = ("connect", "wait", "think", "text", "stall", "settle")


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the axis."""

    x: float
    label: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch as a rectangle, with its words where they fit."""

    piece: Stretch
    x: float
    width: float

    @property
    def label(self) -> str:
        """What is written into it."""
        return (
            f"{WORDS[self.piece.kind].lower()} {self.piece.seconds:.1f} s" if self.width >= LABEL_FITS else ""
        )

    @property
    def middle(self) -> float:
        """Where the words are centred."""
        return self.x + self.width / 2

    @property
    def is_light(self) -> bool:
        """Whether words on it are dark."""
        return self.piece.kind in ("connect", "wait", "stall")


@dataclass(frozen=True, slots=True)
class Lane:
    """An attempt: its heading, its bars, and its row of the table."""

    attempt: Attempt
    y: float
    bars: list[Bar]
    cells: list[float | None]

    @property
    def heading_y(self) -> float:
        """Where its heading stands."""
        return self.y - 8

    @property
    def text_y(self) -> float:
        """The base line of words in its bars."""
        return self.y + 19


@dataclass(frozen=True, slots=True)
class Plot:
    """A whole plot; `height` is that of the view box."""

    lanes: list[Lane]
    ticks: list[Tick]
    height: float
    columns: list[str]

    @property
    def description(self) -> str:
        """The plot in words, for those who do not see it."""
        return " ".join(_in_words(lane) for lane in self.lanes)


def plot_of(turn: Turn, until: datetime) -> Plot:
    """Lay out the attempts of a turn. An attempt that still runs reaches to `until`."""
    rows = [(attempt, stretches_of(attempt, turn, until)) for attempt in turn.attempts.all()]
    whole = max(total(piece for _, pieces in rows for piece in pieces), 0.001)
    scale = (RIGHT - LEFT) / whole
    lanes = [_lane(attempt, pieces, index, scale) for index, (attempt, pieces) in enumerate(rows)]
    return Plot(lanes, _ticks(whole, scale), TOP + LANE * len(lanes) - 12, [WORDS[kind] for kind in COLUMNS])


def _lane(attempt: Attempt, pieces: list[Stretch], index: int, scale: float) -> Lane:
    bars = [Bar(piece, LEFT + piece.start * scale, piece.seconds * scale) for piece in pieces]
    sums = [sum(piece.seconds for piece in pieces if piece.kind == kind) for kind in COLUMNS]
    return Lane(attempt, TOP + LANE * index, bars, [seconds or None for seconds in sums])


def _ticks(whole: float, scale: float) -> list[Tick]:
    step = next((step for step in STEPS if whole / step <= MOST_TICKS), whole / MOST_TICKS)
    return [_tick(index * step, LEFT + index * step * scale) for index in range(int(whole / step) + 1)]


def _tick(seconds: float, x: float) -> Tick:
    anchor = "start" if x < LEFT + 1 else "end" if x > RIGHT - 20 else "middle"
    return Tick(x, f"{seconds:g} s", anchor)


def _in_words(lane: Lane) -> str:
    pieces = ", ".join(f"{bar.piece.seconds:.1f} s {WORDS[bar.piece.kind].lower()}" for bar in lane.bars)
    return f"Attempt {lane.attempt.number}: {pieces or 'nothing yet'}."
