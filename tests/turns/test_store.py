"""The record's own rules: who may write a turn, which of two ends holds, and whose turn it is."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from providers.errors import ProviderError
from streamhub.turns import services, store
from streamhub.turns.database import DatabaseThreads
from streamhub.turns.engine.ports import Beat, TurnOutcome
from streamhub.turns.models import Attempt, Turn, TurnChunk
from streamhub.turns.rows import compact
from streamhub.turns.state import EndReason, Status
from streamhub.turns.store import TurnStore
from tests.builders import make_channel, make_model, make_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def record():
    return TurnStore(worker_id="worker-1", capacity=10, lease_seconds=15, threads=DatabaseThreads(1))


def outcome_of(turn, **fields) -> TurnOutcome:
    facts = {
        "turn_id": str(turn.pk),
        "server_id": turn.server_id,
        "fencing_token": 1,
        "status": Status.COMPLETED,
        "end_reason": EndReason.NATURAL,
        "attempt": {"outcome": "completed", "end_reason": EndReason.NATURAL, "ended_at": timezone.now()},
    }
    return TurnOutcome(**facts | fields)


def running(**fields) -> Turn:
    turn = make_turn(status=Status.RUNNING, **fields)
    Attempt.objects.create(
        turn=turn, number=1, model_label="m", endpoint_label="e", started_at=timezone.now()
    )
    return turn


def test_an_outcome_written_with_an_old_token_changes_nothing(record):
    turn = running(fencing_token=2)
    Attempt.objects.update(number=2)
    assert not record._finish(outcome_of(turn, chunks=((1, {"type": "text", "content": "late"}),)))
    turn.refresh_from_db()
    assert turn.status == Status.RUNNING
    assert not turn.spans.exists()


def test_a_tick_of_another_worker_records_nothing_and_learns_that_the_turn_is_not_its_own(record):
    turn = running(worker_id="worker-2")
    beat = Beat(turn_id=str(turn.pk), fencing_token=1, chunks=((1, {"type": "text", "content": "x"}),))
    answer = record._tick([beat])
    assert not answer.owned
    assert not turn.spans.exists()


def test_a_natural_end_after_a_kill_was_registered_is_a_kill_on_the_attempt_too(record):
    turn = running()
    services.request_kill(turn.pk, actor=None)
    assert record._finish(outcome_of(turn))
    turn.refresh_from_db()
    attempt = turn.attempts.get()
    assert (turn.status, turn.end_reason) == (Status.KILLED, EndReason.USER_KILL)
    assert (attempt.outcome, attempt.end_reason) == ("stopped_by_user", EndReason.USER_KILL)


def test_an_error_after_a_kill_was_registered_leaves_no_error_behind(record):
    turn = running()
    services.request_kill(turn.pk, actor=None)
    error = ProviderError(type="timeout", message="gone")
    record._finish(outcome_of(turn, status=Status.TIMED_OUT, end_reason=EndReason.IDLE_CLOCK, error=error))
    turn.refresh_from_db()
    assert (turn.status, turn.error_message) == (Status.KILLED, "")


def test_the_reaper_marks_a_turn_lost_only_after_its_lease():
    turn = running()
    assert store.reap(now=timezone.now()) == []
    assert store.reap(now=timezone.now() + timedelta(seconds=60)) == [(turn.server_id, turn.pk)]
    turn.refresh_from_db()
    assert (turn.status, turn.end_reason) == (Status.LOST, EndReason.STALE_LEASE)
    assert turn.attempts.get().outcome == "error"


def test_the_reaper_ends_a_killed_turn_of_a_dead_worker_as_killed():
    turn = running()
    services.request_kill(turn.pk, actor=None)
    store.reap(now=timezone.now() + timedelta(seconds=60))
    turn.refresh_from_db()
    assert (turn.status, turn.end_reason) == (Status.KILLED, EndReason.USER_KILL)


def test_a_long_queue_in_one_channel_hides_no_other_channel(record):
    crowded = make_channel()
    model = make_model(server=crowded.server)
    crowd = [make_turn(channel=crowded) for _ in range(30)]
    quiet = make_channel(server=crowded.server)
    alone = make_turn(channel=quiet)
    plans = record._claim(2)
    assert {plan.turn_id for plan in plans} == {str(crowd[0].pk), str(alone.pk)}
    assert {plan.model_label for plan in plans} == {str(model)}


def test_turns_claimed_before_the_database_went_away_are_run(record, monkeypatch):
    server = make_channel().server
    make_model(server=server)
    turns = [make_turn(channel=make_channel(server=server)) for _ in range(3)]
    claim_one, seen = record._claim_one, []

    def fails_at_the_second(turn_id):
        seen.append(turn_id)
        if len(seen) == 2:
            raise OperationalError("database is locked")
        return claim_one(turn_id)

    monkeypatch.setattr(record, "_claim_one", fails_at_the_second)
    assert [plan.turn_id for plan in record._claim(3)] == [str(turns[0].pk)]
    statuses = Turn.objects.order_by("created_at").values_list("status", flat=True)
    assert list(statuses) == [Status.RUNNING, Status.QUEUED, Status.QUEUED]


def test_compacting_keeps_every_chunk_in_order_in_fewer_rows():
    turn = make_turn(status=Status.COMPLETED)
    for first in range(1, 5001, 10):
        chunks = [[seq, {"type": "text", "content": f"{seq} "}] for seq in range(first, first + 10)]
        TurnChunk.objects.create(
            turn=turn, first_seq=first, last_seq=first + 9, chunks=chunks, at=timezone.now()
        )
    compact(turn.pk)
    spans = list(turn.spans.order_by("first_seq"))
    assert [(span.first_seq, span.last_seq) for span in spans] == [(1, 2000), (2001, 4000), (4001, 5000)]
    assert [seq for span in spans for seq, _ in span.chunks] == list(range(1, 5001))


def test_a_kill_with_control_characters_in_its_reason_still_kills():
    turn = running()
    services.request_kill(turn.pk, actor=None, reason="stuck\x00\x1b[31m" + "x" * 500)
    turn.refresh_from_db()
    assert turn.kill_requested_at
    assert turn.kill_reason.startswith("stuck  [31mxxx")


def test_killing_a_server_ends_queued_turns_and_asks_running_ones_in_one_go():
    channel = make_channel()
    busy, waiting = running(channel=channel), make_turn(channel=channel)
    assert services.kill_server(channel.server, actor=None) == 2
    assert services.kill_server(channel.server, actor=None) == 0
    busy.refresh_from_db()
    waiting.refresh_from_db()
    assert (busy.status, waiting.status) == (Status.RUNNING, Status.KILLED)
    assert busy.is_stopping
