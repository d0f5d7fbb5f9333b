"""Every page, dark and light, wide and narrow: accessible, within the screen, under a policy without inline code."""

from collections.abc import Iterator
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.desk import EMAIL, OWNER, PASSWORD, Desk
from tests.e2e.pages import OPEN_PAGES, PAGES, address, play_until_some_ended
from tests.e2e.watching import OVERFLOW, REFUSED_FORM, Tabs, tabs_of
from tests.ops.hub_process import HubProcess

SIZES = ((1280, 900), (360, 800))
SCHEMES: tuple[Literal["dark"], Literal["light"]] = ("dark", "light")


@pytest.fixture(scope="module")
def demo_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """A hub whose demo has run for a while."""
    hub = HubProcess(tmp_path_factory.mktemp("demo"), {**OWNER, "STREAMHUB_DEMO": "1"})
    try:
        hub.ready()
        play_until_some_ended(hub)
        yield hub
    finally:
        hub.end()


@pytest.fixture(scope="module")
def demo_desk(demo_hub: HubProcess) -> Iterator[Desk]:
    """Its owner."""
    desk = Desk(demo_hub)
    yield desk
    desk.close()


@pytest.fixture
def tabs(browser: Browser, demo_hub: HubProcess, demo_desk: Desk) -> Iterator[Tabs]:
    """Logged-in tabs on it."""
    with tabs_of(browser, demo_hub.url, demo_desk.cookies) as tabs:
        yield tabs


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_accessible_and_fits_the_screen(tabs: Tabs, demo_hub: HubProcess, path: str):
    page = tabs.open(address(demo_hub, path), reduced_motion="reduce")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert _faults(page) == []


@pytest.mark.parametrize("path", OPEN_PAGES)
def test_a_page_before_the_login_is_accessible_and_fits_the_screen(tabs: Tabs, path: str):
    tabs.allow(REFUSED_FORM)
    page = tabs.open(path, logged_in=False, reduced_motion="reduce")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert _faults(page) == []


def test_dialogs_menus_and_questions_are_accessible(tabs: Tabs):
    page = tabs.open("/", reduced_motion="reduce")
    page.locator(".btn-kill:not([data-kill-all])").first.click()
    expect(page.locator(".confirm")).to_be_visible()
    assert _faults(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert _faults(page) == []
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Kill all").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert _faults(page) == []


def test_forms_that_were_refused_are_accessible(tabs: Tabs):
    tabs.allow(REFUSED_FORM)
    page = tabs.open("/endpoints/new/", reduced_motion="reduce")
    page.get_by_label("Name").fill("Moria")
    page.get_by_label("Base address").fill("not a url")
    page.get_by_label("First model").fill("talk")
    page.get_by_role("button", name="Connect", exact=True).click()
    expect(page.locator("[aria-invalid=true]").first).to_be_visible()
    assert _faults(page) == []


def test_every_answer_carries_a_policy_without_unsafe_words(demo_hub: HubProcess, demo_desk: Desk):
    for path in (*PAGES, *OPEN_PAGES, "/no/such/page/"):
        answer = demo_desk.client.get(address(demo_hub, path))
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "unsafe" not in policy, path
        assert "nonce-" in policy or "<script" not in answer.text, path
        assert answer.text.count(" style=") == 0, path


def test_the_set_up_page_is_accessible_and_fits_the_screen(browser: Browser, tmp_path):
    hub = HubProcess(tmp_path, {})
    try:
        with tabs_of(browser, hub.ready().url, []) as tabs:
            for path in (hub.setup_url or "", "/login/"):
                page = tabs.open(path, reduced_motion="reduce")
                assert _faults(page) == []
    finally:
        hub.end()


def test_a_person_logs_in_on_a_phone(tabs: Tabs):
    page = tabs.open("/", logged_in=False, viewport={"width": 360, "height": 800})
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("article.stream").first).to_be_visible()


def _faults(page: Page) -> list[str]:
    """Return what axe finds and what is wider than the screen, for each size and scheme."""
    faults = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        if (over := page.evaluate(OVERFLOW)) > 0:
            faults.append(f"{over} px wider than {width}: {_culprits(page)}")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page).response["violations"]
            faults += [
                f"{width} {scheme} {fault['id']}: {node['target']} {node['failureSummary']}"
                for fault in found
                for node in fault["nodes"]
            ]
    return faults


def _culprits(page: Page) -> list[str]:
    """Return the innermost elements that reach beyond the screen."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll("body *")]
                .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.children.length)
                .slice(0, 5).map((one) => one.outerHTML.slice(0, 120))"""
        )
    )
