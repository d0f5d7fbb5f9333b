"""The engine of this process, put together from settings: what the hub and a Celery worker start and drain."""

import asyncio
import os
import socket
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.conf import settings
from django.utils import timezone

from streamhub.live import publish
from streamhub.turns import local
from streamhub.turns.database import DatabaseThreads
from streamhub.turns.engine.engine import Engine, EngineOptions
from streamhub.turns.signals import SignalListener
from streamhub.turns.store import TurnStore
from streamhub.turns.transport import HttpTransport

_encoder = msgspec.json.Encoder()


class LayerFeed:
    """Live frames over the channel layer, each item encoded once."""

    async def bundle(
        self, server_id: int, cards: Sequence[Mapping[str, Any]], ops: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Send what changed in a server."""
        chunks: dict[str, list[str]] = {}
        for item in ops.values():
            chunks.setdefault(str(item["channel"]), []).append(_json(item))
        await publish.send_bundle(server_id, [_json(card) for card in cards], chunks)

    async def changed(self, server_id: int, turn_id: str) -> None:
        """Announce that a turn started or ended."""
        await publish.send_changed(server_id, turn_id)


class EngineService:
    """An engine on the running loop, reachable from this process' threads and, scaled out, over the layer."""

    def __init__(self) -> None:
        self.worker_id = f"{socket.gethostname()[:30]}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._loop = asyncio.get_running_loop()
        # SQLite has one writer; more threads would only wait for each other.
        self._threads = DatabaseThreads(threads=1 if settings.EMBEDDED else 2)
        self._transport = HttpTransport()
        self.engine = Engine(
            worker_id=self.worker_id,
            store=TurnStore(
                worker_id=self.worker_id,
                capacity=settings.ENGINE_CAPACITY,
                lease_seconds=settings.ENGINE_LEASE_SECONDS,
                threads=self._threads,
            ),
            feed=LayerFeed(),
            transport=self._transport,
            now=timezone.now,
            options=EngineOptions(capacity=settings.ENGINE_CAPACITY, lease=settings.ENGINE_LEASE_SECONDS),
        )
        self._listener = None if settings.EMBEDDED else SignalListener(self.worker_id, self.engine)

    async def start(self) -> None:
        """Begin to look for work."""
        local.register(self)
        if self._listener:
            await self._listener.start()
        await self.engine.start()

    async def drain(self, grace_seconds: float) -> None:
        """Let turns end within `grace_seconds`, end the rest honestly, and let go of everything."""
        await self.engine.drain(grace_seconds)
        local.unregister(self)
        if self._listener:
            await self._listener.stop()
            # The channels of the turns that ended here are free, and nobody else was told.
            await publish.send_doorbell()
        await self._transport.aclose()
        await self._threads.aclose()

    def wake_from_thread(self) -> None:
        """Look for queued turns soon; from any thread."""
        self._loop.call_soon_threadsafe(self.engine.wake)

    def kill_from_thread(self, turn_id: str, fencing_token: int) -> None:
        """End a turn of this engine; from any thread."""
        self._loop.call_soon_threadsafe(self.engine.kill, turn_id, fencing_token)


def _json(item: Mapping[str, Any]) -> str:
    return _encoder.encode(item).decode()
