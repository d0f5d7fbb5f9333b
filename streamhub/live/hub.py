"""Fan-out within a web process: one layer subscription a server, however many browsers look at it.

Viewers are sinks with a bounded window (`Viewer`); a slow one loses frames and is told so, it never slows the others.
The items of a bundle are strings that every viewer of the server shares.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from logging import getLogger
from typing import Any, Protocol

from channels.layers import get_channel_layer

from streamhub.live.messages import server_group

log = getLogger(__name__)

RETRY_SECONDS = 1.0


class Watcher(Protocol):
    """What the hub needs of a viewer; `take` must not wait."""

    def take_changed(self, server: int, turn: str) -> None:
        """A turn of a watched server changed its status."""

    def take_bundle(self, cards: Sequence[str], chunks: dict[str, list[str]]) -> None:
        """A tick of a watched server."""

    def take_loss(self) -> None:
        """Messages may have been lost: fetch the state anew."""


class LiveHub:
    """The subscriptions of one event loop. A lock keeps one person's leaving from undoing another's joining."""

    def __init__(self) -> None:
        self._layer: Any = get_channel_layer()
        self._watchers: dict[int, set[Watcher]] = {}
        self._channel: str | None = None
        self._reader: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def join(self, watcher: Watcher, servers: Iterable[int]) -> None:
        """Let `watcher` have everything of `servers`, from now on: the subscription stands when this returns."""
        async with self._lock:
            for server in servers:
                if server not in self._watchers:
                    await self._subscribe(server)
                self._watchers.setdefault(server, set()).add(watcher)

    async def leave(self, watcher: Watcher) -> None:
        """Take `watcher` out of every server. It gets nothing more from now on, whatever the layer does."""
        left = [server for server, watchers in self._watchers.items() if watcher in watchers]
        for server in left:
            self._watchers[server].discard(watcher)
        async with self._lock:
            for server in left:
                if not self._watchers.get(server, {watcher}):
                    del self._watchers[server]
                    await self._unsubscribe(server)

    async def close(self) -> None:
        """Stop reading; for the end of the loop."""
        if self._reader:
            self._reader.cancel()
            with suppress(asyncio.CancelledError):
                await self._reader
        self._reader = None

    async def _subscribe(self, server: int) -> None:
        if self._channel is None:
            self._channel = await self._layer.new_channel("hub")
        await self._layer.group_add(server_group(server), self._channel)
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._read(), name="live hub")

    async def _unsubscribe(self, server: int) -> None:
        """A subscription too many costs messages that nobody takes; failing here must cost nobody anything."""
        try:
            await self._layer.group_discard(server_group(server), self._channel)
        except Exception as error:
            log.warning("server %s stays subscribed: %s", server, type(error).__name__)

    async def _read(self) -> None:
        while True:
            try:
                self._dispatch(await self._layer.receive(self._channel))
            except Exception:
                log.exception("the live hub lost its subscription; it subscribes again")
                await asyncio.sleep(RETRY_SECONDS)
                await self._resubscribe()

    async def _resubscribe(self) -> None:
        async with self._lock:
            with suppress(Exception):
                self._channel = await self._layer.new_channel("hub")
                for server in self._watchers:
                    await self._layer.group_add(server_group(server), self._channel)
            for watcher in {watcher for watchers in self._watchers.values() for watcher in watchers}:
                watcher.take_loss()

    def _dispatch(self, message: dict[str, Any]) -> None:
        for watcher in list(self._watchers.get(message["server"], ())):
            if message["type"] == "turn.changed":
                watcher.take_changed(message["server"], message["turn"])
            elif message["type"] == "live.bundle":
                watcher.take_bundle(message["cards"], message["chunks"])


_hubs: dict[asyncio.AbstractEventLoop, LiveHub] = {}


def hub_of_this_loop() -> LiveHub:
    """Return the hub of the running loop, made on first use."""
    loop = asyncio.get_running_loop()
    for stale in [known for known in _hubs if known.is_closed()]:
        del _hubs[stale]
    return _hubs.setdefault(loop, LiveHub())
