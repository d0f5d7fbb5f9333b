"""A kill in every phase, seen from both ends: the row and the simulator's socket."""

import asyncio
import random
import socket

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings

from streamhub.audit.models import AuditEntry
from streamhub.turns import local, services
from streamhub.turns.models import Turn
from streamhub.turns.state import EndReason, Status
from tests.builders import make_turn

PHASES = [
    ("hold", "connecting"),
    ("silent", "waiting"),
    ("keepalive:interval=0.05", "waiting"),
    ("think:pace=20,think_length=4000", "thinking"),
    ("talk:pace=50,length=20000", "speaking"),
    ("stall:after=40", "speaking"),
    ("trickle:interval=0.05", "speaking"),
]


@pytest.mark.parametrize(("script", "phase"), PHASES, ids=[case[0] for case in PHASES])
async def test_a_kill_ends_the_turn_and_closes_the_upstream_in_every_phase(stage, script, phase):
    turn = await stage.start(script)
    await stage.connection(script, "open")
    await stage.in_phase(turn, phase)
    outcome = await stage.kill(turn)
    assert outcome.accepted
    closed = await stage.connection(script, "closed_by_client")
    row = await stage.ended(turn)
    assert (row.status, row.end_reason) == (Status.KILLED, EndReason.USER_KILL)
    assert closed.closed_at >= row.kill_requested_at.timestamp() - 0.05
    assert row.text_chars == len(await stage.text(row))


async def test_a_killed_queued_turn_never_connects(stage):
    channel = await stage.channel()
    first = await stage.start("stall:after=20", channel=channel)
    second = await stage.start("talk:text=never", channel=channel)
    await stage.in_phase(first, "speaking")
    await stage.kill(second)
    assert (await stage.reload(second)).status == Status.KILLED
    await stage.kill(first)
    await stage.ended(first)
    await asyncio.sleep(0.2)
    assert not [entry for entry in stage.simulator.connections if entry.model == "talk:text=never"]


async def test_a_kill_while_the_connection_is_being_made_ends_the_turn(stage):
    """A listening socket whose backlog is full leaves a connection attempt hanging."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        fillers = [await _half_open(listener.getsockname()) for _ in range(4)]
        stage.endpoint.base_url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        await stage.endpoint.asave()
        turn = await stage.start("talk")
        await stage.in_phase(turn, "connecting")
        await stage.kill(turn)
        assert (await stage.ended(turn)).status == Status.KILLED
        for filler in fillers:
            filler.close()


async def _half_open(address) -> socket.socket:
    filler = socket.socket()
    filler.setblocking(False)
    filler.connect_ex(address)
    return filler


async def test_a_kill_while_settling_ends_the_turn_without_waiting(stage, monkeypatch):
    monkeypatch.setattr(settings, "STREAM_SDK_CALL_TIMEOUT_MS", 300)
    monkeypatch.setattr(settings, "STREAM_ABANDONED_SETTLE_TIMEOUT_MS", 60_000)
    release = asyncio.Event()

    async def slow_delivery(_turn) -> None:
        await release.wait()

    monkeypatch.setattr(stage.service.engine, "_settled", slow_delivery)
    turn = await stage.start("stall:after=20")
    await stage.in_phase(turn, "settling")
    assert (await stage.connection("stall:after=20", "closed_by_client")).closed_at
    await stage.kill(turn)
    assert (await stage.ended(turn)).status == Status.KILLED


async def test_a_second_kill_gets_the_same_answer_and_one_audit_row(stage):
    turn = await stage.start("stall:after=20")
    await stage.in_phase(turn, "speaking")
    first, second = await stage.kill(turn), await stage.kill(turn)
    await stage.ended(turn)
    third = await stage.kill(turn)
    assert [first.accepted, second.accepted, third.accepted] == [True] * 3
    assert first.turn.kill_requested_at == second.turn.kill_requested_at == third.turn.kill_requested_at
    assert await AuditEntry.objects.filter(action="killed").acount() == 1


async def test_kill_after_completion_leaves_completed(stage):
    turn = await stage.ended(await stage.start("talk:pace=500,length=50"))
    outcome = await stage.kill(turn)
    row = await stage.reload(turn)
    assert not outcome.accepted
    assert (row.status, row.kill_requested_at) == (Status.COMPLETED, None)


async def test_a_kill_that_races_the_natural_end_has_exactly_one_outcome(stage):
    generator = random.Random(20261130)
    seen = set()
    for _ in range(25):
        turn = await stage.start("talk:pace=1000,length=40,chars=4")
        await asyncio.sleep(generator.uniform(0.0, 0.12))
        outcome = await stage.kill(turn)
        row = await stage.ended(turn)
        seen.add(row.status)
        assert (row.status == Status.KILLED) is outcome.accepted
        assert (row.kill_requested_at is not None) is outcome.accepted
    assert seen <= {Status.KILLED, Status.COMPLETED}


async def test_a_kill_whose_signal_is_lost_is_found_by_the_heartbeat(stage, monkeypatch):
    monkeypatch.setattr(local, "kill", lambda *_: True)
    turn = await stage.start("stall:after=20")
    await stage.in_phase(turn, "speaking")
    await stage.kill(turn)
    assert (await stage.ended(turn)).status == Status.KILLED
    assert (await stage.connection("stall:after=20", "closed_by_client")).closed_at


async def test_killing_the_active_turn_lets_the_next_one_start(stage):
    channel = await stage.channel()
    first = await stage.start("stall:after=20", channel=channel)
    second = await stage.start("talk:pace=400,length=50", channel=channel)
    await stage.in_phase(first, "speaking")
    await stage.kill(first)
    assert (await stage.ended(second)).status == Status.COMPLETED


async def test_killing_a_channel_with_its_queue_starts_nothing(stage):
    channel = await stage.channel()
    turns = [await stage.start("stall:after=20", channel=channel) for _ in range(3)]
    await stage.in_phase(turns[0], "speaking")
    killed = await sync_to_async(services.kill_channel)(channel, actor=None)
    rows = [await stage.ended(turn) for turn in turns]
    assert killed == 3
    assert {row.status for row in rows} == {Status.KILLED}
    assert len(stage.simulator.connections) == 1


async def test_killing_a_server_leaves_other_servers_alone(stage):
    other_server = stage.server
    other = await stage.start("stall:after=20")
    await sync_to_async(stage.set_up)()
    mine = [await stage.start("stall:after=30") for _ in range(3)]
    for turn in [other, *mine]:
        await stage.in_phase(turn, "speaking")
    assert await sync_to_async(services.kill_server)(stage.server, actor=None) == 3
    assert {(await stage.ended(turn)).status for turn in mine} == {Status.KILLED}
    assert (await stage.reload(other)).status == Status.RUNNING
    await sync_to_async(services.kill_server)(other_server, actor=None)


async def test_a_hundred_kills_leave_no_open_socket_and_no_task(stage):
    turns = [await stage.start("silent") for _ in range(100)]
    for turn in turns:
        await stage.in_phase(turn, "waiting")
    for turn in turns:
        await stage.kill(turn)
    assert {(await stage.ended(turn)).status for turn in turns} == {Status.KILLED}
    assert not [entry for entry in stage.simulator.connections if entry.state == "open"]
    names = [task.get_name() for task in asyncio.all_tasks()]
    assert not [name for name in names if name.startswith(("turn ", "run "))]


@pytest.mark.django_db
def test_killing_a_turn_that_does_not_exist_is_an_error_of_its_own():
    turn = make_turn()
    turn_id = turn.pk
    turn.delete()
    with pytest.raises(Turn.DoesNotExist):
        services.request_kill(turn_id, actor=None)
