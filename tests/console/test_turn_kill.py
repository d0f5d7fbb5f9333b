"""Kill from the console: a POST form first, the same answer twice, and markup for scripts."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from streamhub.audit.models import AuditEntry
from streamhub.turns.models import Turn
from streamhub.turns.state import Status
from tests.builders import make_channel, make_server, make_turn

pytestmark = pytest.mark.django_db
SCRIPT = {"HX-Request": "true"}


def running() -> Turn:
    return make_turn(status=Status.RUNNING, phase="speaking")


def kill_address(turn: Turn) -> str:
    return reverse("turn-kill", args=[turn.pk])


def addresses() -> dict[str, str]:
    turn = running()
    return {
        "turn": kill_address(turn),
        "channel": reverse("channel-kill", args=[turn.channel_id]),
        "queue": reverse("channel-clear", args=[turn.channel_id]),
        "server": reverse("server-kill", args=[turn.server.slug]),
    }


@pytest.mark.parametrize("what", ["turn", "channel", "queue", "server"])
def test_a_kill_needs_a_login_rights_and_a_post(client, page, stranger, what):
    address = addresses()[what]
    assert client.__class__().post(address).status_code == 302
    assert page.get(address).status_code == 405
    assert stranger.post(address).status_code == 404
    assert not Turn.objects.exclude(kill_requested_at=None).exists()


@pytest.mark.parametrize(
    "address",
    [
        "/turns/00000000-0000-4000-8000-000000000000/kill/",
        "/channels/999/kill/",
        "/channels/999/clear/",
        "/servers/nowhere/kill/",
    ],
)
def test_what_is_not_there_is_a_404(page, address):
    assert page.post(address).status_code == 404


def test_a_post_without_the_token_is_refused(owner):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    assert strict.post(kill_address(running())).status_code == 403


def test_a_plain_form_goes_back_where_it_was_and_says_what_happens(page, owner):
    turn = running()
    back = "http://testserver/?show=attn"
    answer = page.post(kill_address(turn), {"reason": "talks in circles"}, headers={"Referer": back})
    assert (answer.status_code, answer.url) == (302, "/?show=attn")
    turn.refresh_from_db()
    assert (turn.kill_requested_by, turn.kill_reason) == (owner, "talks in circles")
    assert "stopping, the upstream connection is being closed" in page.get("/").text


@pytest.mark.parametrize(
    "referer", ["", "https://evil.example/?x=1", "//evil.example/", "javascript:alert(1)"]
)
def test_a_form_from_nowhere_goes_to_the_channel(page, referer):
    turn = running()
    answer = page.post(kill_address(turn), headers={"Referer": referer})
    assert answer.url == reverse("channel", args=[turn.channel_id])


def test_a_referer_on_this_site_never_leads_off_it(page):
    answer = page.post(kill_address(running()), headers={"Referer": "http://testserver//evil.example/"})
    assert answer.url == "/evil.example/"


def test_a_script_gets_the_card_which_says_stopping_and_not_killed(page):
    turn = running()
    answer = page.post(kill_address(turn), headers=SCRIPT)
    assert answer.status_code == 200
    assert 'data-phase="stopping"' in answer.text
    assert "Killed" not in answer.text
    assert f'id="turn-{turn.pk}"' in answer.text
    assert "<html" not in answer.text


def test_a_stopping_turn_shows_no_clock_that_would_end_it_but_how_long_ago_it_was_asked(page):
    asked = timezone.now() - timedelta(seconds=75)
    since: dict[str, Any] = {"claimed_at": asked, "progress_at": asked, "kill_requested_at": asked}
    make_turn(status=Status.RUNNING, phase="speaking", kill_requested_label="pako", **since)
    card = page.get("/").text.split('<article class="stream"')[1].split("</article>")[0]
    assert 'role="meter"' not in card
    assert "fires in" not in card
    assert "Asked to stop <b><span data-asked-ago>1:15</span></b> ago" in card
    assert "by pako" in card


def test_a_queued_turn_is_killed_at_once(page):
    turn = make_turn()
    answer = page.post(kill_address(turn), headers=SCRIPT)
    assert "Killed by you" in answer.text
    turn.refresh_from_db()
    assert turn.status == Status.KILLED


def test_a_second_kill_gets_the_same_answer(page):
    turn = running()
    answers = [page.post(kill_address(turn), headers=SCRIPT) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0]["HX-Trigger"] == answers[1]["HX-Trigger"]
    assert AuditEntry.objects.filter(action="killed").count() == 1


def test_a_kill_that_comes_too_late_says_how_the_turn_ended(page):
    turn = make_turn(status=Status.COMPLETED)
    answer = page.post(kill_address(turn), headers=SCRIPT)
    assert "had ended before: completed" in answer["HX-Trigger"]
    assert 'data-phase="completed"' in answer.text
    turn.refresh_from_db()
    assert turn.kill_requested_at is None


def test_killing_a_channel_leaves_its_queue_and_clearing_it_does_not(page):
    turn = running()
    waiting = make_turn(channel=turn.channel)
    page.post(reverse("channel-kill", args=[turn.channel_id]))
    waiting.refresh_from_db()
    assert waiting.status == Status.QUEUED
    answer = page.post(reverse("channel-clear", args=[turn.channel_id]))
    waiting.refresh_from_db()
    assert (answer.status_code, waiting.status) == (302, Status.KILLED)


def test_killing_a_quiet_channel_says_that_nothing_runs(page):
    channel = make_channel()
    for name in ("channel-kill", "channel-clear"):
        answer = page.post(reverse(name, args=[channel.pk]), headers=SCRIPT)
        assert answer.status_code in (200, 204)
        assert "Nothing runs" in answer["HX-Trigger"]


def test_killing_a_server_spares_the_others(page):
    server, other = make_server(), make_server()
    turns = [make_turn(channel=make_channel(server=server), status=Status.RUNNING) for _ in range(2)]
    queued = make_turn(channel=turns[0].channel)
    spared = make_turn(channel=make_channel(server=other), status=Status.RUNNING)
    answer = page.post(reverse("server-kill", args=[server.slug]), {"reason": "maintenance"})
    assert answer.status_code == 302
    assert Turn.objects.filter(kill_reason="maintenance").count() == 3
    spared.refresh_from_db()
    queued.refresh_from_db()
    assert (spared.kill_requested_at, queued.status) == (None, Status.KILLED)
    again = page.post(reverse("server-kill", args=[server.slug]), headers=SCRIPT)
    assert (again.status_code, "Nothing runs" in again["HX-Trigger"]) == (204, True)


def test_an_overlong_reason_is_cut_and_not_refused(page):
    turn = running()
    page.post(kill_address(turn), {"reason": "x" * 5_000})
    turn.refresh_from_db()
    assert turn.kill_reason == "x" * 200


def test_a_kill_by_somebody_else_names_them(page):
    now = timezone.now()
    turn = make_turn(
        status=Status.KILLED,
        kill_requested_label="pako",
        kill_requested_at=now - timedelta(seconds=0.08),
        ended_at=now,
    )
    html = page.get(reverse("wall-cards"), {"ids": str(turn.pk)}).text
    assert "Killed by pako" in html
    assert "in 0.08 s" in html
