"""Which clock fires, and what the error says about it."""

import pytest
from django.conf import settings

from streamhub.turns.state import EndReason, Status

SILENCE = [
    ("hold", EndReason.FIRST_TOKEN_CLOCK, "first-token", "STREAM_FIRST_TOKEN_TIMEOUT_MS"),
    ("silent", EndReason.FIRST_TOKEN_CLOCK, "first-token", "STREAM_FIRST_TOKEN_TIMEOUT_MS"),
    ("keepalive:interval=0.05", EndReason.FIRST_TOKEN_CLOCK, "first-token", "STREAM_FIRST_TOKEN_TIMEOUT_MS"),
    ("stall:after=20", EndReason.IDLE_CLOCK, "idle", "STREAM_SDK_CALL_TIMEOUT_MS"),
    ("trickle:interval=0.1", EndReason.TOTAL_CLOCK, "total", "STREAM_TOTAL_TIMEOUT_MS"),
]


@pytest.fixture
def short_clocks(monkeypatch):
    monkeypatch.setattr(settings, "STREAM_FIRST_TOKEN_TIMEOUT_MS", 400)
    monkeypatch.setattr(settings, "STREAM_SDK_CALL_TIMEOUT_MS", 600)
    monkeypatch.setattr(settings, "STREAM_TOTAL_TIMEOUT_MS", 2_000)


@pytest.mark.parametrize(("script", "reason", "name", "setting"), SILENCE, ids=[case[0] for case in SILENCE])
async def test_the_right_clock_fires_and_names_itself_its_value_and_its_setting(
    stage, short_clocks, script, reason, name, setting
):
    turn = await stage.ended(await stage.start(script))
    assert (turn.status, turn.end_reason, turn.error_type) == (Status.TIMED_OUT, reason, "timeout")
    seconds = getattr(settings, setting) / 1000
    assert f"The {name} clock fired" in turn.error_message
    assert f"{seconds:g} s" in turn.error_message
    assert setting in turn.error_message
    assert (await stage.connection(script, "closed_by_client")).closed_at


async def test_thinking_keeps_the_idle_clock_from_firing(stage, short_clocks, monkeypatch):
    monkeypatch.setattr(settings, "STREAM_TOTAL_TIMEOUT_MS", 0)
    turn = await stage.ended(await stage.start("think:pace=8,length=40,think_length=60,chars=6"))
    assert turn.status == Status.COMPLETED


async def test_a_servers_own_clock_wins_and_is_named(stage):
    stage.server.idle_seconds = 1
    await stage.server.asave()
    turn = await stage.ended(await stage.start("stall:after=20"))
    assert f"server {stage.server.name}" in turn.error_message


async def test_text_before_a_time_out_is_kept_and_settled(stage, short_clocks):
    turn = await stage.ended(await stage.start("stall:after=60"))
    assert turn.text_chars == len(await stage.text(turn)) >= 50
