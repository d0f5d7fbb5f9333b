"""Whatever is typed or stands in an address, no page falls over it: PostgreSQL refuses NUL, and so do these tests."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse

from streamhub.console.typed import one_line
from streamhub.turns.models import Turn
from streamhub.turns.state import Status
from tests.builders import make_server, make_turn

pytestmark = pytest.mark.django_db
NASTY = ["%00", "a%00b", "%1b%5b31m", "%C2%85%7f", "%ED%A0%80", "9" * 40, "%0d%0aSet-Cookie:%20a=b"]
ADDRESSES = [
    "/?server={}",
    "/?q={}&show={}&sort={}",
    "/wall/cards/?ids={}",
    "/wall/cards/?ids=&server={}",
    "/audit/?server={}&q={}&page={}",
    "/rules/?model={}&server={}",
    "/rules/preview/?model={}&server={}",
    "/login/?next={}",
    "/setup/{}/",
]


@pytest.fixture(autouse=True)
def _a_database_that_refuses_nul() -> Iterator[None]:
    """SQLite takes NUL; hold it to what PostgreSQL does."""

    def refuse(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        assert not any("\0" in value for value in params or () if isinstance(value, str)), sql
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        yield


@pytest.mark.parametrize("value", NASTY)
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_address_breaks_a_page(page, address, value):
    make_server(name="Lantern")
    assert page.get(address.replace("{}", value)).status_code < 500


@pytest.mark.parametrize("value", NASTY)
def test_no_address_breaks_the_pages_of_a_channel_and_a_turn(page, value):
    turn = make_turn()
    for address in (
        f"{turn.get_absolute_url()}?after={value}",
        f"{turn.channel.get_absolute_url()}?view={value}",
        f"{turn.channel.get_absolute_url()}?view=earlier&page={value}",
    ):
        assert page.get(address).status_code == 200


def test_a_control_character_in_a_filter_is_a_blank(page):
    make_turn(status=Status.RUNNING, phase="speaking")
    assert 'value="a b"' in page.get("/?q=a%00b").text


@pytest.mark.parametrize("what", ["turn-kill", "channel-kill", "channel-clear", "server-kill"])
def test_a_kill_never_fails_on_its_reason(page, what):
    turn = make_turn(status=Status.RUNNING, phase="speaking")
    key = {"turn-kill": turn.pk, "server-kill": turn.server.slug}.get(what, turn.channel_id)
    answer = page.post(reverse(what, args=[key]), {"reason": "runs\0 \x1b[31maway\r\n" + "x" * 500})
    assert answer.status_code == 302
    turn = Turn.objects.get(pk=turn.pk)
    assert turn.kill_reason.startswith("runs [31maway xxx")
    assert len(turn.kill_reason) == 200


FORMS = {
    "/login/": {"email": "a\0@example.org", "password": "\0"},
    "/servers/new/": {"name": "a\0b"},
    "/endpoints/new/": {
        "name": "a\0",
        "kind": "custom",
        "base_url": "http://127.0.0.1:9/\0",
        "model_id": "\0",
    },
    "/rules/new/": {
        "kind_pattern": "\0",
        "model_pattern": "a\0",
        "priority": "\0",
        "stop": "\0",
        "stop_mode": "send",
    },
}


@pytest.mark.parametrize("address", FORMS)
def test_no_form_breaks_on_a_nul(page, client, address):
    browser = client.__class__() if address == "/login/" else page
    assert browser.post(address, FORMS[address]).status_code < 500


def test_a_stop_string_may_hold_what_a_database_can_but_no_nul(page):
    server = make_server()
    answer = page.post(f"{server.get_absolute_url()}stops/", {"stop": r"\x00", "stop_mode": "send"})
    assert answer.status_code < 500


def test_one_line_keeps_letters_of_every_script():
    assert (
        one_line("  Grüße\t\N{GREEK SMALL LETTER ALPHA}\x85\N{FIRE} ", 200)
        == "Grüße \N{GREEK SMALL LETTER ALPHA} \N{FIRE}"
    )
