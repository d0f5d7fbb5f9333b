"""What crosses the channel layer and says something, as types. Strings inside are items of docs/live-protocol.md."""

from typing import Literal, TypedDict


class TurnChanged(TypedDict):
    """A turn was queued, started, asked to stop, or ended."""

    type: Literal["turn.changed"]
    server: int
    turn: str


class LiveBundle(TypedDict):
    """What changed in a server within one tick: its cards, and the new chunks by channel."""

    type: Literal["live.bundle"]
    server: int
    cards: list[str]
    chunks: dict[str, list[str]]


class WorkDoorbell(TypedDict):
    """Look for queued turns."""

    type: Literal["work.doorbell"]


class TurnKill(TypedDict):
    """End a turn that a worker runs under a fencing token."""

    type: Literal["turn.kill"]
    turn: str
    token: int


type ServerMessage = TurnChanged | LiveBundle
type WorkerMessage = WorkDoorbell | TurnKill


def server_group(server_id: int) -> str:
    """Return the group of everybody who watches a server."""
    return f"server.{server_id}"


def worker_group(worker_id: str) -> str:
    """Return the group of one worker."""
    return f"worker.{worker_id}"


WORKERS_GROUP = "workers"
