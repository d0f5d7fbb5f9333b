"""What pages and sockets read: one live turn a channel, the queue in order, chunks after a seq, all of it bounded."""

from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from providers.chunks import FunctionCall, GuardFiring, ProcessedChunk, ThoughtLogEntry
from streamhub.turns import selectors
from streamhub.turns.state import Status
from tests.builders import make_channel, make_server, make_turn
from tests.support.records import record, say

pytestmark = pytest.mark.django_db


def test_a_channel_is_on_the_wall_once_with_its_running_turn_and_the_number_behind_it():
    channel = make_channel()
    running = make_turn(channel=channel, status=Status.RUNNING)
    for _ in range(3):
        make_turn(channel=channel)
    (entry,) = selectors.live_turns([channel.server])
    assert (entry.turn, entry.waiting) == (running, 3)


def test_without_a_running_turn_the_head_of_the_queue_stands_for_the_channel():
    channel = make_channel()
    now = timezone.now()
    later = make_turn(channel=channel, created_at=now)
    first = make_turn(channel=channel, created_at=now - timedelta(seconds=5))
    (entry,) = selectors.live_turns([channel.server])
    assert (entry.turn, entry.waiting) == (first, 1)
    assert [turn for _, turn in selectors.queue_of(channel)] == [first, later]


def test_a_turn_that_waits_for_tool_results_shows_only_while_its_channel_is_at_rest():
    channel = make_channel()
    waits = make_turn(channel=channel, status=Status.TOOL_CALLS)
    assert [entry.turn for entry in selectors.live_turns([channel.server])] == [waits]
    runs = make_turn(channel=channel, status=Status.RUNNING)
    assert [entry.turn for entry in selectors.live_turns([channel.server])] == [runs]


def test_only_the_asked_servers_and_channels_are_read():
    mine, other = make_server(), make_server()
    turn = make_turn(channel=make_channel(server=mine), status=Status.RUNNING)
    make_turn(channel=make_channel(server=other), status=Status.RUNNING)
    aside = make_turn(channel=make_channel(server=mine), status=Status.RUNNING)
    assert {entry.turn for entry in selectors.live_turns([mine])} == {turn, aside}
    assert [entry.turn for entry in selectors.live_turns([mine], {turn.channel_id})] == [turn]
    assert selectors.live_turns([]) == []


def test_what_ended_comes_newest_first_and_not_from_before_yesterday():
    channel = make_channel()
    now = timezone.now()
    ages = {"new": 5, "older": 500, "old": 90_000}
    turns = {
        name: make_turn(channel=channel, status=Status.COMPLETED, ended_at=now - timedelta(seconds=age))
        for name, age in ages.items()
    }
    assert selectors.recently_ended([channel.server], now) == [turns["new"], turns["older"]]
    assert selectors.recently_ended([channel.server], now, limit=1) == [turns["new"]]


def test_the_current_turn_is_the_running_one_then_the_next_then_the_last():
    channel = make_channel()
    assert selectors.current_turn(channel) is None
    ended = make_turn(channel=channel, status=Status.COMPLETED)
    assert selectors.current_turn(channel) == ended
    queued = make_turn(channel=channel)
    assert selectors.current_turn(channel) == queued
    running = make_turn(channel=channel, status=Status.RUNNING)
    assert selectors.current_turn(channel) == running
    assert list(selectors.earlier_turns(channel)) == [ended]


def test_ops_after_a_seq_are_whole_chunks_and_say_whether_more_follow():
    turn = make_turn(status=Status.RUNNING)
    both = ProcessedChunk(
        type="text", content="b", thoughts=(ThoughtLogEntry(kind="raw", content="hm"),), firings=()
    )
    record(turn, [say("a"), both, say("c"), say("d")])
    answer = selectors.ops_after(turn.pk, 1, limit=1)
    assert (answer.first, answer.last, answer.more) == (2, 2, True)
    assert answer.ops == [[2, "r", "hm"], [2, "t", "b"]]
    rest = selectors.ops_after(turn.pk, 2, limit=100)
    assert (rest.first, rest.last, rest.more, [op[2] for op in rest.ops]) == (3, 4, False, ["c", "d"])


def test_an_empty_answer_leaves_the_viewer_where_it_was():
    turn = make_turn(status=Status.RUNNING)
    record(turn, [say("a")])
    answer = selectors.ops_after(turn.pk, 1, limit=10)
    assert (answer.first, answer.last, answer.ops, answer.more) == (2, 1, [], False)


def test_an_answer_is_bounded_by_characters_too():
    turn = make_turn(status=Status.RUNNING)
    record(turn, [say("x" * 100_000)] * 4)
    answer = selectors.ops_after(turn.pk, 0, limit=5_000)
    assert (answer.last, answer.more) == (2, True)


@given(
    texts=st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=5), max_size=12),
    span=st.integers(1, 5),
    limit=st.integers(1, 7),
)
def test_however_it_is_asked_for_the_text_is_whole(texts, span, limit):
    turn = make_turn(status=Status.RUNNING)
    record(turn, [say(text) for text in texts], span=span)
    seen, last, more = [], 0, True
    while more:
        answer = selectors.ops_after(turn.pk, last, limit)
        seen += [value for _, _, value in answer.ops]
        last, more = answer.last, answer.more
    assert seen == texts
    assert selectors.text_of(turn, 1_000) == "".join(texts)
    turn.channel.server.delete()


def test_a_transcript_keeps_text_reasoning_calls_and_firings_apart():
    turn = make_turn(status=Status.RUNNING)
    record(
        turn,
        [
            ProcessedChunk(
                type="text",
                thoughts=(
                    ThoughtLogEntry(kind="raw", content="hm"),
                    ThoughtLogEntry(kind="summary", content="Weighs."),
                ),
            ),
            ProcessedChunk(
                type="text", content="Hi", firings=(GuardFiring(guard="think_tags", text="</think>"),)
            ),
            ProcessedChunk(
                type="function_call", function_call=FunctionCall(name="look", args={"at": "it"}, id="1")
            ),
        ],
    )
    said = selectors.transcript_of(turn, 1_000)
    assert (said.text, said.raw_thoughts, said.summaries, said.last_seq) == ("Hi", "hm", "Weighs.", 3)
    assert [call["name"] for call in said.calls] == ["look"]
    assert said.firings == [{"guard": "think_tags", "text": "</think>", "seq": 2}]


def test_a_transcript_stops_at_its_limit_and_says_so():
    turn = make_turn(status=Status.RUNNING)
    record(turn, [say("x" * 400)] * 10, span=1)
    said = selectors.transcript_of(turn, 1_000)
    assert (said.is_cut, len(said.text), said.last_seq) == (True, 1_200, 3)
    whole = selectors.transcript_of(turn, 100_000)
    assert (whole.is_cut, len(whole.text)) == (False, 4_000)


def test_a_wall_of_fifty_channels_costs_a_fixed_number_of_queries(django_assert_max_num_queries):
    server = make_server()
    for _ in range(50):
        channel = make_channel(server=server)
        make_turn(channel=channel, status=Status.RUNNING)
        make_turn(channel=channel)
    with django_assert_max_num_queries(5):
        entries = selectors.live_turns([server])
        assert [list(entry.turn.attempts.all()) for entry in entries] == [[]] * 50
        assert {entry.turn.server for entry in entries} == {server}
