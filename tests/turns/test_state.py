"""The table of a turn's life: every pair of statuses, and what the row's constraints make of impossible ones."""

from itertools import product

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from streamhub.turns.models import Turn
from streamhub.turns.state import (
    KILLABLE,
    MOVES,
    STATUS_OF,
    TERMINAL,
    EndReason,
    IllegalMove,
    Status,
    check_move,
    sources_of,
)
from tests.builders import make_channel, make_turn

LEGAL = {(source, target) for source, targets in MOVES.items() for target in targets}


@pytest.mark.parametrize(("source", "target"), list(product(Status, Status)))
def test_only_moves_of_the_table_are_allowed(source, target):
    if (source, target) in LEGAL:
        check_move(source, target)
    else:
        with pytest.raises(IllegalMove):
            check_move(source, target)


def test_a_terminal_status_leads_nowhere():
    assert all(not MOVES[status] for status in TERMINAL)


def test_every_status_that_can_be_killed_may_become_killed():
    assert sources_of(Status.KILLED) == KILLABLE


def test_every_way_to_end_has_a_terminal_status_that_running_may_become():
    assert set(STATUS_OF) == set(EndReason)
    assert set(STATUS_OF.values()) <= MOVES[Status.RUNNING]


IMPOSSIBLE = {
    "an unknown status": {"status": "dreaming"},
    "running without a lease": {"status": Status.RUNNING, "worker_id": "w", "fencing_token": 1},
    "a lease while queued": {"lease_expires_at": timezone.now()},
    "ended without a time": {"status": Status.COMPLETED, "end_reason": EndReason.NATURAL},
    "ended without a reason": {"status": Status.FAILED, "ended_at": timezone.now()},
    "an end time while queued": {"ended_at": timezone.now()},
    "killed by nobody": {
        "status": Status.KILLED,
        "end_reason": EndReason.USER_KILL,
        "ended_at": timezone.now(),
    },
    "completed and killed": {
        "status": Status.COMPLETED,
        "end_reason": EndReason.NATURAL,
        "ended_at": timezone.now(),
        "kill_requested_at": timezone.now(),
    },
    "an unknown phase": {"phase": "humming"},
}


@pytest.mark.django_db
@pytest.mark.parametrize("change", IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_the_database_refuses_an_impossible_turn(change):
    turn = make_turn()
    with pytest.raises(IntegrityError), transaction.atomic():
        Turn.objects.filter(pk=turn.pk).update(**change)


@pytest.mark.django_db
def test_the_database_refuses_a_second_running_turn_in_a_channel():
    channel = make_channel()
    make_turn(channel=channel, status=Status.RUNNING)
    with pytest.raises(IntegrityError), transaction.atomic():
        make_turn(channel=channel, status=Status.RUNNING)
