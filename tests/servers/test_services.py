"""Acts on servers are audited with the change, or not at all."""

import pytest
from django.core.exceptions import ValidationError

from streamhub.audit.models import AuditEntry
from streamhub.servers import selectors, services
from streamhub.servers.access import can_operate, visible_servers
from streamhub.servers.models import Server
from tests.builders import make_channel, make_server, make_user

pytestmark = pytest.mark.django_db


def test_a_change_whose_audit_fails_is_not_made(monkeypatch):
    server = make_server()

    def broken(*_args, **_kwargs):
        raise RuntimeError

    monkeypatch.setattr("streamhub.servers.services.record", broken)
    with pytest.raises(RuntimeError):
        services.set_capability(server, "tool_use", False, actor=None)
    assert Server.objects.get().capabilities.tool_use is True


def test_only_what_differs_is_written_and_recorded():
    server = make_server(persona="Mira")
    stale = Server.objects.get(pk=server.pk)
    services.update_server(server, actor=None, instructions="Be brief.")
    services.update_server(stale, actor=None, persona="Mira", idle_seconds=30)
    server.refresh_from_db()
    assert (server.instructions, server.idle_seconds) == ("Be brief.", 30)
    assert AuditEntry.objects.latest("id").after == {"idle_seconds": 30}


def test_a_refused_change_leaves_the_row_in_hand_as_it_was():
    make_server(name="Quay")
    server = make_server(name="Harbour")
    with pytest.raises(ValidationError) as refusal:
        services.rename_server(server, name="QUAY", actor=None)
    assert "name" in refusal.value.message_dict
    assert server.name == "Harbour"


def test_channels_of_two_servers_may_share_a_name():
    first = make_channel(name="quay")
    services.create_channel(make_server(), name="#quay", actor=None)
    with pytest.raises(ValidationError):
        services.create_channel(first.server, name="QUAY", actor=None)


def test_undo_knows_the_value_before_the_last_change():
    server = make_server()
    for value in ("off", "summary"):
        services.set_capability(server, "thought_log", value, actor=None)
    setting = selectors.setting_of(server, "thought_log")
    assert (setting.word, setting.undo_word, setting.undo_value) == ("summaries only", "off", "off")
    assert setting.change.actor_label == "StreamHub"
    assert setting.differs


def test_the_page_asks_twice_however_often_switches_were_pressed(django_assert_num_queries):
    server = make_server()
    for turn in range(20):
        services.set_capability(server, "tool_use", bool(turn % 2), actor=None)
    with django_assert_num_queries(1):
        selectors.settings_of(server)


def test_owners_see_and_operate_everything_and_others_nothing():
    server = make_server()
    owner, stranger, gone = make_user(), make_user(owner=False), make_user(is_active=False)
    assert list(visible_servers(owner)) == [server]
    assert not visible_servers(stranger).exists()
    assert not visible_servers(gone).exists()
    assert [can_operate(person, server) for person in (owner, stranger, gone)] == [True, False, False]
