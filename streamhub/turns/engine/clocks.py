"""The clocks of a stream (seed 01): one deadline that content progress moves, and the words for which one fired.

First token runs from the moment the request is sent, so connecting and waiting for headers count. The first content
progress switches to the idle clock, and every further progress re-arms it. Keep-alive comments and pings are no
progress. The total clock, if set, is never re-armed.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from streamhub.turns.state import EndReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One clock's limit in milliseconds and where an admin changes it. 0 switches the clock off."""

    ms: int
    setting: str

    @property
    def seconds(self) -> float:
        """The limit in seconds."""
        return self.ms / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockLimits:
    """The limits of one stream; `settle_ms` bounds the wait for deliveries in flight after a time-out."""

    first_token: Limit
    idle: Limit
    total: Limit
    settle_ms: int = 5_000


_REASONS = {
    "first_token": EndReason.FIRST_TOKEN_CLOCK,
    "idle": EndReason.IDLE_CLOCK,
    "total": EndReason.TOTAL_CLOCK,
}
_WORDS = {
    "first_token": "nothing arrived",
    "idle": "no text, thought or tool call arrived",
    "total": "the stream did not end",
}


class ClockFired(Exception):
    """A clock ran out. `reason` is typed, the message names the clock, its value and the setting to change."""

    def __init__(self, name: str, limit: Limit) -> None:
        self.reason = _REASONS[name]
        label = name.replace("_", "-")
        super().__init__(
            f"The {label} clock fired: {_WORDS[name]} for {limit.seconds:g} s. Change it with {limit.setting}."
        )


class StreamClock:
    """The deadline of one stream. `name` and `since` (loop time) say which clock runs and from when."""

    def __init__(self, limits: ClockLimits) -> None:
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self.started = self.since = self._loop.time()
        self.name = "first_token"
        self._timer: asyncio.Timeout | None = None

    @property
    def limit(self) -> Limit:
        """The limit of the clock that runs now."""
        limit: Limit = getattr(self._limits, self.name)
        return limit

    @asynccontextmanager
    async def watch(self) -> AsyncIterator[None]:
        """Run the block against the clocks. Raises ClockFired; a cancellation from outside passes unchanged."""
        try:
            async with asyncio.timeout_at(self._deadline()) as self._timer:
                yield
        except TimeoutError:
            if not (self._timer and self._timer.expired()):
                raise
            name = "total" if self._is_total_due() else self.name
            raise ClockFired(name, getattr(self._limits, name)) from None
        finally:
            self._timer = None

    def progress(self) -> None:
        """Content arrived: from now on the idle clock runs, from zero."""
        self.name = "idle"
        self.since = self._loop.time()
        if self._timer:
            self._timer.reschedule(self._deadline())

    def _deadline(self) -> float | None:
        rolling = self.since + self.limit.seconds if self.limit.ms else None
        total = self.started + self._limits.total.seconds if self._limits.total.ms else None
        return min((due for due in (rolling, total) if due is not None), default=None)

    def _is_total_due(self) -> bool:
        total = self._limits.total
        return bool(total.ms) and self._loop.time() >= self.started + total.seconds
