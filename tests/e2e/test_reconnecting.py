"""A line that breaks, loses frames or lags costs nobody a character, and the page says how fresh it is."""

from collections.abc import Callable
from uuid import UUID

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.bad_line import BadLine
from tests.e2e.desk import Desk, Guild
from tests.e2e.upstream import text_of_script
from tests.e2e.watching import LOST_SOCKET, Tabs, expect_text, page_wait, text_on, wait_for_end

LONG = "talk:length=9000,pace=100,chars=6"
SHORT = "talk:length=3000,pace=100,chars=6"
STUCK = "stall:after=600,pace=200"
AWAY_MS = 5000

type Start = Callable[[str], UUID]


@pytest.fixture
def start(desk: Desk, guild: Guild, provider: int) -> Start:
    """Start a turn of this script in the tavern."""
    return lambda script: desk.start(guild.channels["tavern"], desk.model(provider, script))


def test_a_socket_lost_for_five_seconds_costs_no_text_and_the_page_says_so(
    tabs: Tabs, desk: Desk, guild: Guild, start: Start
):
    tabs.allow(LOST_SOCKET)
    page = tabs.context().new_page()
    line = BadLine(page)
    page.goto(guild.path("tavern"))
    expect(_sign(page)).to_have_attribute("data-state", "live")
    turn = start(LONG)
    page_wait(page, lambda: len(text_on(page)) > 500)
    line.cut()
    expect(_sign(page)).to_have_attribute("data-state", "offline")
    expect(_sign(page)).to_contain_text("Offline since")
    expect(page.locator("#offline")).to_be_visible()
    page.wait_for_timeout(100)  # what came before the cut is drawn
    before = len(text_on(page))
    page.wait_for_timeout(AWAY_MS)  # the length of the gap is the point of the test
    assert len(text_on(page)) == before
    line.mend()
    expect(_sign(page)).to_have_attribute("data-state", "live")
    expect(page.locator("#offline")).to_be_hidden()
    assert line.opened == 2
    desk.wait_for(turn, "completed")
    wait_for_end(page)
    expect_text(page, text_of_script(LONG))


def test_a_page_that_missed_the_end_while_offline_shows_it_after(
    tabs: Tabs, desk: Desk, guild: Guild, start: Start
):
    tabs.allow(LOST_SOCKET)
    page = tabs.context().new_page()
    line = BadLine(page)
    page.goto(guild.path("tavern"))
    turn = start(SHORT)
    page_wait(page, lambda: len(text_on(page)) > 300)
    line.cut()
    page_wait(page, lambda: desk.status(turn) == "completed")
    line.mend()
    wait_for_end(page)
    expect_text(page, text_of_script(SHORT))


def test_every_third_frame_lost_leaves_no_gap_and_no_repeat(
    tabs: Tabs, desk: Desk, guild: Guild, start: Start
):
    page = tabs.context().new_page()
    line = BadLine(page, loses=lambda number: number % 3 == 0)
    page.goto(guild.path("tavern"))
    start(LONG)
    wait_for_end(page)
    expect_text(page, text_of_script(LONG))
    assert line.lost > 10


def test_most_frames_lost_after_a_while_still_end_in_the_whole_text(
    tabs: Tabs, desk: Desk, guild: Guild, start: Start
):
    """The hub only hints, and hints may be lost: a page that hears nothing of a running turn asks."""
    page = tabs.context().new_page()
    line = BadLine(page, loses=lambda number: number > 12 and number % 4 != 0)
    page.goto(guild.path("tavern"))
    start(SHORT)
    wait_for_end(page)
    expect_text(page, text_of_script(SHORT))
    assert line.lost > 0


def test_the_wall_asks_after_a_turn_of_which_it_hears_nothing(
    tabs: Tabs, desk: Desk, guild: Guild, start: Start
):
    page = tabs.context().new_page()
    turn = start(SHORT)
    BadLine(page, loses=lambda number: number > 3)
    page.goto(guild.wall)
    card = page.locator(f"#turn-{turn}")
    expect(card).to_be_visible()
    expect(card).to_contain_text("Completed", timeout=60_000)


def test_a_viewer_that_stops_acknowledging_catches_up_by_resync(
    tabs: Tabs, desk: Desk, guild: Guild, start: Start
):
    page = tabs.context().new_page()
    line = BadLine(page)
    page.goto(guild.path("tavern"))
    turn = start(LONG)
    page_wait(page, lambda: len(text_on(page)) > 300)
    line.keeps_acknowledgements = True
    well_past = len(text_on(page)) + 3000
    page_wait(page, lambda: len(desk.recorded_text(turn)) > well_past)
    assert len(text_on(page)) < well_past
    line.keeps_acknowledgements = False
    page_wait(page, lambda: len(text_on(page)) > well_past)
    wait_for_end(page)
    expect_text(page, text_of_script(LONG))


def _sign(page: Page) -> Locator:
    return page.locator(".conn")
