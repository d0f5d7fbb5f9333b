"""The life of a hub: prepare, serve, and on the first signal end honestly; a second one ends at once.

Everything runs on the loop of the web server. That is what makes the in-memory channel layer valid, and a
kill as short as a function call.
"""

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from functools import partial
from typing import Any, TextIO

from django.conf import settings
from django.db import connections
from django.utils.module_loading import import_string

from streamhub.live import loops
from streamhub.ops.demo.door import close_door, open_door
from streamhub.ops.demo.stage import Stage
from streamhub.ops.hub import backstop
from streamhub.ops.hub.background import Background
from streamhub.ops.hub.listener import base_url, is_local, open_listener
from streamhub.ops.hub.lock import sole_hub
from streamhub.ops.hub.prepare import prepare
from streamhub.ops.hub.printer import Printer
from streamhub.ops.hub.web import WebServer, build_server, server_loop
from streamhub.turns.engine_service import EngineService

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Beyond the grace for running turns: writing their ends and closing what is open.
CLOSING_SECONDS = 3.5
SETTLE_SECONDS = 0.3
INTERRUPTED = 128 + signal.SIGINT
log = logging.getLogger(__name__)


def run_hub(out: TextIO) -> int:
    """Run a hub until it is told to stop; return the exit status. Raises HubRefused when it cannot start."""
    os.umask(0o077)
    printer = Printer(out)
    with sole_hub(settings.DATA_DIR), open_listener(settings.HUB_HOST, settings.HUB_PORT) as listener:
        printer.welcome(settings.DATA_DIR)
        setup_token = prepare(printer)
        application = import_string(settings.ASGI_APPLICATION)
        announce = partial(printer.ready, base_url(listener), setup_token, is_local=is_local(listener))
        server = build_server(application, listener)
        hub = Hub(server, printer, announce)
        try:
            return hub.run()
        finally:
            connections.close_all()


def stop_seconds() -> float:
    """Return how long a stop may take at most; under five seconds with the usual grace."""
    return settings.ENGINE_DRAIN_SECONDS + CLOSING_SECONDS


class Hub:
    """A running hub. `announce` is called when everything answers."""

    def __init__(self, server: WebServer, printer: Printer, announce: Callable[[], None]) -> None:
        self._server = server
        self._printer = printer
        self._announce = announce
        self._engine: EngineService | None = None
        self._stage = Stage()
        self._background = Background()
        self._status = 0
        self._stop_asked: asyncio.Event | None = None

    def run(self) -> int:
        """Serve until a signal; return the exit status."""
        loop = server_loop()
        life = loop.create_task(self._live(), name="hub")
        self._server.run()
        loop.run_until_complete(_end_tasks(loop, life))
        return self._status

    async def _live(self) -> None:
        self._stop_asked = asyncio.Event()
        loop = asyncio.get_running_loop()
        loops.adopt(loop)
        for number in SIGNALS:
            loop.add_signal_handler(number, self._on_signal)
        try:
            await self._start()
            await self._stop_asked.wait()
            await self._stop()
        except Exception:
            log.exception("The hub ends on an error")
            self._status = 1
        finally:
            backstop.exit_within(CLOSING_SECONDS)
            self._server.stop()

    async def _start(self) -> None:
        """Demo first: its turns from before a restart must find their provider."""
        await self._stage.resume(asked=settings.DEMO)
        open_door(self._stage)
        self._engine = EngineService()
        await self._engine.start()
        self._background.start()
        self._announce()

    async def _stop(self) -> None:
        """End live turns as `shutdown` while everything they need still works, then take the rest away."""
        close_door()
        await self._stage.pause()
        if self._engine:
            await self._engine.drain(settings.ENGINE_DRAIN_SECONDS)
        await self._stage.close()
        self._background.stop()
        self._server.dismiss_viewers()
        await asyncio.sleep(SETTLE_SECONDS)
        self._printer.stopped()

    def _on_signal(self) -> None:
        assert self._stop_asked is not None
        if self._stop_asked.is_set():
            backstop.exit_now(INTERRUPTED)
        self._stop_asked.set()
        self._printer.stopping(settings.ENGINE_DRAIN_SECONDS)
        backstop.exit_within(stop_seconds())


async def _end_tasks(loop: asyncio.AbstractEventLoop, life: asyncio.Task[Any]) -> None:
    """Let cancelled requests run their clean-up, for a moment."""
    rest = asyncio.all_tasks(loop) - {asyncio.current_task(), life}
    for task in rest:
        task.cancel()
    await asyncio.wait({*rest, life}, timeout=SETTLE_SECONDS)
