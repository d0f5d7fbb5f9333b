"""Live frames of all turns of a worker, merged: one bundle a server and tick, never a message a chunk.

The first change after a quiet moment goes out at once, then at most one bundle every 25 ms; cards, which hold the
whole state of a turn, follow five times a second. Everything sent here may be lost: the record heals it.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime
from logging import getLogger
from typing import Any

from streamhub.turns.engine.live_turn import LiveTurn
from streamhub.turns.engine.ports import Feed
from streamhub.turns.engine.turn import TurnRun

log = getLogger(__name__)

BUNDLE_SECONDS = 0.025
CARD_SECONDS = 0.2
# Weight of the newest reading in the smoothed rate.
RATE_WEIGHT = 0.3


class Feeder:
    """Turns changes of live turns into bundles."""

    def __init__(self, runs: Mapping[str, TurnRun], feed: Feed, now: Callable[[], datetime]) -> None:
        self._runs = runs
        self._feed = feed
        self._now = now
        self._touched = asyncio.Event()
        self._next_cards = 0.0
        self._rates: dict[str, tuple[float, int, float]] = {}
        self._sent: dict[str, tuple[Any, ...]] = {}

    def touch(self) -> None:
        """Something changed in some turn."""
        self._touched.set()

    async def run(self) -> None:
        """Send bundles for ever."""
        while True:
            await self._wait()
            self._touched.clear()
            await self._bundle_all()
            await asyncio.sleep(BUNDLE_SECONDS)

    async def _wait(self) -> None:
        """Wait for a change; while turns run, at most until the next cards are due."""
        timeout = CARD_SECONDS if self._runs else None
        try:
            async with asyncio.timeout(timeout):
                await self._touched.wait()
        except TimeoutError:
            return

    async def last_words(self, turn: LiveTurn) -> None:
        """Send what an ended turn still has to say."""
        self._rates.pop(turn.turn_id, None)
        self._sent.pop(turn.turn_id, None)
        if item := turn.take_unsent():
            await self._send(turn.plan.server_id, [], {turn.turn_id: self._ops_item(turn, item)})

    async def _bundle_all(self) -> None:
        loop_time = asyncio.get_running_loop().time()
        with_cards = loop_time >= self._next_cards
        if with_cards:
            self._next_cards = loop_time + CARD_SECONDS
        cards: dict[int, list[dict[str, Any]]] = defaultdict(list)
        ops: dict[int, dict[str, dict[str, Any]]] = defaultdict(dict)
        for run in list(self._runs.values()):
            server = run.live.plan.server_id
            if item := run.live.take_unsent():
                ops[server][run.live.turn_id] = self._ops_item(run.live, item)
            if with_cards and (card := self._card_if_new(run, loop_time)):
                cards[server].append(card)
        for server in cards.keys() | ops.keys():
            await self._send(server, cards[server], ops[server])

    async def _send(self, server: int, cards: list[dict[str, Any]], ops: dict[str, dict[str, Any]]) -> None:
        try:
            await self._feed.bundle(server, cards, ops)
        except Exception:
            log.exception("live frames of server %s were lost; viewers catch up from the record", server)

    def _ops_item(self, turn: LiveTurn, item: dict[str, Any]) -> dict[str, Any]:
        return {"k": "chunks", "turn": turn.turn_id, "channel": turn.plan.channel_id, **item, "more": False}

    def _card_if_new(self, run: TurnRun, loop_time: float) -> dict[str, Any] | None:
        rate = self._rate(run.live, loop_time)
        live, clock = run.live, run.stream.clock
        state = (live.phase, live.seq, clock.name, rate, run.stream.alive_at, run.stop_reason)
        if self._sent.get(live.turn_id) == state:
            return None
        self._sent[live.turn_id] = state
        return self._card(run, rate, loop_time)

    def _card(self, run: TurnRun, rate: float, loop_time: float) -> dict[str, Any]:
        live, clock = run.live, run.stream.clock
        now_ms = _ms(self._now()) or 0
        return {
            "k": "card",
            "turn": live.turn_id,
            "channel": live.plan.channel_id,
            "phase": live.phase,
            "seq": live.seq,
            "chars": live.text_chars,
            "thoughts": live.thought_chars,
            "tokens": live.tokens,
            "rate": round(rate, 1),
            "started": _ms(live.plan.claimed_at),
            "progress": _ms(live.progress_at),
            "alive": _ms(run.stream.alive_at),
            "clock": {
                "name": clock.name,
                "limit": clock.limit.seconds,
                "since": now_ms - int((loop_time - clock.since) * 1000),
            },
            "tail": live.tail,
            "thinking": live.thinking,
            "tool": live.calls[-1].name if live.calls else "",
        }

    def _rate(self, turn: LiveTurn, loop_time: float) -> float:
        """Return smoothed tokens a second."""
        at, tokens, rate = self._rates.get(turn.turn_id, (loop_time, turn.tokens, 0.0))
        if loop_time - at < CARD_SECONDS / 2:
            self._rates.setdefault(turn.turn_id, (at, tokens, rate))
            return rate
        reading = max(0.0, (turn.tokens - tokens) / (loop_time - at))
        rate = RATE_WEIGHT * reading + (1 - RATE_WEIGHT) * rate
        rate = 0.0 if rate < 0.05 else rate
        self._rates[turn.turn_id] = (loop_time, turn.tokens, rate)
        return rate


def _ms(at: datetime | None) -> int | None:
    return int(at.timestamp() * 1000) if at else None
