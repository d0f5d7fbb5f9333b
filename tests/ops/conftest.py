"""A real hub in a process of its own, and a demo stage on a loop of its own."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from streamhub.ops.demo.door import close_door, open_door
from streamhub.ops.demo.stage import Stage
from tests.ops.hub_process import HubProcess, Start


@pytest.fixture
def start_hub(tmp_path) -> Iterator[Start]:
    """Return a function that starts hubs on `tmp_path`; what still runs at the end is killed."""
    started: list[HubProcess] = []

    def start(**environ: str) -> HubProcess:
        hub = HubProcess(tmp_path, environ)
        started.append(hub)
        return hub

    yield start
    for hub in started:
        hub.end()


@pytest.fixture
def stage() -> Iterator[Stage]:
    """A stage that view threads can reach, as in a hub."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def make() -> Stage:
        stage = Stage()
        open_door(stage)
        return stage

    stage = asyncio.run_coroutine_threadsafe(make(), loop).result(10)
    yield stage
    close_door()
    asyncio.run_coroutine_threadsafe(stage.close(), loop).result(10)
    asyncio.run_coroutine_threadsafe(loop.shutdown_default_executor(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()
