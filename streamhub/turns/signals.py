"""Doorbells and kills from other processes, over the channel layer. What is lost here, the record's tick finds."""

import asyncio
from contextlib import suppress
from logging import getLogger
from typing import Any, Protocol

from channels.layers import get_channel_layer

from streamhub.live.messages import WORKERS_GROUP, worker_group

log = getLogger(__name__)

RETRY_SECONDS = 1.0


class Ear(Protocol):
    """The part of an engine that listens."""

    def wake(self) -> None:
        """Look for queued turns."""

    def kill(self, turn_id: str, fencing_token: int) -> None:
        """End a turn."""


class SignalListener:
    """Listens for one worker and subscribes again whenever the layer was away."""

    def __init__(self, worker_id: str, engine: Ear) -> None:
        self._worker_id = worker_id
        self._engine = engine
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Subscribe and listen from now on."""
        self._task = asyncio.create_task(self._listen(), name="signal listener")

    async def stop(self) -> None:
        """Listen no more."""
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _listen(self) -> None:
        while True:
            try:
                layer, channel = await self._subscribe()
                self._engine.wake()
                while True:
                    self._hear(await layer.receive(channel))
            except asyncio.CancelledError:
                raise
            except Exception as error:
                log.warning("the channel layer is away (%s); subscribing again", type(error).__name__)
                await asyncio.sleep(RETRY_SECONDS)

    async def _subscribe(self) -> tuple[Any, str]:
        layer: Any = get_channel_layer()
        channel: str = await layer.new_channel("worker")
        for group in (WORKERS_GROUP, worker_group(self._worker_id)):
            await layer.group_add(group, channel)
        return layer, channel

    def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "work.doorbell":
            self._engine.wake()
        elif message["type"] == "turn.kill":
            self._engine.kill(message["turn"], message["token"])
