"""How view threads reach the stage of their process."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from streamhub.accounts.models import User
from streamhub.ops.demo import rows
from streamhub.ops.demo.stage import Stage

ANSWER_SECONDS = 10
NO_STAGE = (
    "The demo needs the one-process hub (make run): it plays on that process's own loop. "
    "This installation runs its parts separately."
)
_open: list[tuple[Stage, asyncio.AbstractEventLoop]] = []


class DemoUnavailable(Exception):
    """The demo cannot play here; the message says why, for the person who asked."""


def open_door(stage: Stage) -> None:
    """Make the stage on the running loop reachable from the threads of this process."""
    _open.append((stage, asyncio.get_running_loop()))


def close_door() -> None:
    """Make no stage reachable."""
    _open.clear()


def start_demo(actor: User | None) -> None:
    """Start the demo. Raises DemoUnavailable without a stage, or without an answer in seconds."""
    if not _open:
        raise DemoUnavailable(NO_STAGE)
    stage, loop = _open[-1]
    _wait_for(stage.start(actor), loop)


def remove_demo(actor: User | None) -> bool:
    """Remove the demo and all its data; False if there was none. Works without a stage too."""
    if _open:
        stage, loop = _open[-1]
        return _wait_for(stage.remove(actor), loop)
    rows.kill_turns(actor)
    return rows.delete(actor)


def _wait_for[R](work: Coroutine[Any, Any, R], loop: asyncio.AbstractEventLoop) -> R:
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result(ANSWER_SECONDS)
    except TimeoutError:
        future.cancel()
        raise DemoUnavailable(f"The demo did not answer within {ANSWER_SECONDS} s. see the log.") from None
