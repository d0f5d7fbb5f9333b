"""The list of servers; making and deleting servers and channels."""

import pytest
from django.urls import reverse

from streamhub.audit.models import AuditEntry
from streamhub.catalog.selectors import route_for
from streamhub.servers.models import Channel, Server
from streamhub.turns.state import Status
from tests.builders import make_channel, make_model, make_server, make_turn


def test_the_list_shows_channels_and_what_runs(page):
    server = make_server(name="Harbour")
    channel = make_channel(server=server)
    make_turn(channel=channel, status=Status.RUNNING)
    make_turn(channel=channel)
    text = page.get(reverse("servers")).content.decode()
    assert "Harbour" in text
    assert "1 channel\n" in text or "1 channel<" in text
    assert "1 live" in text
    assert "1 queued" in text


def test_the_empty_list_says_how_to_begin(page):
    assert "No server yet" in page.get(reverse("servers")).content.decode()


def test_a_stranger_sees_no_server(stranger):
    make_server(name="Harbour")
    text = stranger.get(reverse("servers")).content.decode()
    assert "Harbour" not in text
    assert "not a member of any server" in text


def test_a_new_server_gets_an_address_from_its_name_and_default_switches(page, owner):
    response = page.post(reverse("server-create"), {"name": "Lantern Guild"})
    server = Server.objects.get()
    assert response.url == "/servers/lantern-guild/"
    assert server.capabilities.tool_use is True
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.server_id) == ("created", owner, server.pk)


@pytest.mark.parametrize(
    ("name", "slug"), [("Harbour!", "harbour-2"), ("New", "new-2"), ("灯台", "server"), ("x" * 80, "x" * 70)]
)
def test_addresses_are_free_and_readable(page, name, slug):
    make_server(name="Harbour", slug="harbour")
    page.post(reverse("server-create"), {"name": name})
    assert Server.objects.get(name=name).slug == slug


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "Give the server a name."),
        ("hArBoUr", "has this name already"),
        ("x" * 81, "at most 80 characters"),
    ],
)
def test_a_name_that_cannot_be_is_explained_and_kept(page, name, message):
    make_server(name="Harbour")
    response = page.post(reverse("server-create"), {"name": name})
    text = response.content.decode()
    assert response.status_code == 422
    assert message in text
    assert f'value="{name}"' in text or not name
    assert Server.objects.count() == 1


def test_a_server_goes_with_its_channels_and_its_audit_entries_stay(page):
    server = make_server(name="Harbour")
    make_turn(channel=make_channel(server=server), status=Status.COMPLETED)
    response = page.post(reverse("server-delete", args=[server.slug]), follow=True)
    assert "Harbour is deleted" in response.content.decode()
    assert not Server.objects.exists()
    assert AuditEntry.objects.get(action="deleted").before == {"name": "Harbour", "slug": server.slug}


@pytest.mark.parametrize("status", [Status.RUNNING, Status.QUEUED])
def test_nothing_is_deleted_while_a_turn_lives(page, status):
    channel = make_channel()
    make_turn(channel=channel, status=status)
    for url in (
        reverse("server-delete", args=[channel.server.slug]),
        reverse("channel-delete", args=[channel.pk]),
    ):
        response = page.post(url)
        assert response.status_code == 409
        assert "Kill it first, then delete." in response.content.decode()
    assert Channel.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_channel_is_made_renamed_and_deleted(page):
    server = make_server()
    page.post(reverse("channel-create", args=[server.slug]), {"name": " #quay "})
    channel = Channel.objects.get()
    assert channel.name == "quay"
    page.post(reverse("channel-rename", args=[channel.pk]), {"name": "pier"})
    channel.refresh_from_db()
    assert channel.name == "pier"
    page.post(reverse("channel-delete", args=[channel.pk]))
    assert not Channel.objects.exists()
    assert [entry.action for entry in AuditEntry.objects.order_by("id")] == ["created", "renamed", "deleted"]


@pytest.mark.parametrize(
    ("name", "message"), [("Quay", "a channel of that name"), ("", "Give the channel a name")]
)
def test_a_channel_name_that_cannot_be_is_explained_where_it_was_typed(page, name, message):
    server = make_server()
    make_channel(server=server, name="quay")
    other = make_channel(server=server, name="pier")
    for url in (reverse("channel-create", args=[server.slug]), reverse("channel-rename", args=[other.pk])):
        response = page.post(url, {"name": name})
        assert response.status_code == 422
        assert message in response.content.decode()
    other.refresh_from_db()
    assert other.name == "pier"


def acts() -> list[str]:
    channel = make_channel()
    slug = [channel.server.slug]
    return [
        reverse("server-delete", args=slug),
        reverse("channel-create", args=slug),
        reverse("server-stops", args=slug),
        reverse("server-save", args=[*slug, "persona"]),
        reverse("capability-set", args=[*slug, "tool_use"]),
        reverse("channel-rename", args=[channel.pk]),
        reverse("channel-delete", args=[channel.pk]),
    ]


def test_acts_are_posts(page):
    assert {page.get(url).status_code for url in acts()} == {405}


def test_what_a_stranger_may_not_see_is_not_there(stranger):
    assert {stranger.post(url).status_code for url in acts()} == {404}
    assert not AuditEntry.objects.exists()


def test_acts_need_a_log_in(client, db):
    assert {client.post(url).url.partition("?")[0] for url in acts()} == {"/login/"}


def test_acts_on_what_is_gone_are_not_found(page):
    urls = [
        reverse("server-settings", args=["gone"]),
        reverse("server-delete", args=["gone"]),
        reverse("channel-rename", args=[404]),
    ]
    assert page.get(urls[0]).status_code == 404
    assert {page.post(url).status_code for url in urls[1:]} == {404}


def test_a_channel_gets_a_model_of_its_own_and_goes_back_to_the_servers(page):
    channel, model = make_channel(), make_model(model_id="gpt-5-mini")
    url = reverse("channel-model", args=[channel.pk])
    answer = page.post(url, {"model": model.pk}, follow=True)
    assert f"gpt-5-mini answers in {channel}" in answer.text
    assert route_for(channel) == model
    assert f'<option value="{model.pk}" selected>' in answer.text
    page.post(url, {"model": ""})
    assert route_for(channel) is None


def test_a_model_that_is_gone_is_told_beside_the_channels(page):
    answer = page.post(reverse("channel-model", args=[make_channel().pk]), {"model": "404"})
    assert answer.status_code == 422
    assert "That model is gone" in answer.text


def test_a_stranger_sets_no_channels_model(stranger):
    assert stranger.post(reverse("channel-model", args=[make_channel().pk])).status_code == 404
