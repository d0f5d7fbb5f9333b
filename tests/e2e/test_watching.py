"""Watching a stream: whoever looks, whenever they come and whatever they miss, sees exactly what was sent."""

from playwright.sync_api import expect

from tests.e2e.desk import Desk, Guild
from tests.e2e.upstream import Upstream, text_of_script
from tests.e2e.watching import Tabs, expect_text, text_on, wait_for_end

# The blocks of the pane, but for the last one, whose last line ends before the right edge.
SHORT_LINES = """() => [...document.querySelectorAll("#pane .block")].slice(0, -1).filter((block) => {
    const range = document.createRange();
    range.selectNodeContents(block);
    const lines = [...range.getClientRects()];
    const right = Math.max(...lines.map((line) => line.right));
    return right - lines.at(-1).right > 2;
}).map((block) => block.textContent.slice(-80))"""
LATER = "talk:length=6000,pace=150,chars=7"


def test_the_channel_page_shows_exactly_what_the_provider_sent(
    tabs: Tabs, desk: Desk, guild: Guild, provider: int, upstream: Upstream
):
    script = "talk:length=3000,pace=200"
    page = tabs.open(guild.path("tavern"))
    expect(page.get_by_text("Live", exact=True).first).to_be_visible()
    turn = desk.start(guild.channels["tavern"], desk.model(provider, script))
    wait_for_end(page)
    expect_text(page, text_of_script(script))
    assert desk.recorded_text(turn) == text_of_script(script)
    upstream.wait_for(script, "completed")
    expect(page.locator("#turnhead")).to_contain_text("Completed")


def test_who_joins_in_the_middle_sees_all_of_it_once(tabs: Tabs, desk: Desk, guild: Guild, provider: int):
    turn = desk.start(guild.channels["tavern"], desk.model(provider, LATER))
    desk.wait_for_chars(turn, 1500)
    page = tabs.open(guild.path("tavern"))
    assert 0 < len(text_on(page)) < 6000
    wait_for_end(page)
    expect_text(page, text_of_script(LATER))


def test_a_paused_wall_stands_still_and_catches_up_when_it_goes_on(
    tabs: Tabs, desk: Desk, guild: Guild, provider: int
):
    model = desk.model(provider, "talk:length=900,pace=60")
    page = tabs.open(guild.wall)
    desk.start(guild.channels["cellar"], desk.model(provider, "stall:after=60"))
    page.goto(guild.wall)
    expect(page.locator(".stream")).to_have_count(1)
    page.get_by_role("button", name="Pause").click()
    turn = desk.start(guild.channels["tavern"], model)
    desk.wait_for(turn, "completed")
    assert page.locator(".stream").count() == 1
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(f"#turn-{turn}")).to_contain_text("Completed")


def test_text_without_a_line_end_shows_no_seam(tabs: Tabs, desk: Desk, guild: Guild, provider: int):
    """Such text is kept in pieces; on the screen every line but the last is full."""
    script = "hostile:text=Endless,size=60000"
    page = tabs.open(guild.path("tavern"))
    desk.start(guild.channels["tavern"], desk.model(provider, script))
    wait_for_end(page)
    expect_text(page, text_of_script(script))
    assert page.locator("#pane .block").count() > 1
    assert page.evaluate(SHORT_LINES) == []


def test_ten_tabs_on_one_channel_show_the_same_text(tabs: Tabs, desk: Desk, guild: Guild, provider: int):
    context = tabs.context()
    pages = [context.new_page() for _ in range(10)]
    for page in pages[:5]:
        page.goto(guild.path("tavern"))
    turn = desk.start(guild.channels["tavern"], desk.model(provider, LATER))
    desk.wait_for_chars(turn, 500)
    for page in pages[5:]:
        page.goto(guild.path("tavern"))
    for page in pages:
        page.bring_to_front()
        wait_for_end(page)
        expect_text(page, text_of_script(LATER))
