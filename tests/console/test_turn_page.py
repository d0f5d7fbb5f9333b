"""The page of a turn: how it ended in a sentence, where the time went, what came and what was taken out."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from providers.chunks import ProcessedChunk, ThoughtLogEntry
from streamhub.console.timeline import stretches_of
from streamhub.turns.models import ThoughtLog, Turn
from streamhub.turns.state import EndReason, Status
from tests.builders import make_channel, make_turn
from tests.support.records import attempt, record, say

pytestmark = pytest.mark.django_db


def ended(status: Status, *, took: float = 80, **fields) -> Turn:
    now = timezone.now()
    began = now - timedelta(seconds=took)
    return make_turn(status=status, **{"created_at": began, "claimed_at": began, "ended_at": now} | fields)


def test_a_turn_asks_for_a_login_rights_and_a_get(client, page, stranger):
    address = make_turn().get_absolute_url()
    assert client.__class__().get(address).status_code == 302
    assert stranger.get(address).status_code == 404
    assert page.post(address).status_code == 405
    assert page.get("/turns/00000000-0000-4000-8000-000000000000/").status_code == 404


@pytest.mark.parametrize(
    ("status", "fields", "sentence"),
    [
        (Status.COMPLETED, {"finish_reason": "stop"}, "Completed in 1:20"),
        (Status.COMPLETED, {"stop_string": "<|user|>"}, "It ended on the stop string “&lt;|user|&gt;”."),
        (Status.COMPLETED, {"finish_reason": "length"}, "The model reached its output limit."),
        (Status.KILLED, {"kill_reason": "talks in circles"}, "Killed by nina after 1:20"),
        (Status.KILLED, {"claimed_at": None}, "It was still queued and never connected."),
        (
            Status.KILLED,
            {"end_reason": EndReason.CLIENT_GONE, "kill_requested_at": None},
            "its client went away",
        ),
        (
            Status.TIMED_OUT,
            {"end_reason": EndReason.FIRST_TOKEN_CLOCK, "clocks": {"first_token": 300.0}},
            "the first-token clock fired at 300 s",
        ),
        (
            Status.TIMED_OUT,
            {"end_reason": EndReason.IDLE_CLOCK, "clocks": {"idle": 30}},
            "Change the limit with STREAM_SDK_CALL_TIMEOUT_MS",
        ),
        (Status.LOST, {"worker_id": "worker-2"}, "Lost after 1:20: worker-2 went away"),
        (Status.FAILED, {"error_code": "insufficient_quota"}, "Failed after 1:20: insufficient_quota"),
    ],
)
def test_how_it_ended_is_said_in_a_sentence(page, status, fields, sentence):
    assert sentence in page.get(ended(status, **fields).get_absolute_url()).text


@pytest.mark.parametrize(
    ("turn", "sentence"),
    [
        ({}, "Waits in its channel&#x27;s queue"),
        ({"status": Status.RUNNING}, "Runs now"),
        ({"status": Status.TOOL_CALLS}, "Waits for the client&#x27;s tool results"),
    ],
)
def test_a_turn_that_is_not_over_says_where_it_is(page, turn, sentence):
    shown = make_turn(**turn)
    html = page.get(shown.get_absolute_url()).text
    assert sentence in html
    assert ("data-kill" in html) == shown.is_killable


def test_the_plot_is_to_scale_and_its_table_has_the_same_numbers(page):
    turn = ended(Status.KILLED, took=60)
    attempt(turn, ended_at=turn.ended_at, outcome="killed", upstream_closed_ms=100)
    html = page.get(turn.get_absolute_url()).text
    assert html.count('class="seg-text" x=') == 2  # the legend's and the bar
    for seconds in ("0.40", "1.60", "3.00", "55.00", "0.10"):
        assert f'<td class="num">{seconds}</td>' in html
    assert "Attempt 1: 0.4 s connect, 1.6 s first token, 3.0 s thinking" in html


def test_a_quiet_end_is_its_own_stretch():
    turn = ended(Status.TIMED_OUT, took=60)
    now = turn.ended_at or timezone.now()
    turn.progress_at = now - timedelta(seconds=30)
    entry = attempt(turn, ended_at=now, outcome="timeout")
    kinds = {piece.kind: round(piece.seconds) for piece in stretches_of(entry, turn, now)}
    assert kinds == {"connect": 0, "wait": 2, "think": 3, "text": 25, "stall": 30}


def test_a_turn_without_thoughts_spends_no_time_thinking():
    turn = ended(Status.COMPLETED, took=60)
    first = turn.created_at + timedelta(seconds=2)
    entry = attempt(
        turn, first_token_at=first, first_text_at=first, ended_at=turn.ended_at, outcome="completed"
    )
    assert "think" not in {piece.kind for piece in stretches_of(entry, turn, timezone.now())}


def test_a_turn_that_never_connected_has_no_plot(page):
    html = page.get(ended(Status.KILLED, claimed_at=None).get_absolute_url()).text
    assert "the turn ended before it connected" in html


def test_the_thought_log_names_who_served_it(page):
    turn = ended(Status.COMPLETED, serving_provider="minimax-cn")
    attempt(turn, ended_at=turn.ended_at, outcome="completed")
    ThoughtLog.objects.create(turn=turn, summary="Weighs two answers.", raw="Hm.")
    html = page.get(turn.get_absolute_url()).text
    assert "Provider: openrouter via minimax-cn" in html
    assert "Weighs two answers." in html
    assert "Hm." in html


def test_chunks_of_one_kind_are_folded_into_phrases(page):
    turn = ended(Status.COMPLETED)
    thought = ProcessedChunk(type="text", thoughts=(ThoughtLogEntry(kind="raw", content="hm "),))
    record(turn, [thought, thought, say("She "), say("wipes "), say("it.")])
    html = page.get(turn.get_absolute_url()).text
    assert "1\N{EN DASH}2" in html
    assert "3\N{EN DASH}5" in html
    assert '<code class="chunk">She wipes it.</code>' in html


def test_chunks_come_in_pages_and_a_strange_page_is_the_first(page, monkeypatch):
    monkeypatch.setattr("streamhub.console.views.turn.OPS_A_PAGE", 3)
    turn = ended(Status.COMPLETED)
    record(turn, [say(f"w{number} ") for number in range(1, 8)])
    first = page.get(turn.get_absolute_url()).text
    assert "After 3" in first
    assert '<code class="chunk">w1 w2 w3 </code>' in first
    last = page.get(f"{turn.get_absolute_url()}?after=6").text
    assert '<code class="chunk">w7 </code>' in last
    assert "From the beginning" in last
    assert page.get(f"{turn.get_absolute_url()}?after=-1x").text.count("w1 w2 w3") == first.count("w1 w2 w3")


def test_usage_that_nobody_reported_is_unknown_and_not_zero(page):
    turn = ended(Status.COMPLETED)
    attempt(turn, ended_at=turn.ended_at, outcome="completed", usage={"input_tokens": 0, "output_tokens": 58})
    html = page.get(turn.get_absolute_url()).text
    assert '<td class="num">0</td>' in html
    assert '<td class="num">58</td>' in html
    assert html.count('<td class="num">unknown</td>') == 2


def test_a_long_turn_costs_a_fixed_number_of_queries(page, django_assert_max_num_queries):
    turn = ended(Status.COMPLETED)
    attempt(turn, ended_at=turn.ended_at, outcome="completed")
    record(turn, [say("word ")] * 600)
    make_turn(channel=make_channel())
    with django_assert_max_num_queries(12):
        page.get(turn.get_absolute_url())


def test_of_a_very_long_thought_log_the_beginning_is_shown_and_said_to_be_one(page, monkeypatch):
    monkeypatch.setattr("streamhub.console.views.turn.TEXT_CHARS", 100)
    turn = ended(Status.COMPLETED)
    log = ThoughtLog.objects.create(turn=turn, summary="Short.", raw="m" * 100)
    assert "Only the beginning" not in page.get(turn.get_absolute_url()).text
    log.raw = "m" * 5_000
    log.save()
    html = page.get(turn.get_absolute_url()).text
    assert "Only the beginning" in html
    assert "m" * 100 in html
    assert "m" * 101 not in html


@pytest.mark.parametrize(
    ("row", "stretches"),
    [
        ({"phase": "connecting"}, {"connect": 60}),
        ({"phase": "waiting"}, {"wait": 60}),
        ({"phase": "speaking", "begun": 50, "quiet": 20}, {"wait": 10, "text": 30, "stall": 20}),
        ({"phase": "thinking", "begun": 50, "quiet": 1}, {"wait": 10, "think": 50}),
    ],
)
def test_the_bar_of_a_running_attempt_says_what_is_known_so_far(row, stretches):
    now = timezone.now()
    began = now - timedelta(seconds=60)
    marks: dict[str, Any] = {
        "first_token_at": now - timedelta(seconds=row["begun"]) if "begun" in row else None,
        "progress_at": now - timedelta(seconds=row["quiet"]) if "quiet" in row else None,
    }
    turn = make_turn(status=Status.RUNNING, phase=row["phase"], claimed_at=began, created_at=began, **marks)
    entry = attempt(turn, started_at=began, headers_at=None, first_token_at=None, first_text_at=None)
    assert {piece.kind: round(piece.seconds) for piece in stretches_of(entry, turn, now)} == stretches


def test_the_page_of_a_stalled_turn_says_so(page):
    now = timezone.now()
    times: dict[str, Any] = {
        "claimed_at": now - timedelta(seconds=60),
        "progress_at": now - timedelta(seconds=40),
    }
    turn = make_turn(status=Status.RUNNING, phase="speaking", **times)
    assert "Runs now: stalled for 40 s" in page.get(turn.get_absolute_url()).text
