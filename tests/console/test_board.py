"""The wall at one moment, which is not quite one: turns go on while it is read."""

from datetime import timedelta

import pytest
from django.utils import timezone

from streamhub.console.board import Asked, board_of
from streamhub.turns import selectors
from streamhub.turns.models import Turn
from streamhub.turns.services import kill_server
from streamhub.turns.state import EndReason, Status
from tests.builders import make_channel, make_server, make_turn

pytestmark = pytest.mark.django_db


def test_a_turn_that_ends_while_the_wall_is_read_has_one_card(monkeypatch):
    now = timezone.now()
    turn = make_turn(channel=make_channel(), status=Status.RUNNING, claimed_at=now, created_at=now)
    read_ended = selectors.recently_ended

    def end_first(servers, at):
        over = {"status": Status.COMPLETED, "lease_expires_at": None, "ended_at": at - timedelta(seconds=1)}
        Turn.objects.filter(pk=turn.pk).update(end_reason=EndReason.NATURAL, **over)
        return read_ended(servers, at)

    monkeypatch.setattr(selectors, "recently_ended", end_first)
    board = board_of([turn.server], Asked(), now, None)
    cards = [*board.needs_you, *board.running, *board.feed]
    assert [card.turn.status for card in cards] == [Status.COMPLETED]


def test_kill_all_counts_what_it_ends_and_no_turn_that_waits_for_its_client():
    now = timezone.now()
    server = make_server()
    for status in (Status.RUNNING, Status.QUEUED, Status.QUEUED, Status.TOOL_CALLS):
        make_turn(channel=make_channel(server=server), status=status, created_at=now)
    asked = make_channel(server=server)
    make_turn(channel=asked, status=Status.RUNNING, created_at=now, kill_requested_at=now)
    make_turn(channel=asked, status=Status.QUEUED, created_at=now)
    counted = board_of([server], Asked(), now, None).killable
    assert counted == kill_server(server, actor=None) == 4
