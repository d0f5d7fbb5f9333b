"""How a turn is shown: which phase, which sign, how loud. The one rule behind every card, chip and mark.

Pure, so that it is a table to test. The browser has the same rule in `static/js/attention.js` and applies it
as time passes; the thresholds below reach it in `hello`, and `tests/turns/attention_cases.json` holds the two
equal. A new phase needs a row in `SHOWN`, the same row there, and a colour in `static/css/streams.css`.
"""

from dataclasses import dataclass
from typing import Literal

from streamhub.turns.state import Phase, Status

STALLED_AFTER_MS = 15_000
LATE_SHARE = 0.8

type Loudness = Literal["", "watch", "act"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What is known of a turn at a moment. `quiet_ms` is None until something came; a limit of 0 is off."""

    status: str
    phase: str = ""
    kill_requested: bool = False
    quiet_ms: int | None = None
    clock_ms: int = 0
    limit_ms: int = 0


@dataclass(frozen=True, slots=True)
class Attention:
    """How a situation looks: `data-phase`, the icon, the first word, the loudness, its counter."""

    phase: str
    icon: str
    word: str
    loud: Loudness = ""
    group: str = ""

    @property
    def needs_you(self) -> bool:
        """Whether the card stands in the first section of the wall."""
        return self.loud != ""


SHOWN: dict[str, Attention] = {
    Status.QUEUED: Attention("queued", "queued", "Queued", group="queued"),
    Status.TOOL_CALLS: Attention("tool", "tool", "Waiting", group="tool"),
    Status.COMPLETED: Attention("completed", "completed", "Completed", group="ended"),
    Status.FAILED: Attention("failed", "failed", "Failed", "act", "ended"),
    Status.TIMED_OUT: Attention("timedout", "timedout", "Timed out", "act", "ended"),
    Status.KILLED: Attention("killed", "killed", "Killed", group="ended"),
    Status.LOST: Attention("lost", "lost", "Lost", "act", "ended"),
    Phase.CONNECTING: Attention("connecting", "connecting", "Connecting", group="waiting"),
    Phase.WAITING: Attention("waiting", "waiting", "Waiting", group="waiting"),
    Phase.THINKING: Attention("thinking", "thinking", "Thinking", group="thinking"),
    Phase.SPEAKING: Attention("speaking", "speaking", "Speaking", group="speaking"),
    Phase.TOOL: Attention("tool", "tool", "Running a tool", group="tool"),
    Phase.SETTLING: Attention("settling", "stopping", "Settling", group="speaking"),
}
STOPPING = Attention("stopping", "stopping", "Stopping", "watch")
STALLED = Attention("stalled", "stalled", "Stalled", "act")
LATE = {
    Phase.CONNECTING: Attention("late", "connecting", "Connecting", "act", "waiting"),
    Phase.WAITING: Attention("late", "waiting", "Waiting", "act", "waiting"),
}


def attention_of(now: Situation) -> Attention:
    """Return how a turn is shown: by its status, while it runs by its phase and what its clocks say."""
    if now.kill_requested and now.status in (Status.QUEUED, Status.RUNNING):
        return STOPPING
    if now.status != Status.RUNNING:
        return SHOWN[now.status]
    phase = Phase(now.phase or Phase.CONNECTING)
    if phase in LATE and is_urgent(now.clock_ms, now.limit_ms):
        return LATE[phase]
    talks = phase in (Phase.THINKING, Phase.SPEAKING)
    if talks and now.quiet_ms is not None and now.quiet_ms >= STALLED_AFTER_MS:
        return STALLED
    return SHOWN[phase]


def is_urgent(clock_ms: int, limit_ms: int) -> bool:
    """Tell whether so much of a clock has run that a person should look. A limit of 0 never is."""
    return limit_ms > 0 and clock_ms >= limit_ms * LATE_SHARE
