"""Whether this installation can do its work: five checks, side by side, each with two seconds at most.

The words are our own and name no host, user or password: anybody may ask.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from time import monotonic

from django.db import connection, connections
from django.utils import timezone

from streamhub.celery import app
from streamhub.live.probe import delivers
from streamhub.ops.schema import unapplied_migrations
from streamhub.turns import workers

LIMIT_SECONDS = 2.0
# Anybody may ask, and asking costs a connection to everything: whoever comes meanwhile gets the same answer.
KEEP_SECONDS = 1.5
log = logging.getLogger(__name__)

# Bounded: probes that pile up on a dead database wait here and are answered by the time limit.
_threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="readiness")


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found, in words."""

    ok: bool
    words: str


class Readiness:
    """The last result of all checks, for those who ask within `KEEP_SECONDS`; one of them runs the checks."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._until = 0.0
        self._checks: dict[str, Check] = {}

    def now(self) -> dict[str, Check]:
        """Return what each check found, by name. Takes no longer than twice the limit, whatever hangs."""
        with self._lock:
            if monotonic() >= self._until:
                self._checks = check_all()
                self._until = monotonic() + KEEP_SECONDS
            return self._checks


def check_all() -> dict[str, Check]:
    """Run all checks; return them by name. Takes no longer than the limit, whatever hangs."""
    deadline = monotonic() + LIMIT_SECONDS
    futures = {name: _threads.submit(_guarded, name, check) for name, check in _CHECKS.items()}
    return {name: _answer(future, max(0.0, deadline - monotonic())) for name, future in futures.items()}


def database() -> Check:
    """Ask the database for a number."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return Check(True, "answers")


def migrations() -> Check:
    """Compare the tables with what this code expects."""
    missing = unapplied_migrations()
    return Check(not missing, f"{missing} not applied: run manage.py migrate" if missing else "all applied")


def worker() -> Check:
    """Look for the heartbeat of a process that runs turns."""
    alive = workers.count_alive(timezone.now())
    if alive:
        return Check(True, f"{alive} alive")
    return Check(False, f"no heartbeat in the last {workers.SILENT_AFTER.seconds} s: no worker runs turns")


def broker() -> Check:
    """Open a connection to the broker."""
    with app.connection_for_write() as broker_connection:
        broker_connection.ensure_connection(max_retries=1, timeout=int(LIMIT_SECONDS))
    return Check(True, "answers")


def layer() -> Check:
    """Send a message through the channel layer and receive it."""
    delivers()
    return Check(True, "delivers")


_CHECKS: dict[str, Callable[[], Check]] = {
    "database": database,
    "migrations": migrations,
    "worker": worker,
    "broker": broker,
    "layer": layer,
}


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except Exception as error:
        log.warning("readiness: %s: %s", name, error)
        return Check(False, f"no answer ({type(error).__name__})")
    finally:
        connections.close_all()


def _answer(future: Future[Check], seconds: float) -> Check:
    try:
        return future.result(seconds)
    except TimeoutError:
        future.cancel()
        return Check(False, f"no answer within {LIMIT_SECONDS:g} s")
