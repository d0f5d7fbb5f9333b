"""Settings of a server: switches that save at once, forms that lose nothing."""

import json

import pytest
from django.urls import reverse

from streamhub.audit.models import AuditEntry
from streamhub.catalog.services import set_channel_model
from streamhub.servers.capabilities import CAPABILITIES
from streamhub.servers.models import Server
from tests.builders import make_channel, make_model, make_server, make_user

HTMX = {"HX-Request": "true"}
TOOL = {"type": "function", "function": {"name": "web_search", "parameters": {"type": "object"}}}


@pytest.fixture
def server(db) -> Server:
    return make_server(name="Harbour", slug="harbour")


def switch(page, server, name, value="", **kwargs):
    return page.post(reverse("capability-set", args=[server.slug, name]), {"value": value}, **kwargs)


def save(page, server, section, **typed):
    return page.post(reverse("server-save", args=[server.slug, section]), typed)


def test_the_page_shows_every_capability_that_does_something_and_no_other(page, server):
    text = page.get(server.get_absolute_url()).content.decode()
    assert [text.count(f'id="cap-{capability.name}"') for capability in CAPABILITIES] == [1] * len(
        CAPABILITIES
    )
    assert text.count('role="switch"') == len(CAPABILITIES) - 1  # the thought log is a choice of three
    assert "All switches are at their defaults" in text
    assert "overlap_guard" not in text


def test_a_switch_saves_at_once_and_says_so(page, server, owner):
    response = switch(page, server, "verbatim_tool_calling", "on", headers=HTMX)
    server.refresh_from_db()
    text = response.content.decode()
    assert server.capabilities.verbatim_tool_calling is True
    assert json.loads(response.headers["HX-Trigger"])["hub:say"] == {
        "text": "Verbatim tool calls: on. Saved.",
        "sign": "completed",
    }
    assert "by you" in text
    assert "1 switch differs" in text
    assert "<html" not in text
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.server_id) == (
        "switched verbatim_tool_calling",
        owner,
        server.pk,
    )
    assert (entry.before, entry.after) == ({"verbatim_tool_calling": False}, {"verbatim_tool_calling": True})


def test_a_switch_works_without_script(page, server):
    response = switch(page, server, "tool_use", follow=True)
    assert response.redirect_chain[0][0] == "/servers/harbour/#cap-tool_use"
    assert "Tool use: off. Saved." in response.content.decode()
    assert Server.objects.get().capabilities.tool_use is False


def test_undo_goes_back_to_the_value_before(page, server):
    switch(page, server, "thought_log", "off")
    text = page.get(server.get_absolute_url()).content.decode()
    assert "set Thought log back to everything" in text
    assert '<input type="hidden" name="value" value="raw">' in text
    switch(page, server, "thought_log", "raw")
    assert Server.objects.get().capabilities.thought_log == "raw"


def test_a_switch_that_stands_already_is_saved_without_an_entry(page, server):
    assert switch(page, server, "tool_use", "on", headers=HTMX).status_code == 200
    assert not AuditEntry.objects.exists()


def test_the_page_names_who_changed_a_switch_last(page, server):
    pako = make_user(name="pako")
    page.force_login(pako)
    switch(page, server, "tool_use")
    page.force_login(make_user(name="osk"))
    text = page.get(server.get_absolute_url()).content.decode()
    assert "by pako" in " ".join(text.split())


@pytest.mark.parametrize("name", ["overlap_guard", "server", "nonsense"])
def test_what_is_not_in_the_table_cannot_be_set(page, server, name):
    assert switch(page, server, name, "on").status_code == 404


def test_a_choice_that_does_not_exist_is_refused(page, server):
    response = switch(page, server, "thought_log", "loud", headers=HTMX)
    assert response.status_code == 400
    assert Server.objects.get().capabilities.thought_log == "raw"


def test_persona_and_instructions_are_saved_and_audited(page, server):
    response = save(page, server, "persona", persona="Mira", instructions="Be brief.\n")
    server.refresh_from_db()
    assert response.url == "/servers/harbour/#persona"
    assert (server.persona, server.instructions) == ("Mira", "Be brief.\n")
    entry = AuditEntry.objects.get()
    assert entry.action == "changed the persona of"
    assert entry.after == {"persona": "Mira", "instructions": "Be brief.\n"}


def test_too_long_instructions_come_back_whole(page, server):
    long = "word " * 4001
    response = save(page, server, "persona", persona="Mira", instructions=long)
    text = response.content.decode()
    assert response.status_code == 422
    assert "at most 20000 characters" in text
    assert long in text
    assert 'value="Mira"' in text
    assert Server.objects.get().persona == ""


def test_tools_are_saved_and_shown_with_what_the_switches_make_of_them(page, server):
    pinning = {"type": "function", "function": {"name": "pin_message"}}
    save(page, server, "tools", tools=json.dumps([TOOL, pinning]))
    switch(page, server, "message_management")
    assert Server.objects.get().tools == [TOOL, pinning]
    text = page.get(server.get_absolute_url()).content.decode()
    assert "pin_message: hidden by “Messages: edit, pin, delete”" in text


def test_wrong_tools_say_where_and_keep_what_was_typed(page, server):
    typed = '[\n  {"type": "function",}\n]'
    response = save(page, server, "tools", tools=typed)
    text = response.content.decode()
    assert response.status_code == 422
    assert "Line 2, column" in text
    assert "&quot;function&quot;,}" in text
    assert 'id="tools-tools_error"' in text
    assert Server.objects.get().tools == []


def test_an_empty_clock_inherits_and_the_page_says_from_where(page, server):
    model = make_model(server=server)
    model.endpoint.idle_seconds = 45
    model.endpoint.save()
    save(page, server, "clocks", first_token_seconds="30", idle_seconds="")
    server.refresh_from_db()
    text = page.get(server.get_absolute_url()).content.decode()
    assert (server.first_token_seconds, server.idle_seconds) == (30, None)
    assert "300 s, default" in text
    assert f"of endpoint {model.endpoint}" in text


@pytest.mark.parametrize("typed", ["0", "86401", "-3", "1.5", "soon", "9" * 30])
def test_a_clock_takes_whole_seconds_of_at_most_a_day(page, server, typed):
    response = save(page, server, "clocks", first_token_seconds=typed, idle_seconds="60")
    text = response.content.decode()
    assert response.status_code == 422
    assert "Write whole seconds from 1 to 86400" in text
    assert f'value="{typed}"' in text
    assert Server.objects.get().idle_seconds is None


def test_the_model_that_answers_is_chosen_and_cleared(page, server):
    assert "No model answers here yet" in page.get(server.get_absolute_url()).content.decode()
    model = make_model()
    save(page, server, "model", model=model.pk)
    assert server.routes.get().model == model
    assert "No model answers here yet" not in page.get(server.get_absolute_url()).content.decode()
    save(page, server, "model", model="")
    assert not server.routes.exists()


def test_no_model_of_the_server_is_no_fault_while_every_channel_has_its_own(page, server):
    channel = server.channels.first() or make_channel(server=server)
    for each in server.channels.all():
        set_channel_model(each, make_model(), actor=None)
    text = page.get(server.get_absolute_url()).text
    assert "Every channel has its own model." in text
    assert "turns fail at once" not in text
    set_channel_model(channel, None, actor=None)
    assert "turns fail at once" in page.get(server.get_absolute_url()).text


def test_a_model_that_is_gone_is_explained(page, server):
    response = save(page, server, "model", model="12345")
    assert response.status_code == 422
    assert "That model is gone" in response.content.decode()


def test_a_server_is_renamed_and_keeps_its_address(page, server):
    save(page, server, "name", name="Quay")
    server.refresh_from_db()
    assert (server.name, server.slug) == ("Quay", "harbour")


def test_a_name_that_is_taken_stays_in_the_field_and_not_in_the_heading(page, server):
    make_server(name="Quay")
    response = save(page, server, "name", name="quay")
    text = response.content.decode()
    assert "has this name already" in text
    assert 'value="quay"' in text
    assert '<h1 class="crumb-h">Harbour</h1>' in text


def test_stop_strings_are_stored_unescaped_and_previewed(page, server):
    make_model(server=server)
    url = reverse("server-stops", args=[server.slug])
    page.post(url, {"stop": ["\\nUser:", "", "<|end|>"], "stop_mode": ["send", "send", "local"]})
    assert list(server.stop_strings.values_list("text", "mode")) == [
        ("\nUser:", "send"),
        ("<|end|>", "local"),
    ]
    text = page.get(server.get_absolute_url()).content.decode()
    assert 'value="\\nUser:"' in text
    assert "enforced here, server Harbour" in text


def test_a_wrong_stop_string_is_explained_and_no_row_is_lost(page, server):
    url = reverse("server-stops", args=[server.slug])
    response = page.post(url, {"stop": ["\\q<end>", "fine"], "stop_mode": ["send", "local"]})
    text = response.content.decode()
    assert response.status_code == 422
    assert "\\q is not an escape" in text
    assert 'value="\\q&lt;end&gt;"' in text
    assert 'value="fine"' in text
    assert not server.stop_strings.exists()


def test_an_unknown_section_is_not_found(page, server):
    assert save(page, server, "secrets", name="x").status_code == 404


def test_markup_in_names_shows_as_text(page):
    server = make_server(name="<script>alert(1)</script>", persona='"><img src=x onerror=alert(1)>')
    text = page.get(server.get_absolute_url()).content.decode()
    assert "<script>alert(1)" not in text
    assert "<img src=x" not in text
