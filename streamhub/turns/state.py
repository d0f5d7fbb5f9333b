"""The life of a turn as a table. Pure: no Django, no clock.

Two rules hold the whole thing together. A status is written only by a filtered UPDATE that names the statuses it may
come from, so of two writers exactly one wins. And a kill is a request stored on the row, not a status: a turn whose
kill was registered first ends `killed`, one that ended first stays as it is. A new status needs a row here, a word in
`EndReason` if it ends turns in a new way, and the check constraints of `turns.models.Turn`.
"""

from enum import StrEnum


class Status(StrEnum):
    """Where a turn is."""

    QUEUED = "queued"
    RUNNING = "running"
    TOOL_CALLS = "tool_calls"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    KILLED = "killed"
    LOST = "lost"


class EndReason(StrEnum):
    """What ended a stream: a typed value, never a message prefix."""

    NATURAL = "natural"
    PROVIDER_ERROR = "provider_error"
    EMPTY_RESPONSE = "empty_response"
    OUTPUT_CAP = "output_cap"
    INTERNAL_ERROR = "internal_error"
    FIRST_TOKEN_CLOCK = "first_token_clock"
    IDLE_CLOCK = "idle_clock"
    TOTAL_CLOCK = "total_clock"
    USER_KILL = "user_kill"
    CLIENT_GONE = "client_gone"
    SHUTDOWN = "shutdown"
    STALE_LEASE = "stale_lease"


class Phase(StrEnum):
    """What a running turn is doing, as the wall shows it."""

    CONNECTING = "connecting"
    WAITING = "waiting"
    THINKING = "thinking"
    SPEAKING = "speaking"
    TOOL = "tool"
    SETTLING = "settling"


TERMINAL = frozenset({Status.COMPLETED, Status.FAILED, Status.TIMED_OUT, Status.KILLED, Status.LOST})
LIVE = frozenset({Status.QUEUED, Status.RUNNING})
KILLABLE = frozenset({Status.QUEUED, Status.RUNNING, Status.TOOL_CALLS})

MOVES: dict[Status, frozenset[Status]] = {
    Status.QUEUED: frozenset({Status.RUNNING, Status.KILLED}),
    Status.RUNNING: TERMINAL | {Status.TOOL_CALLS},
    Status.TOOL_CALLS: frozenset(
        {Status.QUEUED, Status.COMPLETED, Status.FAILED, Status.TIMED_OUT, Status.KILLED}
    ),
    Status.COMPLETED: frozenset(),
    Status.FAILED: frozenset(),
    Status.TIMED_OUT: frozenset(),
    Status.KILLED: frozenset(),
    Status.LOST: frozenset(),
}

STATUS_OF: dict[EndReason, Status] = {
    EndReason.NATURAL: Status.COMPLETED,
    EndReason.PROVIDER_ERROR: Status.FAILED,
    EndReason.EMPTY_RESPONSE: Status.FAILED,
    EndReason.OUTPUT_CAP: Status.FAILED,
    EndReason.INTERNAL_ERROR: Status.FAILED,
    EndReason.FIRST_TOKEN_CLOCK: Status.TIMED_OUT,
    EndReason.IDLE_CLOCK: Status.TIMED_OUT,
    EndReason.TOTAL_CLOCK: Status.TIMED_OUT,
    EndReason.USER_KILL: Status.KILLED,
    EndReason.CLIENT_GONE: Status.KILLED,
    EndReason.SHUTDOWN: Status.FAILED,
    EndReason.STALE_LEASE: Status.LOST,
}


class IllegalMove(ValueError):
    """A turn was asked to go where the table does not lead."""


def sources_of(target: Status) -> frozenset[Status]:
    """Return the statuses from which a turn may become `target`."""
    return frozenset(source for source, targets in MOVES.items() if target in targets)


def check_move(source: Status, target: Status) -> None:
    """Raise IllegalMove unless the table leads from `source` to `target`."""
    if target not in MOVES[source]:
        raise IllegalMove(f"A turn that is {source} cannot become {target}.")
