"""The engine of one worker process: claims queued turns, runs hundreds of them on one loop, records, feeds, drains.

Three loops: `_claiming` looks for work when woken or when a turn ended; `_recording` writes all turns' chunks and
extends their leases twice a second; `_feeding` sends frames. A turn that the record no longer calls ours is dropped
without another write (fencing).
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from logging import getLogger

from streamhub.turns.engine.feeder import Feeder
from streamhub.turns.engine.live_turn import LiveTurn
from streamhub.turns.engine.ports import (
    Beat,
    Feed,
    RefusedPlan,
    Store,
    StoreUnavailable,
    Transport,
    TurnOutcome,
    TurnPlan,
)
from streamhub.turns.engine.turn import TurnRun, bare
from streamhub.turns.state import STATUS_OF, EndReason

log = getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Numbers of an engine. Seconds, except where the name says otherwise."""

    capacity: int = 200
    # Small enough that the first turn of a burst starts while the others are still being claimed.
    claim_batch: int = 20
    tick: float = 0.5
    lease: float = 15.0
    greet_every: float = 5.0
    retry_store: float = 1.0
    # How long a drain waits for the outcomes of the turns it ended; what is not written then, the reaper finds.
    last_writes: float = 2.5


class Engine:
    """Runs turns on the loop it was started on."""

    def __init__(
        self,
        *,
        worker_id: str,
        store: Store,
        feed: Feed,
        transport: Transport,
        now: Callable[[], datetime],
        options: EngineOptions,
    ) -> None:
        self.worker_id = worker_id
        self._store = store
        self._feed = feed
        self._transport = transport
        self._now = now
        self._options = options
        self._runs: dict[str, TurnRun] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._loops: list[asyncio.Task[None]] = []
        self._wake = asyncio.Event()
        self._record_now = asyncio.Event()
        self._recorded = asyncio.Condition()
        # Held while a tick is under way: a turn that ends meanwhile must know which chunks that tick recorded.
        self._ticking = asyncio.Lock()
        self._is_draining = False
        # A drain waits for a claim that is under way, or its turns would start after everything was stopped.
        self._claim_under_way = asyncio.Lock()
        # Kills that came before their turn was started here; bounded, since most are for turns that just ended.
        self._early_kills: deque[tuple[str, int]] = deque(maxlen=1_000)
        self._confirmed_at = 0.0
        self._feeder = Feeder(self._runs, feed, now)

    async def start(self) -> None:
        """Begin to look for work."""
        self._confirmed_at = asyncio.get_running_loop().time()
        await self._greet()
        self._wake.set()
        loops = (self._claiming, self._recording, self._greeting, self._feeder.run)
        self._loops = [asyncio.create_task(self._keep(loop), name=loop.__name__) for loop in loops]

    @property
    def live(self) -> int:
        """How many turns run here."""
        return len(self._tasks)

    def wake(self) -> None:
        """Look for queued turns soon."""
        self._wake.set()

    def kill(self, turn_id: str, fencing_token: int) -> None:
        """End a turn because an operator asked; one that is not started yet ends before it connects."""
        run = self._runs.get(turn_id)
        if run is None:
            self._early_kills.append((turn_id, fencing_token))
        elif run.live.plan.fencing_token == fencing_token:
            run.stop(EndReason.USER_KILL)

    async def drain(self, grace_seconds: float) -> None:
        """Stop claiming, give turns `grace_seconds` to end by themselves, end the rest honestly, and stop."""
        self._is_draining = True
        async with self._claim_under_way:
            pass
        if self._tasks and grace_seconds > 0:
            await asyncio.wait(self._tasks.values(), timeout=grace_seconds)
        for run in self._runs.values():
            run.stop(EndReason.SHUTDOWN)
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=self._options.last_writes)
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        with suppress(StoreUnavailable):
            await self._store.leave()

    async def _keep(self, loop: Callable[[], Awaitable[None]]) -> None:
        """Run one of the engine's loops for ever: a bug in one turn's data must not stop all the others."""
        while True:
            try:
                await loop()
            except Exception:
                log.exception("a loop of the engine failed; it starts again")
                await asyncio.sleep(self._options.retry_store)
                self._wake.set()

    async def _claiming(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            async with self._claim_under_way:
                room = self._options.capacity - self.live
                if room > 0 and not self._is_draining:
                    await self._claim(room)

    async def _claim(self, room: int) -> None:
        wanted = min(room, self._options.claim_batch)
        try:
            plans = await self._store.claim(wanted)
        except StoreUnavailable:
            await asyncio.sleep(self._options.retry_store)
            self._wake.set()
            return
        for plan in plans:
            self._start(plan)
        if len(plans) == wanted:
            self._wake.set()

    def _start(self, plan: TurnPlan | RefusedPlan) -> None:
        work = self._refuse(plan) if isinstance(plan, RefusedPlan) else self._run(plan)
        task = asyncio.create_task(work, name=f"run {plan.turn_id}")
        self._tasks[plan.turn_id] = task
        task.add_done_callback(partial(self._gone, plan.turn_id))

    def _gone(self, turn_id: str, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (failure := task.exception()):
            log.error(
                "turn %s: its end could not be written; the reaper will find it", turn_id, exc_info=failure
            )
        self._tasks.pop(turn_id, None)
        self._runs.pop(turn_id, None)
        self._wake.set()

    async def _run(self, plan: TurnPlan) -> None:
        live = LiveTurn(plan)
        run = TurnRun(
            live,
            transport=self._transport,
            now=self._now,
            on_change=self._feeder.touch,
            settled=self._settled,
        )
        self._runs[plan.turn_id] = run
        if (plan.turn_id, plan.fencing_token) in self._early_kills:
            run.stop(EndReason.USER_KILL)
        self._feeder.touch()
        await self._feed.changed(plan.server_id, plan.turn_id)
        end = await run.run()
        self._runs.pop(plan.turn_id, None)
        if end.reason is EndReason.STALE_LEASE:
            return
        if end.reason is EndReason.INTERNAL_ERROR and end.error:
            log.error("turn %s failed inside the engine: %s", plan.turn_id, end.error.original)
        await self._feeder.last_words(live)
        async with self._ticking:
            outcome = run.outcome(end)
        await self._finish(outcome)

    async def _refuse(self, plan: RefusedPlan) -> None:
        await self._finish(
            TurnOutcome(
                turn_id=plan.turn_id,
                server_id=plan.server_id,
                fencing_token=plan.fencing_token,
                status=STATUS_OF[EndReason.PROVIDER_ERROR],
                end_reason=EndReason.PROVIDER_ERROR,
                error=plan.error,
            )
        )

    async def _finish(self, outcome: TurnOutcome) -> None:
        """Write the outcome, trying again while the database is away and the lease lasts."""
        deadline = asyncio.get_running_loop().time() + self._options.lease
        while True:
            try:
                await self._store.finish(outcome)
                break
            except StoreUnavailable:
                if asyncio.get_running_loop().time() > deadline:
                    log.error(
                        "turn %s: its outcome could not be recorded; the reaper will find it", outcome.turn_id
                    )
                    return
                await asyncio.sleep(self._options.retry_store)
            except Exception as failure:
                if outcome.is_bare:
                    raise
                log.error("turn %s: its end cannot be recorded whole", outcome.turn_id, exc_info=failure)
                outcome = bare(outcome)
        await self._feed.changed(outcome.server_id, outcome.turn_id)

    async def _recording(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._options.tick):
                    await self._record_now.wait()
            self._record_now.clear()
            async with self._ticking:
                if self._runs:
                    await self._tick([run.live for run in self._runs.values()])
            async with self._recorded:
                self._recorded.notify_all()

    async def _tick(self, turns: Sequence[LiveTurn]) -> None:
        beats: list[Beat] = [turn.beat() for turn in turns]
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self._options.lease):
                answer = await self._store.tick(beats)
        except (StoreUnavailable, TimeoutError):
            self._fence()
            return
        except Exception as failure:  # what one turn holds cannot be written: it costs that turn and no other
            await self._tick_apart(turns, failure)
            return
        self._confirmed_at = started
        for turn, beat in zip(turns, beats, strict=True):
            if turn.turn_id in answer.owned:
                turn.recorded(beat)
            self._heed(turn, owned=turn.turn_id in answer.owned, killed=turn.turn_id in answer.kills)

    async def _tick_apart(self, turns: Sequence[LiveTurn], failure: Exception) -> None:
        """Find the turn that the record refuses, and end it."""
        if len(turns) > 1:
            for turn in turns:
                await self._tick([turn])
        elif run := self._runs.get(turns[0].turn_id):
            log.error("turn %s: what it said cannot be recorded", turns[0].turn_id, exc_info=failure)
            run.stop(EndReason.INTERNAL_ERROR)

    def _heed(self, turn: LiveTurn, *, owned: bool, killed: bool) -> None:
        run = self._runs.get(turn.turn_id)
        if run is None or run.live is not turn:
            return
        if not owned:
            run.stop(EndReason.STALE_LEASE)
        elif killed:
            run.stop(EndReason.USER_KILL)

    def _fence(self) -> None:
        """Without the record for longer than a lease, nothing here is ours any more."""
        if asyncio.get_running_loop().time() - self._confirmed_at > self._options.lease:
            for run in list(self._runs.values()):
                run.stop(EndReason.STALE_LEASE)

    async def _settled(self, turn: LiveTurn) -> None:
        """Wait until the record holds everything received for `turn`."""
        while turn.unrecorded:
            self._record_now.set()
            async with self._recorded:
                await self._recorded.wait()

    async def _greeting(self) -> None:
        while True:
            await asyncio.sleep(self._options.greet_every)
            await self._greet()
            self._wake.set()  # for turns whose wake-up was lost

    async def _greet(self) -> None:
        with suppress(StoreUnavailable):
            await self._store.greet(self.live)
