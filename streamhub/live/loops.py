"""The loop that owns the channel layer in this process, if one does.

The in-memory layer belongs to one event loop; a send from another thread's loop would wake nobody. The hub names its
loop here, and threads hand their sends over to it.
"""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any

from asgiref.sync import async_to_sync

_home: list[asyncio.AbstractEventLoop] = []


def adopt(loop: asyncio.AbstractEventLoop) -> None:
    """Make `loop` the one that sends for every thread of this process."""
    _home[:] = [loop]


def release() -> None:
    """Forget the loop; later sends run where they are made."""
    _home.clear()


def home() -> asyncio.AbstractEventLoop | None:
    """Return the loop that owns the layer, while it runs."""
    return _home[0] if _home and _home[0].is_running() else None


def run_soon(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` on the home loop without waiting, or to its end here if there is none."""
    if _home and _home[0].is_running():
        future: Future[None] = asyncio.run_coroutine_threadsafe(work, _home[0])
        future.add_done_callback(_swallow)
        return
    _run_here(work)


def _run_here(work: Coroutine[Any, Any, None]) -> None:
    async def finish() -> None:
        await work

    async_to_sync(finish)()


def _swallow(future: "Future[None]") -> None:
    """A lost hint is no failure; asking for the exception keeps the loop from complaining about it."""
    if not future.cancelled():
        future.exception()
