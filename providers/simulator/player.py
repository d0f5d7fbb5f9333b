"""Plays a script on a wire, streamed or as one whole answer."""

import asyncio
from collections.abc import Iterator
from typing import Final

from providers.simulator.dialect import Dialect, Reply
from providers.simulator.steps import Comment, Cut, Open, Raw, Refuse, Script, Split, Step, Wait
from providers.simulator.wire import Wire

MAX_COLLECTED_STEPS: Final = (
    1_000_000  # of an answer that is not streamed; an endless script waits on without more
)
STEPS_WITHOUT_PAUSE: Final = 32  # after so many writes other connections get their turn
CATCH_UP_SECONDS: Final = 0.25
JSON_TYPE: Final = "application/json"


class Metronome:
    """Keeps a pace without drift: a late wake-up shortens the next waits, by CATCH_UP_SECONDS at most."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._due = self._loop.time()
        self._steps = 0

    async def wait(self, seconds: float | None) -> None:
        """Sleep; None means until the task is cancelled."""
        if seconds is None:
            await self._loop.create_future()
            return
        now = self._loop.time()
        self._due = max(self._due, now - CATCH_UP_SECONDS) + seconds
        self._steps = 0
        await asyncio.sleep(max(0.0, self._due - now))

    async def share(self) -> None:
        """Let other tasks run now and then in a script that never waits."""
        self._steps += 1
        if self._steps >= STEPS_WITHOUT_PAUSE:
            self._steps = 0
            await asyncio.sleep(0)


async def play_stream(script: Script, reply: Reply, dialect: Dialect, wire: Wire) -> None:
    """Play a script as it goes. Returns when the answer ended or the script cut the connection."""
    metronome = Metronome()
    for step in script.steps:
        match step:
            case Wait(seconds):
                await metronome.wait(seconds)
            case Open():
                wire.start(200, {"content-type": script.content_type or dialect.stream_type, **NO_CACHE})
            case Refuse():
                await refuse(step, dialect, wire)
                return
            case Cut(how):
                wire.cut(how)
                return
            case _:
                for piece in _pieces(step, reply):
                    await metronome.share()
                    await wire.writable()
                    wire.write(piece)
    await wire.end()


async def play_whole(script: Script, reply: Reply, dialect: Dialect, wire: Wire) -> None:
    """Play a script in its own time and send all of it at the end. A recording goes out as it is."""
    metronome = Metronome()
    steps: list[Step] = []
    for step in script.steps:
        match step:
            case Wait(seconds):
                await metronome.wait(seconds)
            case Refuse():
                await refuse(step, dialect, wire)
                return
            case Cut(how):
                wire.cut(how)
                return
            case Open() | Comment():
                pass
            case _:
                await metronome.share()
                if len(steps) < MAX_COLLECTED_STEPS:
                    steps.append(step.step if isinstance(step, Split) else step)
    recorded = b"".join(step.data for step in steps if isinstance(step, Raw))
    kind = script.content_type or (dialect.stream_type if recorded else JSON_TYPE)
    await wire.answer(200, recorded or reply.whole(steps), {"content-type": kind})


async def refuse(step: Refuse, dialect: Dialect, wire: Wire) -> None:
    """Answer with an HTTP error in the dialect's shape."""
    headers = {"content-type": JSON_TYPE}
    if step.retry_after is not None:
        headers["retry-after"] = step.retry_after
    await wire.answer(step.status, dialect.refusal(step), headers)


NO_CACHE: Final = {"cache-control": "no-cache"}


def _pieces(step: Step, reply: Reply) -> Iterator[bytes]:
    """Return the writes of a step: one, none, or as many as a split asks for."""
    if isinstance(step, Split):
        data = reply.encode(step.step)
        return (data[start : start + step.size] for start in range(0, len(data), step.size))
    data = reply.encode(step)
    return iter((data,) if data else ())
