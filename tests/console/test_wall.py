"""The wall: which cards stand where, what the address filters, what a script fetches, and what it all costs."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from streamhub.turns.models import Turn
from streamhub.turns.state import Status
from tests.builders import make_channel, make_server, make_turn
from tests.support.records import attempt

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31mred"

pytestmark = pytest.mark.django_db


def running(name: str = "", *, server=None, ago: float = 5, **fields) -> Turn:
    channel = make_channel(server=server or make_server(), **({"name": name} if name else {}))
    began = timezone.now() - timedelta(seconds=ago)
    values = {"phase": "speaking", "claimed_at": began, "created_at": began, "progress_at": timezone.now()}
    return make_turn(channel=channel, status=Status.RUNNING, **values | fields)


def ended(status: Status, *, ago: float, name: str = "", server=None, **fields) -> Turn:
    channel = make_channel(server=server or make_server(), **({"name": name} if name else {}))
    return make_turn(
        channel=channel, status=status, ended_at=timezone.now() - timedelta(seconds=ago), **fields
    )


def section(html: str, name: str) -> str:
    """Return the markup of one section of the wall."""
    return html.split(f'data-part="{name}"')[1].split("</section>")[0]


def test_the_wall_asks_for_a_login(client):
    answer = client.get("/")
    assert (answer.status_code, answer.url) == (302, "/login/?next=/")


def test_the_wall_is_only_read(page):
    assert page.post("/").status_code == 405


def test_somebody_without_rights_sees_an_empty_wall(stranger):
    running("hall")
    answer = stranger.get("/")
    assert answer.status_code == 200
    assert "#hall" not in answer.text


def test_with_nothing_to_show_it_offers_two_ways_to_begin(page):
    html = page.get("/").text
    assert "Nothing is streaming yet" in html
    assert reverse("demo-start") in html
    assert reverse("endpoint-create") in html


def test_a_stalled_and_a_late_turn_need_somebody_and_a_talking_one_does_not(page):
    now = timezone.now()
    running("stuck", progress_at=now - timedelta(seconds=20))
    running("late", phase="waiting", ago=250, progress_at=None, clocks={"first_token": 300})
    running("chatty")
    html = page.get("/").text
    needs, rest = section(html, "attn"), section(html, "running")
    assert "#stuck" in needs
    assert "#late" in needs
    assert "#chatty" not in needs
    assert "#chatty" in rest
    assert "Stalled" in needs
    assert re.search(r"for 2\d s", needs)


def test_the_clock_that_fires_first_comes_first(page):
    now = timezone.now()
    running("plenty", progress_at=now - timedelta(seconds=20), clocks={"idle": 120})
    running("soon", progress_at=now - timedelta(seconds=20), clocks={"idle": 30})
    needs = section(page.get("/").text, "attn")
    assert needs.index("#soon") < needs.index("#plenty")


def test_a_turn_that_just_ended_keeps_its_card_and_then_moves_to_the_feed(page):
    ended(Status.COMPLETED, ago=5, name="fresh")
    ended(Status.COMPLETED, ago=60, name="gone")
    html = page.get("/").text
    assert "#fresh" in section(html, "running")
    assert "#gone" in section(html, "ended")
    assert "#gone" not in section(html, "running")


def test_the_head_of_a_section_counts_no_ended_turn_that_only_rests_there(page):
    running("hall")
    ended(Status.KILLED, ago=5, name="gone")
    html = page.get("/").text
    assert "#gone" in section(html, "running")
    assert 'Running <span class="n">1</span>' in html


def test_a_failure_stays_until_its_channel_goes_on(page):
    failed = ended(Status.FAILED, ago=60, name="sore", error_code="insufficient_quota")
    assert "insufficient_quota" in section(page.get("/").text, "attn")
    make_turn(channel=failed.channel, status=Status.RUNNING, phase="speaking")
    html = page.get("/").text
    assert "insufficient_quota" not in section(html, "attn")
    assert "insufficient_quota" in section(html, "ended")


def test_turns_that_wait_behind_another_are_counted_on_its_card(page):
    turn = running("tavern")
    for _ in range(2):
        make_turn(channel=turn.channel)
    html = page.get("/").text
    assert html.count('class="stream"') == 1
    assert "<b>2</b> waiting" in html
    assert 'data-waiting="2"' in html


def test_one_server_can_be_picked_in_the_address(page):
    mine, other = make_server(slug="mine"), make_server()
    running("here", server=mine)
    running("there", server=other)
    html = page.get("/?server=mine").text
    assert "#here" in html
    assert "#there" not in html
    assert reverse("server-kill", args=["mine"]) in html
    assert "#there" in page.get("/?server=unknown").text


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"talks", "waits"}),
        ("?show=speaking", {"talks"}),
        ("?show=waiting", {"waits"}),
        ("?q=talk", {"talks"}),
        ("?q=MIRA", {"waits"}),
        ("?show=speaking&q=nothing", set()),
    ],
)
def test_filters_live_in_the_address_and_work_without_script(page, query, shown):
    turns = {
        "talks": running("talks", author="osk"),
        "waits": running("waits", phase="waiting", progress_at=None, author="mira"),
    }
    html = page.get(f"/{query}").text
    for name, turn in turns.items():
        card = html.split(f'id="turn-{turn.pk}"')[1].split(">")[0]
        assert card.endswith(" hidden") == (name not in shown)


@pytest.mark.parametrize(("sort", "first"), [("age", "zebra"), ("channel", "ant")])
def test_the_order_can_be_changed(page, sort, first):
    running("zebra", ago=90)
    running("ant", ago=10)
    part = section(page.get(f"/?sort={sort}").text, "running")
    assert part.index(f"#{first}") == min(part.index("#zebra"), part.index("#ant"))


def test_what_a_model_wrote_stays_text(page):
    running("<b>bold</b>", tail=HOSTILE, author="<i>x</i>", model_label="<u>m</u>")
    html = page.get("/").text
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "<b>bold</b>" not in html
    assert "<i>x</i>" not in html
    assert "<u>m" not in html
    assert "\x1b" not in html
    assert "\N{SYMBOL FOR ESCAPE}[31mred" in html


def test_a_script_gets_the_cards_it_asks_for_and_their_channels_live_one(page):
    old = ended(Status.KILLED, ago=1, name="hall")
    now_live = make_turn(channel=old.channel, status=Status.RUNNING, phase="speaking")
    running("aside")
    html = page.get(reverse("wall-cards"), {"ids": str(old.pk)}).text
    assert f'id="turn-{old.pk}"' in html
    assert f'id="turn-{now_live.pk}"' in html
    assert f'<li data-turn="{old.pk}"' in html
    assert "#aside" not in html
    assert "<html" not in html


def test_cards_of_other_servers_and_unknown_turns_are_left_out(page, stranger):
    turn = running("hall")
    address = reverse("wall-cards")
    assert page.get(address, {"ids": str(turn.pk), "server": "elsewhere"}).text.strip() == ""
    assert page.get(address, {"ids": "00000000-0000-4000-8000-000000000000"}).text.strip() == ""
    assert stranger.get(address, {"ids": str(turn.pk)}).text.strip() == ""


@pytest.mark.parametrize("ids", ["", "7", "x,y", "'; drop table"])
def test_ids_that_are_none_get_a_clear_answer(page, ids):
    answer = page.get(reverse("wall-cards"), {"ids": ids})
    assert answer.status_code == 400
    assert "ids takes turn ids" in answer.text


def test_sixty_turns_cost_at_most_twelve_queries(page, django_assert_max_num_queries):
    server = make_server()
    for number in range(50):
        turn = running(server=server)
        attempt(turn)
        if number % 5 == 0:
            make_turn(channel=turn.channel)
            attempt(ended(Status.COMPLETED, ago=30 + number, server=server))
    with django_assert_max_num_queries(12):
        assert page.get("/").text.count('class="stream"') == 50


def test_the_pages_carry_no_inline_script_or_style(page):
    running("hall")
    answer = page.get("/")
    assert "unsafe-inline" not in answer["Content-Security-Policy"]
    assert " style=" not in answer.text
    assert "<style" not in answer.text
    assert "onclick" not in answer.text
