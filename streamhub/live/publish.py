"""The only sender to the channel layer. Everything here is a hint that may be lost; the database is the record."""

from typing import Literal, TypedDict
from uuid import UUID


class TurnChanged(TypedDict):
    """A turn was queued, started, asked to stop, or ended."""

    type: Literal["turn.changed"]
    server: int
    turn: str


def turn_changed(server_id: int, turn_id: UUID) -> None:
    """Announce a change of a turn's status to the viewers of its server, once the transaction is committed."""


def doorbell() -> None:
    """Ask engines in other processes to look for work."""


def kill_signal(turn_id: str, worker_id: str, fencing_token: int) -> None:
    """Tell the engine `worker_id`, in another process, to end a turn."""
