"""A page asks the record for what it missed, and no more often than that takes."""

from tests.e2e.bad_line import BadLine
from tests.e2e.desk import Desk, Guild
from tests.e2e.upstream import text_of_script
from tests.e2e.watching import Tabs, expect_text, wait_for_end

LONG = "talk:length=9000,pace=100,chars=6"


def test_a_gap_is_asked_about_a_few_times_and_not_with_every_frame(
    tabs: Tabs, desk: Desk, guild: Guild, provider: int
):
    page = tabs.context().new_page()
    line = BadLine(page, loses=lambda number: number % 12 == 11)
    page.goto(guild.path("tavern"))
    desk.start(guild.channels["tavern"], desk.model(provider, LONG))
    wait_for_end(page)
    expect_text(page, text_of_script(LONG))
    assert line.lost > 3
    assert line.questions <= 4 + 6 * line.lost
