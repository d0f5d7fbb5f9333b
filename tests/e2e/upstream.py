"""The simulator on a thread of its own, and what its scripts say, to compare pages with."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from providers.simulator.connections import Connection
from providers.simulator.dialect import ChatRequest
from providers.simulator.replay import Recordings
from providers.simulator.scripts import find_script
from providers.simulator.server import Simulator
from providers.simulator.steps import Split, Text
from providers.wire.payload import NUL_STAND_IN
from tests.ops.hub_process import wait_until


class Upstream:
    """A provider on loopback. Every model id is a script."""

    def __init__(self, simulator: Simulator, loop: asyncio.AbstractEventLoop) -> None:
        self._simulator = simulator
        self._loop = loop
        self.url = simulator.url

    def connections(self, model_id: str) -> list[Connection]:
        """Return what the ledger holds of requests for this model."""
        return [entry for entry in self._snapshot() if entry.model == model_id]

    def wait_for(self, model_id: str, state: str, count: int = 1) -> None:
        """Wait until that many requests for this model are in that state."""
        wait_until(lambda: sum(entry.state == state for entry in self.connections(model_id)) >= count)

    def _snapshot(self) -> tuple[Connection, ...]:
        async def look() -> tuple[Connection, ...]:
            return self._simulator.connections

        return asyncio.run_coroutine_threadsafe(look(), self._loop).result(20)


@contextmanager
def running_upstream() -> Iterator[Upstream]:
    """Run a simulator on a free port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    simulator = Simulator()
    asyncio.run_coroutine_threadsafe(simulator.start(), loop).result(20)
    try:
        yield Upstream(simulator, loop)
    finally:
        asyncio.run_coroutine_threadsafe(simulator.aclose(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()


def text_of_script(model_id: str) -> str:
    """Return all visible text that the script sends, as it is read: no database holds NUL, so it has a stand-in."""
    request = ChatRequest(
        model=model_id, stream=True, include_usage=True, tools=(), last_user_text="", tool_result=None
    )
    steps = (
        step.step if isinstance(step, Split) else step
        for step in find_script(model_id, request, Recordings(None)).steps
    )
    return "".join(step.text for step in steps if isinstance(step, Text)).replace("\x00", NUL_STAND_IN)
