"""What a model writes is text on the page and nothing else, however it is meant and however much it is."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.desk import Desk, Guild
from tests.e2e.upstream import text_of_script
from tests.e2e.watching import Tabs, expect_text, page_wait, text_on, wait_for_end

OWNED = "hostile:text=<script>window.owned=1</script><img src=x onerror=window.owned%3D1>,split=3"
MEGABYTE = "hostile:size=1000000"
LONGEST_WAIT_MS = (
    2000  # a person notices more than a tenth of that; the machine under test is slow and shared
)


def _is_untouched(page: Page) -> bool:
    """Whether nothing of the output ran: no flag, our title, no element that the page did not make."""
    return bool(
        page.evaluate(
            "() => window.owned === undefined && document.title.endsWith('StreamHub')"
            " && document.querySelector('#pane :is(script, img, style, iframe, a)') === null"
        )
    )


def test_markup_escapes_marks_and_torn_emoji_are_shown_as_text(
    tabs: Tabs, desk: Desk, guild: Guild, provider: int
):
    page = tabs.open(guild.path("tavern"))
    turn = desk.start(guild.channels["tavern"], desk.model(provider, "hostile"))
    wait_for_end(page)
    expect_text(page, text_of_script("hostile"))
    shown = text_on(page)
    assert "<script>document.title='owned'</script>" in shown
    assert "\N{SYMBOL FOR ESCAPE}[31m" in shown
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" in shown
    assert "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}" in shown
    assert _is_untouched(page)
    for path in (guild.path("tavern"), f"/turns/{turn}/", guild.wall):
        page.goto(path)
        expect(page.locator("main")).to_contain_text("only words here")
        assert page.title().endswith("StreamHub")


@pytest.mark.parametrize("where", ["live", "loaded"])
def test_no_script_of_a_model_runs(tabs: Tabs, desk: Desk, guild: Guild, provider: int, where: str):
    path = guild.path("tavern")
    page = tabs.open(path)
    turn = desk.start(guild.channels["tavern"], desk.model(provider, OWNED), text=text_of_script(OWNED))
    desk.wait_for(turn, "completed")
    if where == "loaded":
        page.goto(path)
    expect_text(page, text_of_script(OWNED))
    assert _is_untouched(page)
    for other in (f"/turns/{turn}/", guild.wall, f"{path}?view=earlier"):
        page.goto(other)
        assert page.evaluate("window.owned === undefined")


def test_a_megabyte_without_a_space_leaves_the_page_usable(
    tabs: Tabs, desk: Desk, guild: Guild, provider: int
):
    page = tabs.open(guild.path("tavern"))
    desk.start(guild.channels["tavern"], desk.model(provider, MEGABYTE))
    page_wait(page, lambda: len(text_on(page)) > 10_000)
    slowest = max(_milliseconds_of_a_click(page) for _ in range(10))
    wait_for_end(page)
    expect_text(page, text_of_script(MEGABYTE))
    assert slowest < LONGEST_WAIT_MS
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert _is_untouched(page)


def test_the_wall_shows_the_end_of_a_megabyte(tabs: Tabs, desk: Desk, guild: Guild, provider: int):
    page = tabs.open(guild.wall, viewport={"width": 360, "height": 800})
    desk.start(guild.channels["tavern"], desk.model(provider, MEGABYTE))
    card = page.locator("article.stream").filter(has_text="#tavern")
    expect(card).to_contain_text("WWWWWWWW", timeout=60_000)
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    expect(card).to_contain_text("Completed", timeout=60_000)


def _milliseconds_of_a_click(page: Page) -> float:
    """Return how long the page itself takes from a click on a control until it has drawn what that does."""
    return float(
        page.evaluate(
            """() => new Promise((resolve) => {
                const start = performance.now();
                setTimeout(() => {
                    document.querySelector("[data-theme-toggle]").click();
                    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
                });
            })"""
        )
    )
