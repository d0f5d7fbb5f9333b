"""The running part of the demo: the simulator on loopback and the task that keeps its channels talking.

Both live on the loop of the embedded hub. Scaled-out installations have no such loop, and no demo.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from channels.db import database_sync_to_async

from providers.simulator.server import Simulator
from streamhub.accounts.models import User
from streamhub.ops.demo import rows

LOOK_EVERY_SECONDS = 2
KILL_POLL_SECONDS, KILL_POLLS = 0.05, 60
log = logging.getLogger(__name__)


class Stage:
    """Starts and removes the demo, one call at a time. View threads reach it through `demo.door`."""

    def __init__(self) -> None:
        self._simulator: Simulator | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    async def resume(self, *, asked: bool) -> None:
        """Bring the demo of an earlier run back, or start one if it is `asked` for."""
        if asked or await _db(rows.exists):
            async with self._turn:
                url = await self._raise_curtain()
                if asked:
                    await _db(rows.ensure, url, None)
                await _db(rows.point_at, url)
                self._keep_going()

    async def start(self, actor: User | None) -> None:
        """Start the demo with a turn in each channel, or complete one that is there."""
        async with self._turn:
            url = await self._raise_curtain()
            await _db(rows.ensure, url, actor)
            await _db(rows.play_now, at_once=True)
            self._keep_going()

    async def remove(self, actor: User | None) -> bool:
        """Kill the demo's turns and delete all of it; False if there was none."""
        async with self._turn:
            await self.pause()
            await _db(rows.kill_turns, actor)
            await _wait_for_silence()
            removed = await _db(rows.delete, actor)
            await self.close()
        return removed

    async def pause(self) -> None:
        """Start no more turns."""
        keeper, self._keeper = self._keeper, None
        if keeper:
            keeper.cancel()
            with suppress(asyncio.CancelledError):
                await keeper

    async def close(self) -> None:
        """Stop for good: no more turns, no more simulator."""
        await self.pause()
        simulator, self._simulator = self._simulator, None
        if simulator:
            await simulator.aclose()

    async def _raise_curtain(self) -> str:
        """Return the simulator's address, started if need be."""
        if self._simulator is None:
            simulator = Simulator()
            await simulator.start()
            self._simulator = simulator
        return self._simulator.url

    def _keep_going(self) -> None:
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._play_on(), name="demo")

    async def _play_on(self) -> None:
        while True:
            try:
                await _db(rows.play_now)
            except Exception:
                log.exception("The demo could not start a turn")
            await asyncio.sleep(LOOK_EVERY_SECONDS)


async def _wait_for_silence() -> None:
    """Wait until no engine runs a demo turn, a few seconds at most: their rows are deleted next."""
    for _ in range(KILL_POLLS):
        if not await _db(rows.is_running):
            return
        await asyncio.sleep(KILL_POLL_SECONDS)


async def _db[**P, R](call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a database call in a thread of its own, so that no request waits for the demo."""
    return await database_sync_to_async(call, thread_sensitive=False)(*args, **kwargs)
