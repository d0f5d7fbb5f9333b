"""The first minutes of a new owner: the printed link, an empty wall, the demo, and its end."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.desk import EMAIL, PASSWORD
from tests.e2e.watching import REFUSED_FORM, Tabs, page_wait, tabs_of
from tests.ops.hub_process import HubProcess


@pytest.fixture
def new_hub(tmp_path) -> Iterator[HubProcess]:
    """A hub that nobody owns yet."""
    hub = HubProcess(tmp_path, {})
    try:
        yield hub.ready()
    finally:
        hub.end()


@pytest.fixture
def tabs(browser: Browser, new_hub: HubProcess) -> Iterator[Tabs]:
    """Tabs of a browser that never was here."""
    with tabs_of(browser, new_hub.url, []) as tabs:
        yield tabs


def test_from_the_printed_link_to_a_demo_and_back(tabs: Tabs, new_hub: HubProcess):
    page = tabs.open("/login/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nobody can log in yet")
    _become_owner(page, new_hub.setup_url or "")
    _start_the_demo(page, new_hub)
    _see_all_phases_stream(page)
    _remove_the_demo(page)
    _log_out_and_in(page)
    _the_used_link_explains_itself(tabs, new_hub.setup_url or "")


def _become_owner(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_label("Name").fill("Nina")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Live wall")
    expect(page.get_by_role("status")).to_contain_text("Welcome, Nina")
    expect(page.get_by_role("heading", name="Nothing is streaming yet")).to_be_visible()


def _start_the_demo(page: Page, hub: HubProcess) -> None:
    page.get_by_role("button", name="Start the demo").click()
    expect(page.locator("article.stream")).to_have_count(6)
    expect(page.get_by_role("complementary", name="Demo")).to_contain_text("is a demo")
    assert hub.rows("SELECT count(*) FROM turns_turn") == [(6,)]


def _see_all_phases_stream(page: Page) -> None:
    expect(_card(page, "#tavern")).to_contain_text("Speaking")
    before = _tail(page, "#tavern")
    page_wait(page, lambda: _tail(page, "#tavern") != before)
    expect(_card(page, "#war-room")).to_contain_text("Thinking")
    expect(_card(page, "#gatehouse")).to_contain_text("Waiting")
    expect(_card(page, "#old-well")).to_contain_text("Stalled", timeout=60_000)
    expect(page.locator("[data-part=attn]")).to_contain_text("#old-well")


def _remove_the_demo(page: Page) -> None:
    page.get_by_role("button", name="Remove the demo").click()
    expect(page.get_by_role("heading", name="Nothing is streaming yet")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("The demo is gone")


def _log_out_and_in(page: Page) -> None:
    page.get_by_role("button", name="Nina").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Live wall")


def _the_used_link_explains_itself(tabs: Tabs, link: str) -> None:
    tabs.allow(REFUSED_FORM)
    page = tabs.open(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("The set-up is done")
    expect(page.locator("main")).to_contain_text("A set-up link works once")
    page.get_by_role("link", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")


def _card(page: Page, name: str) -> Locator:
    return page.locator("article.stream").filter(has_text=name)


def _tail(page: Page, name: str) -> str:
    return _card(page, name).locator("[data-tail]").inner_text()
