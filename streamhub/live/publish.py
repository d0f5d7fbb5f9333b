"""The only sender of news to the channel layer (`probe` sends to itself). Everything here is a hint that may be lost;
the database is the record.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from logging import getLogger
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer
from django.db import transaction

from streamhub.live import loops
from streamhub.live.messages import (
    WORKERS_GROUP,
    LiveBundle,
    ServerMessage,
    TurnChanged,
    TurnKill,
    WorkDoorbell,
    WorkerMessage,
    server_group,
    worker_group,
)

log = getLogger(__name__)

SEND_SECONDS = 2.0


def turn_changed(server_id: int, turn_id: UUID) -> None:
    """Announce a change of a turn's status to the viewers of its server, once the transaction is committed."""
    transaction.on_commit(partial(_send_changed, server_id, str(turn_id)))


def doorbell() -> None:
    """Ask engines in other processes to look for work."""
    loops.run_soon(send_doorbell())


def kill_signal(turn_id: str, worker_id: str, fencing_token: int) -> None:
    """Tell the engine `worker_id`, in another process, to end a turn."""
    message = TurnKill(type="turn.kill", turn=turn_id, token=fencing_token)
    loops.run_soon(_send(worker_group(worker_id), message))


async def send_doorbell() -> None:
    """Ask engines in other processes to look for work, from a coroutine."""
    await _send(WORKERS_GROUP, WorkDoorbell(type="work.doorbell"))


async def send_changed(server_id: int, turn_id: str) -> None:
    """Announce a change of a turn's status, from a coroutine."""
    await _send(server_group(server_id), TurnChanged(type="turn.changed", server=server_id, turn=turn_id))


async def send_bundle(server_id: int, cards: Sequence[str], chunks: Mapping[str, list[str]]) -> None:
    """Send one tick's cards and chunks of a server, each already a JSON string."""
    message = LiveBundle(type="live.bundle", server=server_id, cards=list(cards), chunks=dict(chunks))
    await _send(server_group(server_id), message)


def _send_changed(server_id: int, turn_id: str) -> None:
    loops.run_soon(send_changed(server_id, turn_id))


async def _send(group: str, message: ServerMessage | WorkerMessage) -> None:
    """A layer that hangs costs a hint, never the act that the hint is about."""
    layer: Any = get_channel_layer()
    try:
        async with asyncio.timeout(SEND_SECONDS):
            await layer.group_send(group, message)
    except Exception as error:
        log.warning("a %s hint was lost: %s", message["type"], type(error).__name__)
