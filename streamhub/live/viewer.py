"""The outgoing side of one browser: frames with a bounded window, so that a reader that stops reading costs nothing.

Daphne buffers without end for a socket nobody reads. A viewer therefore has at most `WINDOW` frames unacknowledged;
beyond it frames are dropped, and the first acknowledgement is answered with `resync`.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

WINDOW = 8
MAX_PENDING_CHARS = 1_000_000
RESYNC = '{"k":"resync"}'


class Viewer:
    """Items in, frames out. `send` gets each frame as one string."""

    def __init__(self, send: Callable[[str], Awaitable[None]]) -> None:
        self._send = send
        self._pending: list[str] = []
        self._pending_chars = 0
        self._sent = self._acknowledged = 0
        self._is_lagging = False
        self._wake = asyncio.Event()

    def offer(self, items: Sequence[str]) -> None:
        """Put items in the next frame; while the viewer lags they are dropped."""
        if self._is_lagging or not items:
            return
        chars = sum(map(len, items))
        if self._pending_chars + chars > MAX_PENDING_CHARS:
            self.lose()
            return
        self._pending += items
        self._pending_chars += chars
        self._wake.set()

    def lose(self) -> None:
        """Drop what is pending; the viewer is told to fetch the state once it keeps up again."""
        self._pending, self._pending_chars = [], 0
        self._is_lagging = True
        self._wake.set()

    def acknowledge(self, frame: int) -> None:
        """The browser drew frame `frame`."""
        self._acknowledged = max(self._acknowledged, min(frame, self._sent))
        self._wake.set()

    async def run(self) -> None:
        """Send frames until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._sent - self._acknowledged >= WINDOW:
                continue
            if self._is_lagging:
                self._is_lagging = False
                self._pending, self._pending_chars = [RESYNC], len(RESYNC)
            if self._pending:
                await self._flush()

    async def _flush(self) -> None:
        items, self._pending, self._pending_chars = self._pending, [], 0
        self._sent += 1
        await self._send(
            f'{{"n":{self._sent},"at":{time.time_ns() // 1_000_000},"items":[{",".join(items)}]}}'
        )
