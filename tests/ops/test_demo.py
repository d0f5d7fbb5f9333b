"""The demo: its rows, its turns, its buttons."""

from datetime import timedelta

import pytest
from django.utils import timezone

from streamhub.audit.models import AuditEntry
from streamhub.catalog.models import Endpoint, LanguageModel
from streamhub.ops.demo import rows
from streamhub.ops.demo.script import SCENES
from streamhub.servers.models import Channel, Server
from streamhub.turns.models import Turn
from streamhub.turns.state import EndReason, Status
from tests.builders import make_endpoint, make_server, make_turn, make_user

URL = "http://127.0.0.1:9/v1"


def end_all(**fields):
    """End every turn, as an engine and an operator would between them."""
    now = timezone.now()
    Turn.objects.update(
        status=Status.KILLED,
        end_reason=EndReason.USER_KILL,
        kill_requested_at=now,
        ended_at=fields.get("ended_at", now),
    )


@pytest.mark.django_db
class TestRows:
    def test_six_channels_each_with_its_own_model(self):
        server = rows.ensure(URL, make_user())
        assert server.is_demo
        assert {channel.name for channel in server.channels.all()} == {scene.channel for scene in SCENES}
        routes = {channel.routes.get().model.model_id for channel in server.channels.all()}
        assert routes == {scene.model_id for scene in SCENES}
        assert not server.capabilities.verbatim_tool_calling
        assert AuditEntry.objects.get().action == "started demo"

    def test_a_second_start_changes_only_the_address(self):
        rows.ensure(URL, None)
        Channel.objects.filter(name="tavern").update(name="pub")
        rows.ensure("http://127.0.0.1:10/v1", None)
        assert Server.objects.count() == 1
        assert Endpoint.objects.get().base_url == "http://127.0.0.1:10/v1"
        assert LanguageModel.objects.count() == len(SCENES)

    def test_things_of_the_same_name_stay_what_they_are(self):
        make_server(name="demo: lantern guild", slug="demo-lantern-guild")
        make_endpoint(name="Demo simulator")
        server = rows.ensure(URL, None)
        assert (server.name, server.slug) == ("Demo: Lantern Guild 2", "demo-lantern-guild-2")
        assert Endpoint.objects.get(is_demo=True).name == "Demo simulator 2"

    def test_each_channel_gets_one_turn_and_the_next_after_a_pause(self):
        rows.ensure(URL, None)
        now = timezone.now()
        assert rows.play(now) == len(SCENES)
        assert rows.play(now) == 0
        end_all(ended_at=now)
        assert rows.play(now + timedelta(seconds=4)) == 0
        assert rows.play(now + timedelta(seconds=6)) == 4
        assert rows.play(now + timedelta(seconds=61)) == 2

    def test_a_click_starts_a_turn_in_every_channel_at_rest(self):
        rows.ensure(URL, None)
        now = timezone.now()
        rows.play(now)
        end_all(ended_at=now)
        assert rows.play(now, at_once=True) == len(SCENES)

    def test_a_turn_that_waits_for_tool_results_counts_as_over(self):
        server = rows.ensure(URL, None)
        now = timezone.now()
        channel = server.channels.get(name="lore-archive")
        make_turn(channel=channel, status=Status.TOOL_CALLS, progress_at=now)
        rows.play(now + timedelta(seconds=1))
        assert not Turn.objects.filter(channel=channel, status=Status.QUEUED).exists()
        rows.play(now + timedelta(seconds=6))
        assert Turn.objects.filter(channel=channel, status=Status.QUEUED).exists()

    def test_old_turns_are_dropped(self, monkeypatch):
        monkeypatch.setattr(rows, "KEPT_TURNS", 3)
        rows.ensure(URL, None)
        for _ in range(6):
            rows.play_now(at_once=True)
            end_all()
        rows.play_now(at_once=True)
        tavern = Turn.objects.filter(channel__name="tavern")
        assert tavern.exclude(status=Status.QUEUED).count() == 3

    def test_a_deleted_channel_or_server_is_left_alone(self):
        server = rows.ensure(URL, None)
        server.channels.get(name="tavern").delete()
        assert rows.play_now(at_once=True) == len(SCENES) - 1
        server.delete()
        assert rows.play_now(at_once=True) == 0

    def test_removing_takes_the_demo_and_nothing_else(self):
        other = make_turn()
        rows.ensure(URL, None)
        rows.play_now()
        rows.kill_turns(None)
        assert rows.delete(make_user())
        assert not rows.delete(None)
        assert [server.pk for server in Server.objects.all()] == [other.server_id]
        assert [turn.pk for turn in Turn.objects.all()] == [other.pk]
        assert not Endpoint.objects.exists()
        assert AuditEntry.objects.filter(action="removed demo").exists()


@pytest.mark.django_db(transaction=True)
class TestButtons:
    @pytest.fixture
    def owner(self, client):
        user = make_user()
        client.force_login(user)
        return user

    def test_start_and_remove(self, client, owner, stage):
        answer = client.post("/demo/start/")
        assert (answer.status_code, answer["Location"]) == (302, "/")
        assert Turn.objects.count() == len(SCENES)
        assert Endpoint.objects.get().base_url.startswith("http://127.0.0.1:")
        client.post("/demo/start/")
        assert Server.objects.count() == 1
        assert client.post("/demo/remove/").status_code == 302
        assert not Server.objects.exists()
        assert client.post("/demo/remove/").status_code == 302

    def test_htmx_is_sent_to_the_wall(self, client, owner, stage):
        answer = client.post("/demo/start/", headers={"HX-Request": "true"})
        assert answer["HX-Redirect"] == "/"

    def test_without_an_embedded_hub_the_page_says_what_is_needed(self, client, owner):
        client.post("/demo/start/")
        assert not Server.objects.exists()
        assert "one-process hub" in str(client.get("/").context["messages"]._loaded_data[0])

    def test_a_demo_can_be_removed_without_an_embedded_hub(self, client, owner):
        rows.ensure(URL, None)
        client.post("/demo/remove/")
        assert not Server.objects.exists()

    @pytest.mark.parametrize("path", ["/demo/start/", "/demo/remove/"])
    def test_only_an_owner_and_only_by_post(self, client, path, stage):
        assert client.post(path)["Location"].startswith("/login/")
        client.force_login(make_user(owner=False))
        assert client.post(path).status_code == 403
        client.force_login(make_user())
        assert client.get(path).status_code == 405
