"""Run one claimed turn to its outcome, whatever happens on the way.

The pass runs in a task of its own, so that a kill can cancel it in every phase without ever touching the code that
writes the outcome. Who asked for the end is a typed value; a cancellation nobody asked for is a shutdown.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from providers.errors import ProviderError
from providers.redaction import hide
from streamhub.turns.engine.live_turn import LiveTurn
from streamhub.turns.engine.ports import Transport, TurnOutcome
from streamhub.turns.engine.stream_once import StreamEnd, StreamPass
from streamhub.turns.state import STATUS_OF, EndReason, Phase

_CLOCKS = {EndReason.FIRST_TOKEN_CLOCK, EndReason.IDLE_CLOCK, EndReason.TOTAL_CLOCK}
_OUTCOMES = {
    EndReason.NATURAL: "completed",
    EndReason.EMPTY_RESPONSE: "empty_response",
    EndReason.FIRST_TOKEN_CLOCK: "timeout",
    EndReason.IDLE_CLOCK: "timeout",
    EndReason.TOTAL_CLOCK: "timeout",
    EndReason.USER_KILL: "stopped_by_user",
}


class TurnRun:
    """A turn while it runs. `settled` waits until everything delivered so far is safe (recorded)."""

    def __init__(
        self,
        live: LiveTurn,
        *,
        transport: Transport,
        now: Callable[[], datetime],
        on_change: Callable[[], None],
        settled: Callable[[LiveTurn], Awaitable[None]],
    ) -> None:
        self.live = live
        self.stream = StreamPass(live, transport, now, on_change)
        self._now = now
        self._on_change = on_change
        self._settled = settled
        self._task: asyncio.Task[StreamEnd] | None = None
        self.stop_reason: EndReason | None = None
        self._started_at = now()
        self._stop_at: float | None = None
        self._closed_ms: float | None = None

    def stop(self, reason: EndReason) -> None:
        """End the turn now. The first reason stays; asking again changes nothing."""
        if self.stop_reason is None:
            self.stop_reason = reason
            self._stop_at = asyncio.get_running_loop().time()
            if self._task:
                self._task.cancel()

    async def run(self) -> StreamEnd:
        """Stream, settle and say how it ended. Never raises."""
        if self.stop_reason is None:
            self._task = asyncio.create_task(self._stream_and_settle(), name=f"turn {self.live.turn_id}")
            await asyncio.wait({self._task})
        if self._stop_at is not None:
            self._closed_ms = (asyncio.get_running_loop().time() - self._stop_at) * 1000
        return self._end()

    async def _stream_and_settle(self) -> StreamEnd:
        end = await self.stream.run()
        if end.reason in _CLOCKS:
            await self._settle()
        return end

    async def _settle(self) -> None:
        """Wait, bounded, for deliveries in flight: a fallback continues from exactly what was delivered (seed 01)."""
        limit = self.live.plan.clocks.settle_ms / 1000
        if not limit:
            return
        self.live.enter(Phase.SETTLING)
        self._on_change()
        try:
            async with asyncio.timeout(limit):
                await self._settled(self.live)
        except TimeoutError:
            return

    def _end(self) -> StreamEnd:
        if self._task is None or self._task.cancelled():
            return _stopped(self.stop_reason or EndReason.SHUTDOWN)
        if failure := self._task.exception():
            message = f"StreamHub failed while it ran this turn: {type(failure).__name__}."
            original = hide(repr(failure), self.live.plan.endpoint.api_key)
            return StreamEnd(
                reason=EndReason.INTERNAL_ERROR,
                error=ProviderError(type="unknown", code="internal", message=message, original=original),
            )
        return self._task.result()

    def outcome(self, end: StreamEnd) -> TurnOutcome:
        """Return what is to be written about the turn, with every chunk that the record does not hold yet."""
        live, metadata = self.live, self.live.metadata
        usage = metadata.usage
        return TurnOutcome(
            turn_id=live.turn_id,
            server_id=live.plan.server_id,
            fencing_token=live.plan.fencing_token,
            status=STATUS_OF[end.reason],
            end_reason=end.reason,
            error=end.error,
            chunks=tuple(live.unrecorded),
            progress=live.progress(),
            attempt=self._attempt(end),
            thoughts={kind: "".join(parts) for kind, parts in live.thoughts.items()},
            firings=tuple(live.firings),
            finish_reason=metadata.finish_reason or "",
            raw_finish_reason=metadata.raw_finish_reason or "",
            stop_string=metadata.stop_string or "",
            usage={
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "reasoning_tokens": usage.reasoning_tokens,
                "cached_tokens": usage.cached_tokens,
            }
            if usage
            else {},
        )

    def _attempt(self, end: StreamEnd) -> dict[str, Any]:
        return {
            "started_at": self._started_at,
            "headers_at": self.stream.headers_at,
            "first_token_at": self.live.first_token_at,
            "first_text_at": self.live.first_text_at,
            "ended_at": self._now(),
            "outcome": "function_call" if self.live.calls else _OUTCOMES.get(end.reason, "error"),
            "end_reason": end.reason,
            "http_status": self.stream.http_status,
            "guard_counts": dict(self.live.guard_counts),
            "upstream_closed_ms": self._closed_ms,
        }


def bare(outcome: TurnOutcome) -> TurnOutcome:
    """Return the end of a turn whose last words the record refused: honest about it, and free of them."""
    return TurnOutcome(
        turn_id=outcome.turn_id,
        server_id=outcome.server_id,
        fencing_token=outcome.fencing_token,
        status=STATUS_OF[EndReason.INTERNAL_ERROR],
        end_reason=EndReason.INTERNAL_ERROR,
        error=_unrecordable(),
        attempt={
            name: value
            for name, value in outcome.attempt.items()
            if name.endswith("_at") or name == "http_status"
        }
        | {"outcome": "error", "end_reason": EndReason.INTERNAL_ERROR},
    )


def _unrecordable() -> ProviderError:
    message = "StreamHub could not record what the provider sent last. What was recorded before is kept."
    return ProviderError(type="unknown", code="unrecordable", message=message)


def _stopped(reason: EndReason) -> StreamEnd:
    if reason is EndReason.INTERNAL_ERROR:
        return StreamEnd(reason=reason, error=_unrecordable())
    if reason is EndReason.SHUTDOWN:
        message = "StreamHub was shut down while this turn ran. The text received so far is kept."
        return StreamEnd(reason=reason, error=ProviderError(type="unknown", code="shutdown", message=message))
    return StreamEnd(reason=reason)
