"""One provider pass (seed 01): send the request, feed the answer through the normalizer, race it against the clocks.

The caller owns the task: a kill cancels it, the connection closes on the way out, and the cancellation is passed on
unchanged. What a kill or a clock cut off is still handed out: held text is released, a half-built call never is.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from providers.adapter import BaseStreamAdapter
from providers.chunks import ProcessedChunk
from providers.errors import HttpFailure, ProviderError
from providers.normalizer import Normalizer
from providers.redaction import without_secret
from providers.registry import adapter_for
from streamhub.turns.engine.clocks import ClockFired, StreamClock
from streamhub.turns.engine.live_turn import LiveTurn, OutputCapReached
from streamhub.turns.engine.ports import Answer, Transport, TransportError
from streamhub.turns.state import EndReason, Phase

ERROR_BODY_LIMIT = 1_000_000
# How long a body may stay open after its last word: a clean end lets the connection be used again.
LINGER_SECONDS = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEnd:
    """How a pass ended by itself; a kill ends it by cancellation instead."""

    reason: EndReason
    error: ProviderError | None = None


class StreamPass:
    """A single pass of one turn. `clock` and `alive_at` are read by the feed while it runs."""

    def __init__(
        self, turn: LiveTurn, transport: Transport, now: Callable[[], datetime], on_change: Callable[[], None]
    ) -> None:
        self._turn = turn
        self._transport = transport
        self._now = now
        self._on_change = on_change
        self._adapter: BaseStreamAdapter = adapter_for(turn.plan.kind)
        self._normalizer = Normalizer(self._adapter, turn.plan.policy)
        self.clock = StreamClock(turn.plan.clocks)
        self.headers_at: datetime | None = None
        self.alive_at: datetime | None = None
        self.http_status: int | None = None

    async def run(self) -> StreamEnd:
        """Stream to the end and say how it ended. Cancelling it closes the connection."""
        try:
            return await self._watched()
        except OutputCapReached:
            return StreamEnd(reason=EndReason.OUTPUT_CAP, error=self._cap_error())
        finally:
            self._release()

    async def _watched(self) -> StreamEnd:
        try:
            async with self.clock.watch():
                return await self._exchange()
        except ClockFired as fired:
            return self._timed_out(fired)
        except TransportError as error:
            return self._broken(error)

    async def _exchange(self) -> StreamEnd:
        try:
            request = self._adapter.build_request(self._turn.plan.request, self._turn.plan.endpoint)
        except ValueError as error:
            return self._failed(ProviderError(type="api_error", code="bad_request", message=str(error)))
        async with self._transport.stream(request) as answer:
            self.headers_at = self.alive_at = self._now()
            self.http_status = answer.status
            self._enter(Phase.WAITING)
            if not 200 <= answer.status < 300:
                return self._failed(await self._http_error(answer))
            await self._read(answer)
        return self._natural()

    async def _read(self, answer: Answer) -> None:
        body = answer.chunks()
        async for data in body:
            self._feed(data)
            if self._normalizer.ended:
                return await _linger(body)
        self._take(self._normalizer.finish())

    def _feed(self, data: bytes) -> None:
        before = self._normalizer.progress
        self.alive_at = now = self._now()
        self._take(self._normalizer.feed(data))
        if self._normalizer.progress != before:
            self._turn.progressed(now)
            self.clock.progress()
            self._on_change()

    def _take(self, chunks: list[ProcessedChunk]) -> None:
        now = self._now()
        for chunk in chunks:
            error = chunk.error
            self._turn.receive(replace(chunk, error=self._hidden(error)) if error else chunk, now)
        if chunks:
            self._on_change()

    def _enter(self, phase: Phase) -> None:
        self._turn.enter(phase)
        self._on_change()

    def _natural(self) -> StreamEnd:
        if self._turn.error:
            return StreamEnd(reason=EndReason.PROVIDER_ERROR, error=self._turn.error)
        if not self._turn.has_output:
            return StreamEnd(reason=EndReason.EMPTY_RESPONSE, error=_empty_error(self._turn))
        return StreamEnd(reason=EndReason.NATURAL)

    def _failed(self, error: ProviderError) -> StreamEnd:
        return StreamEnd(reason=EndReason.PROVIDER_ERROR, error=self._hidden(error))

    def _hidden(self, error: ProviderError) -> ProviderError:
        """Providers repeat the key they were called with; nobody else is to see it."""
        return without_secret(error, self._turn.plan.endpoint.api_key)

    async def _http_error(self, answer: Answer) -> ProviderError:
        body = await answer.read(ERROR_BODY_LIMIT)
        return self._adapter.handle_provider_error(
            HttpFailure(status=answer.status, headers=answer.headers, body=body)
        )

    def _timed_out(self, fired: ClockFired) -> StreamEnd:
        if self._is_finished():
            return self._natural()
        return StreamEnd(
            reason=fired.reason,
            error=ProviderError(type="timeout", code=fired.reason, message=str(fired), retryable=True),
        )

    def _broken(self, error: TransportError) -> StreamEnd:
        if self._is_finished():
            return self._natural()
        return self._failed(self._adapter.handle_provider_error(error.failure))

    def _is_finished(self) -> bool:
        """A stream whose finish reason was seen is complete, even if the connection was never closed properly."""
        if self._normalizer.finishing:
            self._take(self._normalizer.finish())
        return self._normalizer.ended

    def _cap_error(self) -> ProviderError:
        cap = self._turn.plan.output_cap_bytes
        message = (
            f"The answer passed the output cap of {cap:,} bytes. Change it with STREAM_MAX_OUTPUT_BYTES."
        )
        return ProviderError(type="api_error", code="output_cap", message=message)

    def _release(self) -> None:
        """Hand out what the guards still hold, however the pass ended."""
        if self._normalizer.ended:
            return
        try:
            self._take(self._normalizer.interrupt())
        except OutputCapReached:
            return


async def _linger(body: AsyncIterator[bytes]) -> None:
    """Read the rest of a finished body for a moment; what still comes is not looked at."""
    with suppress(TimeoutError, TransportError):
        async with asyncio.timeout(LINGER_SECONDS):
            async for _ in body:
                pass


def _empty_error(turn: LiveTurn) -> ProviderError:
    finish = turn.metadata.raw_finish_reason or "no finish reason"
    thought = " after thinking only" if turn.thought_chars else ""
    return ProviderError(
        type="api_error",
        code="empty_response",
        message=f"The model ended{thought} without any text ({finish}).",
        retryable=True,
    )
