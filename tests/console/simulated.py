"""A provider on loopback for pages that call one: the simulator, on a loop and thread of its own."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from providers.simulator.server import Simulator


@contextmanager
def simulator() -> Iterator[Simulator]:
    """Run a simulator until the block ends; `url` is the base address of an endpoint that uses it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = Simulator()
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(_close(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _close(server: Simulator) -> None:
    await server.aclose()
    for _ in range(3):  # the loop closes its sockets in the rounds after
        await asyncio.sleep(0)
