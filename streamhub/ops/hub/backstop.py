"""The promise of how long a stop takes, kept even when something does not let go."""

import logging
import os
import threading

log = logging.getLogger(__name__)


def exit_now(status: int) -> None:
    """Leave the process at once: no clean-up, no waiting for threads. What counts is in the database."""
    os._exit(status)


def exit_within(seconds: float) -> threading.Timer:
    """Leave the process in `seconds` unless it has ended by then."""
    timer = threading.Timer(seconds, _give_up, args=(seconds,))
    timer.daemon = True
    timer.start()
    return timer


def _give_up(seconds: float) -> None:
    log.error("Not stopped after %.1f s: exiting anyway", seconds)
    exit_now(1)
