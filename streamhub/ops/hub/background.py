"""Celery inside the hub: a worker and a beat, each a thread, neither touching the process's signals."""

import logging
import socket
import threading

from celery import beat
from celery.worker import WorkController, state

from streamhub.celery import app

BEAT_LOOP_SECONDS = 1  # how long beat sleeps at most, so how late it notices that it should stop
log = logging.getLogger(__name__)


class Background:
    """The Celery side of an embedded hub. Its tasks only say "look", so one thread serves them all."""

    def __init__(self) -> None:
        self._beat = beat.Service(app, max_interval=BEAT_LOOP_SECONDS, scheduler_cls=beat.Scheduler)
        self._threads = [
            threading.Thread(target=_run, args=(job,), name=name, daemon=True)
            for name, job in (("celery-worker", self._work), ("celery-beat", self._beat.start))
        ]

    def start(self) -> None:
        """Start both threads."""
        state.should_stop = None
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ask both to stop. They end by themselves; nothing they do needs waiting for."""
        state.should_stop = 0  # type: ignore[assignment]  # an exit status; typed as never set
        self._beat.stop()

    def _work(self) -> None:
        """Run a worker without the parts that talk to other workers and without an event loop of its own."""
        WorkController(
            app=app,
            hostname=f"hub@{socket.gethostname()}",
            pool_cls="solo",
            concurrency=1,
            use_eventloop=False,
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
        ).start()


def _run(job: object) -> None:
    """Run a thread's job. Turns start without it, by the doorbell, so its end is reported and survived."""
    assert callable(job)
    try:
        job()
    except Exception:
        log.exception("A Celery thread of the hub ended")
