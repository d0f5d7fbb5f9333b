"""Kill by click, by key, without script and twice: the page says so in order, the provider sees it close."""

from uuid import UUID

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.desk import Desk, Guild
from tests.e2e.upstream import Upstream
from tests.e2e.watching import Tabs

SPEAKS = "trickle:interval=0.2,seed=%d"
STUCK = "stall:after=200,pace=200,chars=20"


class Victim:
    """A turn in the tavern that will not end by itself, on a model of its own."""

    def __init__(self, desk: Desk, guild: Guild, provider: int, upstream: Upstream) -> None:
        self.script = SPEAKS % guild.channels["tavern"]
        self.turn: UUID = desk.start(guild.channels["tavern"], desk.model(provider, self.script))
        self._upstream = upstream
        desk.wait_for_chars(self.turn, 1)

    def card(self, page: Page) -> Locator:
        """Return its card on the wall."""
        return page.locator(f"#turn-{self.turn}")

    def expect_closed(self) -> None:
        """Wait until the provider has seen the connection close, once."""
        self._upstream.wait_for(self.script, "closed_by_client")
        assert [entry.state for entry in self._upstream.connections(self.script)] == ["closed_by_client"]


@pytest.fixture
def victim(desk: Desk, guild: Guild, provider: int, upstream: Upstream) -> Victim:
    """A stream to kill."""
    return Victim(desk, guild, provider, upstream)


def test_a_click_asks_in_place_and_the_second_kills(tabs: Tabs, desk: Desk, guild: Guild, victim: Victim):
    page = tabs.open(guild.wall)
    card = victim.card(page)
    card.get_by_role("button", name="Kill the turn in #tavern").click()
    expect(card.get_by_text("Kill #tavern?")).to_be_visible()
    assert desk.status(victim.turn) == "running"
    card.get_by_label("Reason, optional").fill("It only repeats itself.")
    card.get_by_role("button", name="Kill", exact=True).click()
    expect(card).to_contain_text("Killed by you")
    victim.expect_closed()
    card.get_by_role("link", name="Open turn").click()
    expect(page.locator(".verdict")).to_contain_text("Killed by you")
    expect(page.locator(".verdict")).to_contain_text("It only repeats itself.")


def test_keep_and_escape_kill_nothing(tabs: Tabs, desk: Desk, guild: Guild, victim: Victim):
    page = tabs.open(guild.wall)
    card = victim.card(page)
    kill = card.get_by_role("button", name="Kill the turn in #tavern")
    kill.click()
    card.get_by_role("button", name="Keep").click()
    expect(card.locator(".confirm")).to_have_count(0)
    kill.click()
    page.keyboard.press("Escape")
    expect(card.locator(".confirm")).to_have_count(0)
    expect(kill).to_be_focused()
    assert desk.status(victim.turn) == "running"
    desk.client.post(f"/turns/{victim.turn}/kill/", data=_token(desk, guild))


def test_the_wall_says_stopping_until_the_connection_is_closed(
    tabs: Tabs, desk: Desk, guild: Guild, victim: Victim
):
    page = tabs.open(guild.wall)
    page.evaluate(
        """(id) => {
            const seen = window.seenPhases = [];
            const look = () => seen.push(document.getElementById(id)?.querySelector("[data-word]").textContent);
            new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
        }""",
        f"turn-{victim.turn}",
    )
    card = victim.card(page)
    card.get_by_role("button", name="Kill the turn in #tavern").click()
    card.get_by_role("button", name="Kill", exact=True).click()
    expect(card).to_contain_text("Killed by you")
    words = [word for word in page.evaluate("window.seenPhases") if word]
    order = list(dict.fromkeys(word.split()[0] for word in words))
    assert order == [word for word in ("Speaking", "Stalled", "Stopping", "Killed") if word in order]
    assert order[-1] == "Killed"
    assert desk.status(victim.turn) == "killed"


def test_x_and_enter_kill_the_stream_in_focus_and_it_is_said_once(tabs: Tabs, guild: Guild, victim: Victim):
    page = tabs.open(guild.wall)
    expect(victim.card(page)).to_be_visible()
    page.evaluate(
        """() => {
            window.said = [];
            const line = document.querySelector("[role=status]");
            new MutationObserver(() => window.said.push(line.textContent.trim()))
                .observe(line, {subtree: true, childList: true});
        }"""
    )
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(victim.card(page).locator(".confirm .btn-danger")).to_be_focused()
    page.keyboard.press("Enter")
    expect(victim.card(page)).to_contain_text("Killed by you")
    victim.expect_closed()
    expect(page.get_by_role("status")).to_contain_text("Killed by you")
    killed = [words for words in page.evaluate("window.said") if "Killed" in words or "killed" in words]
    assert len(killed) == 1, page.evaluate("window.said")


def test_the_channel_page_kills_too_and_keeps_the_text(tabs: Tabs, guild: Guild, victim: Victim, desk: Desk):
    page = tabs.open(guild.path("tavern"))
    head = page.locator("#turnhead")
    head.get_by_role("button", name="Kill").click()
    head.locator(".confirm .btn-danger").click()
    expect(head).to_contain_text("Killed by you")
    victim.expect_closed()
    assert desk.recorded_text(victim.turn)
    expect(page.locator("#pane")).to_have_text(desk.recorded_text(victim.turn))


def test_without_script_a_plain_form_kills(tabs: Tabs, desk: Desk, guild: Guild, victim: Victim):
    page = tabs.open(guild.wall, java_script_enabled=False)
    victim.card(page).get_by_role("button", name="Kill the turn in #tavern").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Live wall")
    expect(page.get_by_role("status")).to_contain_text("#tavern")
    victim.expect_closed()
    desk.wait_for(victim.turn, "killed")
    page.reload()
    expect(victim.card(page)).to_contain_text("Killed by you")


def test_killing_twice_gets_the_same_answer_and_no_error(
    tabs: Tabs, desk: Desk, guild: Guild, victim: Victim
):
    first = tabs.open(guild.wall, java_script_enabled=False)
    second = tabs.open(guild.wall, java_script_enabled=False)
    for page in (first, second):
        victim.card(page).get_by_role("button", name="Kill the turn in #tavern").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Live wall")
        desk.wait_for(victim.turn, "killed")
    expect(second.get_by_role("status")).to_contain_text("#tavern killed.")
    victim.expect_closed()


def test_kill_all_ends_every_turn_of_the_server(
    tabs: Tabs, desk: Desk, guild: Guild, victim: Victim, provider: int
):
    stuck = desk.start(guild.channels["cellar"], desk.model(provider, STUCK))
    waits = desk.start(guild.channels["cellar"], desk.model(provider, STUCK))
    page = tabs.open(guild.wall)
    page.get_by_role("button", name="Kill all").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Kill").click()
    for turn in (victim.turn, stuck, waits):
        desk.wait_for(turn, "killed")
    victim.expect_closed()


def _token(desk: Desk, guild: Guild) -> dict[str, str]:
    desk.client.get(guild.wall)
    return {"csrfmiddlewaretoken": desk.client.cookies["csrftoken"]}
