"""The wall by keyboard alone, and focus that stays where it was while streams redraw it."""

from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.desk import Desk, Guild
from tests.e2e.watching import Tabs, page_wait

STREAMS = "trickle:interval=0.3"
FOCUSED_TURN = "() => document.activeElement.closest('[data-killable]')?.id ?? ''"


@pytest.fixture
def streams(desk: Desk, guild: Guild, provider: int) -> list[UUID]:
    """Two streams that go on by themselves."""
    model = desk.model(provider, STREAMS)
    turns = [desk.start(guild.channels[name], model) for name in ("tavern", "cellar")]
    for turn in turns:
        desk.wait_for_chars(turn, 1)
    return turns


def test_j_and_k_walk_the_cards_and_enter_opens_one(tabs: Tabs, guild: Guild, streams: list[UUID]):
    page = tabs.open(guild.wall)
    expect(page.locator("article.stream")).to_have_count(2)
    order = page.evaluate("[...document.querySelectorAll('article.stream')].map((card) => card.id)")
    for key, card in (("j", 0), ("j", 1), ("j", 1), ("k", 0)):
        page.keyboard.press(key)
        assert page.evaluate(FOCUSED_TURN) == order[card]
    name = page.evaluate("document.activeElement.textContent.trim()")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_the_list_of_keys_opens_and_escape_gives_focus_back(tabs: Tabs, guild: Guild, streams: list[UUID]):
    page = tabs.open(guild.wall)
    page.keyboard.press("j")
    before = page.evaluate(FOCUSED_TURN)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    assert page.evaluate(FOCUSED_TURN) == before


def test_keys_rest_while_somebody_types(tabs: Tabs, guild: Guild, streams: list[UUID]):
    page = tabs.open(guild.wall)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("xjk?")
    expect(page.get_by_role("searchbox")).to_have_value("xjk?")
    expect(page.locator(".confirm")).to_have_count(0)
    expect(page.get_by_text("No stream fits this filter")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).not_to_be_focused()


def test_focus_stays_on_the_card_while_it_is_redrawn(
    tabs: Tabs, desk: Desk, guild: Guild, streams: list[UUID], provider: int
):
    page = tabs.open(guild.wall)
    expect(page.locator("article.stream")).to_have_count(2)
    page.locator(f"#turn-{streams[1]} .btn-kill").focus()
    page.evaluate("(id) => { window.old = document.getElementById(id); }", f"turn-{streams[1]}")
    desk.start(guild.channels["cellar"], desk.model(provider, STREAMS))
    expect(page.locator(f"#turn-{streams[1]}")).to_contain_text("1 waiting")
    page_wait(page, lambda: page.evaluate("!window.old.isConnected"))
    assert page.evaluate(FOCUSED_TURN) == f"turn-{streams[1]}"
    expect(page.locator(f"#turn-{streams[1]} .btn-kill")).to_be_focused()


def test_the_skip_link_and_tab_reach_every_control_of_the_wall(tabs: Tabs, guild: Guild, streams: list[UUID]):
    page = tabs.open(guild.wall)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert _reaches(page, f"#turn-{streams[0]} .btn-kill")


def _reaches(page: Page, selector: str) -> bool:
    """Press Tab until the element has focus, at most as often as a person might."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("(one) => document.activeElement.matches(one)", selector):
            return True
    return False
