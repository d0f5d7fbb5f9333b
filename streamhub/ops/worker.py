"""The engine inside a scaled-out Celery worker: started when the worker is ready, drained when it stops.

Celery imports this module with the tasks (see streamhub/celery.py). The hub's own worker thread never says
`worker_ready`, so it gets no second engine. A worker that is killed leaves its turns to the lease reaper.
"""

import asyncio
import logging
import threading
from collections.abc import Coroutine
from typing import Any

from celery.signals import worker_ready, worker_shutdown
from django.conf import settings

from streamhub.live import loops
from streamhub.turns.engine_service import EngineService

START_SECONDS = 30
SETTLE_SECONDS = 10  # beyond the grace: closing connections and writing outcomes
log = logging.getLogger(__name__)


class EngineThread:
    """An engine on a loop and thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="engine", daemon=True)
        self._engine: EngineService | None = None

    def start(self) -> None:
        """Start the engine. Raises what kept it from starting."""
        self._thread.start()
        loops.adopt(self._loop)
        self._call(self._start(), START_SECONDS)

    def stop(self, grace_seconds: float) -> None:
        """Let live turns go on for `grace_seconds`, end the rest honestly, and stop the loop."""
        try:
            if self._engine:
                self._call(self._engine.drain(grace_seconds), grace_seconds + SETTLE_SECONDS)
        except TimeoutError:
            log.error("The engine did not settle in time; the reaper ends what it left")
        finally:
            loops.release()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(SETTLE_SECONDS)

    async def _start(self) -> None:
        self._engine = EngineService()
        await self._engine.start()
        log.info("Engine %s is ready", self._engine.worker_id)

    def _call(self, work: Coroutine[Any, Any, None], seconds: float) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)


_running: list[EngineThread] = []


@worker_ready.connect
def start_engine(**_kwargs: Any) -> None:
    """Start this process's engine. One that cannot start ends the process: its supervisor tries again.

    By SystemExit, because Celery logs any other exception of a signal and goes on, deaf to its tasks.
    """
    if not _running:
        engine = EngineThread()
        try:
            engine.start()
        except Exception as failure:
            log.exception("The engine cannot start: this worker ends")
            raise SystemExit(1) from failure
        _running.append(engine)


@worker_shutdown.connect
def stop_engine(**_kwargs: Any) -> None:
    """Drain this process's engine, if it has one."""
    while _running:
        _running.pop().stop(settings.ENGINE_DRAIN_SECONDS)
