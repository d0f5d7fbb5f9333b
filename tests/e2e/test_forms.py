"""Bad input gets a message beside its field, tied to it for screen readers, and nothing that was typed is lost."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.desk import Guild
from tests.e2e.watching import REFUSED_FORM, Tabs


@pytest.fixture(params=[True, False], ids=["with_script", "without_script"])
def page(request, tabs: Tabs) -> Page:
    """A tab with script and one without."""
    tabs.allow(REFUSED_FORM)
    return tabs.context(java_script_enabled=request.param).new_page()


def expect_complaint(field: Locator, words: str) -> None:
    """Expect the field to be marked wrong, and a message that says so to belong to it."""
    expect(field).to_have_attribute("aria-invalid", "true")
    ids = (field.get_attribute("aria-describedby") or "").split()
    said = [field.page.locator(f"[id='{one}']").inner_text() for one in ids]
    assert any(words in text for text in said), (words, ids, said)


def test_a_bad_base_url_model_id_and_key(page: Page):
    page.goto("/endpoints/new/")
    page.get_by_label("Name").fill("Moria")
    page.get_by_label("Base address").fill("not a url")
    page.get_by_label("First model").fill("with\u200bzero")
    page.get_by_label("Key", exact=True).fill("k\u00e9y with a space")
    page.get_by_role("button", name="Connect", exact=True).click()
    expect_complaint(page.get_by_label("Base address"), "")
    expect_complaint(page.get_by_label("First model"), "")
    expect_complaint(page.get_by_label("Key", exact=True), "")
    expect(page.get_by_label("Name")).to_have_value("Moria")
    expect(page.get_by_label("Base address")).to_have_value("not a url")
    expect(page.get_by_label("First model")).to_have_value("with\u200bzero")


def test_a_base_url_of_another_protocol(page: Page):
    page.goto("/endpoints/new/")
    page.get_by_label("Name").fill("Moria")
    page.get_by_label("Base address").fill("ftp://127.0.0.1/v1")
    page.get_by_label("First model").fill("talk")
    page.get_by_role("button", name="Connect", exact=True).click()
    expect_complaint(page.get_by_label("Base address"), "http")
    expect(page.get_by_label("Base address")).to_have_value("ftp://127.0.0.1/v1")
    expect(page.get_by_label("First model")).to_have_value("talk")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ('[{"type": "function",}]', "Line 1"),
        ('{"type": "function"}', "list"),
        ('[{"type": "function", "function": {}}]', "name"),
    ],
)
def test_bad_json_of_tools(page: Page, guild: Guild, typed: str, words: str):
    page.goto(guild.settings)
    tools = page.get_by_label("Tools, as JSON")
    tools.fill(typed)
    page.get_by_role("button", name="Save the tools").click()
    expect_complaint(tools, words)
    expect(tools).to_have_value(typed)


def test_a_bad_stop_string_is_named_in_its_row(page: Page, guild: Guild):
    page.goto(guild.settings)
    first = page.get_by_role("textbox", name="Stop string 1")
    first.fill("\\nUser:")
    if page.get_by_role("button", name="Add a stop string").is_visible():
        page.get_by_role("button", name="Add a stop string").click()
    second = page.get_by_role("textbox", name="Stop string 2")
    second.fill("bad \\q escape")
    page.get_by_role("button", name="Save stop strings").click()
    expect_complaint(second, "\\q")
    expect(first).to_have_value("\\nUser:")
    expect(second).to_have_value("bad \\q escape")


def test_a_bad_rule(page: Page):
    page.goto("/rules/new/")
    page.get_by_label("Name", exact=True).fill("Cool it")
    page.get_by_label("Priority").fill("10")
    page.get_by_label("Dialect fits").fill("*")
    page.get_by_label("Model id fits").fill("glm-4*")
    page.get_by_label("Set parameters").fill('{"temperature": }')
    page.get_by_label("Reasoning tags").fill("<think")
    page.get_by_role("button", name="Create rule").click()
    expect_complaint(page.get_by_label("Set parameters"), "Line 1")
    expect_complaint(page.get_by_label("Reasoning tags"), "")
    expect(page.get_by_label("Set parameters")).to_have_value('{"temperature": }')
    expect(page.get_by_label("Model id fits")).to_have_value("glm-4*")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Cool it")


def test_a_model_without_an_id_and_a_key_without_a_name(page: Page, provider: int):
    page.goto(f"/endpoints/{provider}/models/new/")
    page.get_by_label("Label").fill("The good one")
    page.get_by_role("button", name="Add").click()
    expect_complaint(page.get_by_label("Model id"), "")
    expect(page.get_by_label("Label")).to_have_value("The good one")
    page.goto(f"/endpoints/{provider}/keys/new/")
    page.get_by_label("Label").fill("Main")
    page.get_by_label("Key", exact=True).fill("two words")
    page.get_by_role("button", name="Add").click()
    expect_complaint(page.get_by_label("Key", exact=True), "")
    expect(page.get_by_label("Label")).to_have_value("Main")


def test_an_empty_message(page: Page, guild: Guild):
    page.goto(guild.path("tavern"))
    page.locator("#composer textarea").evaluate(
        "(area) => area.removeAttribute('required')"
    )  # as other clients do
    page.get_by_role("button", name="Send").click()
    expect_complaint(page.locator("#composer textarea"), "Write a message first.")


def test_a_wrong_password_keeps_the_address(tabs: Tabs):
    tabs.allow(REFUSED_FORM)
    page = tabs.open("/login/", logged_in=False)
    page.get_by_label("E-mail").fill("owner@example.org")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("E-mail")).to_have_value("owner@example.org")
