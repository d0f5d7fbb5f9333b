"""Turns from queue to outcome, on real sockets against the simulator."""

import asyncio
import itertools
from dataclasses import replace

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings

from providers.serialization import chunk_to_dict
from streamhub.turns import local
from streamhub.turns.models import Attempt, ThoughtLog, Turn
from streamhub.turns.state import EndReason, Status
from tests.builders import make_key, make_model, make_server, make_turn
from tests.turns.conftest import eventually

LORE_TOOL = {
    "type": "function",
    "function": {
        "name": "look_up_lore",
        "description": "Look something up.",
        "parameters": {
            "type": "object",
            "properties": {"topic": {"type": "string"}},
            "required": ["topic"],
        },
    },
}


async def test_a_turn_completes_and_its_text_is_on_record_chunk_by_chunk(stage):
    turn = await stage.ended(await stage.start("talk:pace=400,length=600,chars=5"))
    text = await stage.text(turn)
    assert (turn.status, turn.end_reason, turn.finish_reason) == (Status.COMPLETED, EndReason.NATURAL, "stop")
    assert turn.text_chars == len(text) >= 500
    assert text.endswith(turn.tail)
    assert turn.last_seq > 20
    assert turn.lease_expires_at is None


async def test_the_attempt_tells_when_what_happened(stage):
    turn = await stage.ended(await stage.start("think:pace=400,length=200"))
    attempt = await Attempt.objects.aget(turn=turn)
    assert (
        attempt.started_at
        <= attempt.headers_at
        <= attempt.first_token_at
        <= attempt.first_text_at
        <= attempt.ended_at
    )
    assert (attempt.outcome, attempt.http_status) == ("completed", 200)


async def test_reasoning_goes_to_the_thought_log_and_never_into_the_text(stage):
    turn = await stage.ended(await stage.start("think:pace=800,length=200"))
    log = await ThoughtLog.objects.aget(turn=turn)
    assert log.raw
    assert log.raw not in await stage.text(turn)
    assert turn.thought_chars == len(log.raw)


async def test_leaked_think_tags_are_moved_to_the_thought_log_with_the_firing_kept(stage):
    turn = await stage.ended(await stage.start("leaked:pace=800"))
    log = await ThoughtLog.objects.aget(turn=turn)
    text = await stage.text(turn)
    assert "<think" not in text
    assert "</think" not in text
    assert text
    assert log.raw
    assert {firing["guard"] for firing in log.firings} == {"think_tags"}


@pytest.mark.parametrize("is_on", [True, False])
async def test_a_call_written_as_text_is_a_call_only_while_the_switch_is_on(stage, is_on):
    stage.server = await sync_to_async(make_server)(
        capabilities={"verbatim_tool_calling": is_on}, tools=[LORE_TOOL]
    )
    turn = await stage.ended(await stage.start("verbatim:pace=800"))
    text = await stage.text(turn)
    attempt = await Attempt.objects.aget(turn=turn)
    assert ("look_up_lore(" in text) is not is_on
    assert (attempt.outcome == "function_call") is is_on
    assert turn.status == Status.COMPLETED


async def test_a_model_is_offered_no_tool_while_tool_use_is_off(stage):
    stage.server = await sync_to_async(make_server)(capabilities={"tool_use": False}, tools=[LORE_TOOL])
    turn = await stage.ended(await stage.start("verbatim:pace=800,name=look_up_lore"))
    assert "look_up_lore(" in await stage.text(turn)


async def test_one_turn_runs_in_a_channel_and_the_others_follow_in_order(stage):
    channel = await stage.channel()
    turns = [await stage.start("talk:pace=400,length=60", channel=channel) for _ in range(4)]
    ended = [await stage.ended(turn) for turn in turns]
    assert [row.status for row in ended] == [Status.COMPLETED] * 4
    starts = [row.claimed_at for row in ended]
    assert starts == sorted(starts)
    assert all(later.claimed_at >= earlier.ended_at for earlier, later in itertools.pairwise(ended))


async def test_a_wake_up_sent_three_times_runs_the_turn_once(stage):
    turn = await stage.start("talk:pace=400,length=100")
    for _ in range(3):
        local.wake()
    row = await stage.ended(turn)
    assert row.fencing_token == 1
    assert len([c for c in stage.simulator.connections if c.model.startswith("talk")]) == 1


FAILURES = [
    ("http_error:status=401", "api_error", "invalid_api_key"),
    ("http_error:status=429,retry_after=7", "rate_limit", "rate_limit_exceeded"),
    ("http_error:status=503", "provider_overloaded", "overloaded"),
    ("in_band_error", None, None),
    ("reset:after=40", None, None),
    ("eof:after=40", "incomplete", None),
]


@pytest.mark.parametrize(("script", "error_type", "code"), FAILURES, ids=[case[0] for case in FAILURES])
async def test_a_provider_failure_fails_the_turn_with_what_the_provider_said(stage, script, error_type, code):
    turn = await stage.ended(await stage.start(script))
    assert (turn.status, turn.end_reason) == (Status.FAILED, EndReason.PROVIDER_ERROR)
    assert turn.error_message
    assert error_type in (None, turn.error_type)
    assert code in (None, turn.error_code)


async def test_text_before_a_broken_connection_is_kept(stage):
    turn = await stage.ended(await stage.start("reset:after=40"))
    assert len(await stage.text(turn)) >= 30


async def test_a_cut_call_is_never_handed_out_as_complete(stage):
    turn = await stage.ended(await stage.start("cut_call", extra={"tools": [LORE_TOOL]}))
    recorded = [chunk async for span in turn.spans.values_list("chunks", flat=True) for _, chunk in span]
    calls = [chunk["function_call"] for chunk in recorded if chunk["type"] == "function_call"]
    assert all(call.get("args_truncated") for call in calls)


async def test_an_unreachable_provider_fails_the_turn_and_says_so(stage):
    stage.endpoint.base_url = "http://127.0.0.1:9/v1"
    await stage.endpoint.asave()
    turn = await stage.ended(await stage.start("talk"))
    assert turn.status == Status.FAILED
    assert turn.error_message


async def test_a_server_without_a_model_fails_the_turn_with_what_to_do(stage):
    channel = await stage.channel()
    turn = await sync_to_async(make_turn)(channel=channel)
    stage.service.engine.wake()
    row = await stage.ended(turn)
    assert row.error_code == "no_model"
    assert "Choose one" in row.error_message


async def test_a_stream_longer_than_the_cap_is_ended_and_says_which_setting(stage, monkeypatch):
    monkeypatch.setattr(settings, "STREAM_MAX_OUTPUT_BYTES", 2_000)
    turn = await stage.ended(await stage.start("burst:n=2000"))
    assert (turn.status, turn.end_reason) == (Status.FAILED, EndReason.OUTPUT_CAP)
    assert "STREAM_MAX_OUTPUT_BYTES" in turn.error_message


async def test_two_hundred_turns_at_once_all_complete(stage):
    turns = [await stage.start("talk:pace=100,length=120,chars=10") for _ in range(200)]

    async def all_done() -> bool | None:
        return not await Turn.objects.filter(status__in=[Status.QUEUED, Status.RUNNING]).aexists() or None

    await eventually(all_done, seconds=45)
    rows = [await stage.reload(turn) for turn in turns]
    assert {row.status for row in rows} == {Status.COMPLETED}
    assert stage.service.engine.live == 0


async def test_draining_ends_a_running_turn_honestly_and_leaves_the_queue_alone(stage):
    channel = await stage.channel()
    running = await stage.start("stall:after=20", channel=channel)
    waiting = await stage.start("talk", channel=channel)
    await stage.in_phase(running, "speaking")
    drain = asyncio.create_task(stage.service.engine.drain(0.1))
    ended = await stage.ended(running)
    await drain
    assert (ended.status, ended.end_reason, ended.error_code) == (
        Status.FAILED,
        EndReason.SHUTDOWN,
        "shutdown",
    )
    assert len(await stage.text(ended)) >= 15
    assert (await stage.reload(waiting)).status == Status.QUEUED
    assert (await stage.connection("stall:after=20", "closed_by_client")).closed_at


KEY_ENDS = [
    ("talk:pace=800,length=40", 0),
    ("http_error:status=401", 1),
    ("http_error:status=503", 0),
    ("http_error:status=429,retry_after=7", 1),
    ("eof:after=40", 0),
]


@pytest.mark.parametrize(("script", "errors"), KEY_ENDS, ids=[case[0] for case in KEY_ENDS])
async def test_only_failures_of_the_key_itself_count_against_it(stage, script, errors):
    key = await sync_to_async(make_key)(endpoint=stage.endpoint)
    await stage.ended(await stage.start(script))
    await key.arefresh_from_db()
    assert (key.usage_count, key.error_count) == (1, errors)
    assert bool(key.last_error_message) is bool(errors)


async def test_a_turn_that_cannot_be_prepared_fails_alone(stage):
    channel = await stage.channel()
    broken = await sync_to_async(make_turn)(
        channel=channel, request={"messages": [{"role": "user", "content": 7}]}
    )
    model = await sync_to_async(make_model)(
        endpoint=stage.endpoint, model_id="talk:pace=800,length=40", server=stage.server
    )
    after = await stage.start(model.model_id, channel=channel)
    assert (await stage.ended(broken)).error_code == "bad_request"
    assert (await stage.ended(after)).status == Status.COMPLETED


async def test_a_turn_that_cannot_be_recorded_fails_alone_and_says_so(stage, monkeypatch):
    """Whatever gets past the adapters one day: NaN is no JSON, and every database refuses it."""
    to_dict = chunk_to_dict

    def spoiled(chunk):
        return to_dict(chunk) | ({"spoiled": float("nan")} if "spoil" in chunk.content else {})

    monkeypatch.setattr("streamhub.turns.engine.live_turn.chunk_to_dict", spoiled)
    others = [await stage.start("talk:pace=200,length=400") for _ in range(3)]
    spoilers = [await stage.start(f"talk:pace=20,chars=50,text=spoil%20,length={n}") for n in (4000, 40)]
    rows = [await stage.ended(turn) for turn in (*others, *spoilers)]
    assert [(row.status, row.error_code) for row in rows[3:]] == [(Status.FAILED, "unrecordable")] * 2
    assert {row.status for row in rows[:3]} == {Status.COMPLETED}
    assert all([await stage.text(row) for row in rows[:3]])


async def test_turns_that_are_being_claimed_while_the_engine_drains_end_honestly(stage, monkeypatch):
    engine, claim = stage.service.engine, stage.service.engine._store.claim
    claiming, go_on = asyncio.Event(), asyncio.Event()

    async def slow_claim(limit):
        claiming.set()
        await go_on.wait()
        return await claim(limit)

    monkeypatch.setattr(engine._store, "claim", slow_claim)
    turn = await stage.start("stall:after=20")
    await claiming.wait()
    drain = asyncio.create_task(engine.drain(0.2))
    await asyncio.sleep(0.05)
    go_on.set()
    await drain
    assert (await stage.reload(turn)).end_reason == EndReason.SHUTDOWN


async def test_a_turn_whose_wake_up_was_lost_runs_all_the_same(stage):
    channel = await stage.channel()
    turn = await sync_to_async(make_turn)(channel=channel)
    row = await stage.ended(turn)
    assert row.error_code == "no_model"


async def test_a_record_that_hangs_longer_than_a_lease_ends_what_runs_here(stage, monkeypatch):
    turn = await stage.start("talk:pace=20,length=20000")
    await stage.in_phase(turn, "speaking")
    engine = stage.service.engine
    monkeypatch.setattr(engine, "_options", replace(engine._options, lease=0.5))
    with monkeypatch.context() as patch:
        patch.setattr(engine._store, "tick", lambda beats: asyncio.Event().wait())
        await stage.connection("talk:pace=20,length=20000", state="closed_by_client")
    assert (await stage.reload(turn)).status == Status.RUNNING  # the reaper's to end, not ours any more
