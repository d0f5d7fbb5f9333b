"""A running engine on real sockets: the simulator as its upstream, the test database as its record."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections

from providers.simulator.connections import Connection
from providers.simulator.server import Simulator
from streamhub.servers.models import Channel
from streamhub.turns import services
from streamhub.turns.engine_service import EngineService
from streamhub.turns.models import Turn, TurnChunk
from streamhub.turns.state import TERMINAL
from tests.builders import make_channel, make_endpoint, make_model, make_server

WAIT_SECONDS = 20.0


class Stage:
    """A server with one model a script, and verbs to start turns and wait for what becomes of them."""

    def __init__(self, simulator: Simulator, service: EngineService) -> None:
        self.simulator = simulator
        self.service = service
        self.endpoint: Any = None
        self.server: Any = None

    def set_up(self, **server_fields: Any) -> None:
        self.endpoint = make_endpoint(base_url=self.simulator.url)
        self.server = make_server(**server_fields)

    async def channel(self) -> Channel:
        return await sync_to_async(make_channel)(server=self.server)

    async def start(self, script: str, *, channel: Channel | None = None, **fields: Any) -> Turn:
        """Queue a turn that the simulator answers with `script`."""
        channel = channel or await self.channel()
        return await sync_to_async(self._start)(script, channel, fields)

    def _start(self, script: str, channel: Channel, fields: dict[str, Any]) -> Turn:
        known = self.endpoint.models.filter(model_id=script).first()
        model = known or make_model(endpoint=self.endpoint, model_id=script)
        return services.start_turn(channel=channel, text="Where is the ferry?", model=model, **fields)

    async def kill(self, turn: Turn) -> services.KillOutcome:
        return await sync_to_async(services.request_kill)(turn.pk, actor=None)

    async def reload(self, turn: Turn) -> Turn:
        return await Turn.objects.aget(pk=turn.pk)

    async def until(self, turn: Turn, is_there: Callable[[Turn], bool]) -> Turn:
        """Return the turn's row as soon as it is as asked."""

        async def look() -> Turn | None:
            row = await self.reload(turn)
            return row if is_there(row) else None

        return await eventually(look)

    async def ended(self, turn: Turn) -> Turn:
        return await self.until(turn, lambda row: row.status in TERMINAL)

    async def in_phase(self, turn: Turn, phase: str) -> Turn:
        return await self.until(turn, lambda row: row.phase == phase)

    async def connection(self, script: str, state: str | None = None) -> Connection:
        """Return the simulator's view of the connection that got `script`, once it is in `state`."""

        async def look() -> Connection | None:
            for entry in self.simulator.connections:
                if entry.model == script and state in (None, entry.state):
                    return entry
            return None

        return await eventually(look)

    async def text(self, turn: Turn) -> str:
        return await sync_to_async(recorded_text)(turn.pk)


def recorded_text(turn_id: UUID) -> str:
    """Return the visible text on record; the spans must be without gap or repeat."""
    text, expected = "", 1
    for span in TurnChunk.objects.filter(turn_id=turn_id).order_by("first_seq"):
        assert span.first_seq == expected
        assert [seq for seq, _ in span.chunks] == list(range(span.first_seq, span.last_seq + 1))
        expected = span.last_seq + 1
        text += "".join(chunk.get("content", "") for _, chunk in span.chunks)
    return text


async def eventually[T](look: Callable[[], Awaitable[T | None]], seconds: float = WAIT_SECONDS) -> T:
    """Return the first thing that `look` finds; it fails when nothing comes."""
    async with asyncio.timeout(seconds):
        while (found := await look()) is None:
            await asyncio.sleep(0.01)
    return found


@pytest.fixture
async def stage(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """An engine that is looking for work."""
    monkeypatch.setattr(settings, "STREAM_ABANDONED_SETTLE_TIMEOUT_MS", 500)
    async with Simulator() as simulator:
        service = EngineService()
        stage = Stage(simulator, service)
        await sync_to_async(stage.set_up)()
        await service.start()
        yield stage
        await service.drain(0)
    await sync_to_async(connections.close_all)()
