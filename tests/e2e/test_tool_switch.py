"""The switch for tool calls written as text: off, it is text; on, a call from the next turn on; never both."""

from playwright.sync_api import Page, expect

from tests.e2e.desk import Desk, Guild
from tests.e2e.upstream import text_of_script
from tests.e2e.watching import Tabs, expect_text, text_on, wait_for_end

SAYS = "Let me look that up. "
SCRIPT = 'verbatim:pace=60,say=Let me look that up. ,args={"topic"%3A "the north bridge"}'
CALL = 'look_up_lore({"topic": "the north bridge"})'
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "look_up_lore",
            "description": "Look a topic up.",
            "parameters": {"type": "object", "properties": {"topic": {"type": "string"}}},
        },
    }
]


def test_the_call_is_text_while_off_and_a_tool_call_in_the_next_turn_once_on(
    tabs: Tabs, desk: Desk, guild: Guild, provider: int
):
    desk.offer_tools(guild.slug, TOOLS)
    model = desk.model(provider, SCRIPT)
    context = tabs.context()
    page, settings = context.new_page(), context.new_page()
    settings.goto(guild.settings)
    _set(settings, on=False)

    page.goto(guild.path("tavern"))
    desk.start(guild.channels["tavern"], model)
    wait_for_end(page)
    expect_text(page, text_of_script(SCRIPT))
    assert CALL in text_on(page)
    expect(page.locator("#calls > li")).to_have_count(0)

    _set(settings, on=True)
    desk.start(guild.channels["tavern"], model)
    call = page.locator("#calls > li")
    expect(call).to_have_count(1)
    expect(call).to_contain_text("look_up_lore")
    expect(call).to_contain_text("the north bridge")
    expect(page.locator("#turnhead")).to_contain_text("tool")
    expect_text(page, SAYS)
    assert "look_up_lore" not in text_on(page)


def _set(page: Page, *, on: bool) -> None:
    """Flip the switch if need be, and wait until the hub says that it is saved."""
    switch = page.get_by_role("switch", name="Verbatim tool calls")
    if switch.is_checked() != on:
        switch.locator("xpath=ancestor::label").click()
        expect(page.get_by_role("status")).to_contain_text("Saved.")
    expect(switch).to_be_checked(checked=on)
