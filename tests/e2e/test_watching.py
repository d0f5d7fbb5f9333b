"""Watching a stream: whoever looks, whenever they come and whatever they miss, sees exactly what was sent."""

from playwright.sync_api import expect

from tests.e2e.desk import Desk, Guild
from tests.e2e.upstream import Upstream, text_of_script
from tests.e2e.watching import Tabs, expect_text, text_on, wait_for_end

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
