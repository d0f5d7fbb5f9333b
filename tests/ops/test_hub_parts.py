"""The parts of a hub's start-up, each by itself."""

import io
import os
import socket

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from streamhub.accounts.models import User
from streamhub.accounts.services import is_setup_token
from streamhub.audit.models import AuditEntry
from streamhub.ops.hub.assets import collect_if_changed
from streamhub.ops.hub.listener import base_url, is_local, open_listener
from streamhub.ops.hub.lock import sole_hub
from streamhub.ops.hub.owner import prepare_owner
from streamhub.ops.hub.prepare import owns_its_record, recover
from streamhub.ops.hub.printer import Printer
from streamhub.ops.hub.process import stop_seconds
from streamhub.ops.hub.refusal import HubRefused
from streamhub.turns.models import Worker
from streamhub.turns.state import Status
from streamhub.turns.workers import FORGOTTEN_AFTER
from tests.builders import PASSWORD, make_turn, make_user


def test_a_data_directory_that_cannot_be_written_to_is_refused_in_words(tmp_path):
    with pytest.raises(HubRefused, match="cannot be written to"), sole_hub(tmp_path / "missing"):
        pass


def test_one_hub_holds_a_data_directory(tmp_path):
    second = sole_hub(tmp_path)
    with sole_hub(tmp_path), pytest.raises(HubRefused, match=f"process {os.getpid()}"):
        second.__enter__()
    with sole_hub(tmp_path):
        pass


def test_port_zero_takes_a_free_port():
    with open_listener("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert base_url(listener) == f"http://127.0.0.1:{port}"
        assert is_local(listener)


def test_a_port_that_somebody_listens_on_is_taken():
    with open_listener("127.0.0.1", 0) as first, pytest.raises(HubRefused, match="is taken"):
        open_listener("127.0.0.1", first.getsockname()[1])


def test_an_address_of_all_interfaces_is_opened_as_loopback():
    with open_listener("0.0.0.0", 0) as listener:
        assert base_url(listener).startswith("http://127.0.0.1:")
        assert not is_local(listener)


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_an_ipv6_address_is_bracketed():
    with open_listener("[::1]", 0) as listener:
        assert base_url(listener) == f"http://[::1]:{listener.getsockname()[1]}"


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid"])
def test_a_foreign_host_is_refused(host):
    with pytest.raises(HubRefused, match=host.replace(".", r"\.")):
        open_listener(host, 0)


@pytest.mark.django_db
class TestOwner:
    def test_nothing_set_gives_a_link_while_nobody_can_log_in(self):
        token = prepare_owner()
        assert token is not None
        assert is_setup_token(token)
        make_user()
        assert prepare_owner() is None

    def test_the_environment_makes_the_owner(self, settings):
        settings.ADMIN_EMAIL, settings.ADMIN_PASSWORD = "nina@example.org", PASSWORD
        assert prepare_owner() is None
        owner = User.objects.get()
        assert owner.is_superuser
        assert owner.check_password(PASSWORD)
        assert AuditEntry.objects.values_list("actor_label", "action", "target_label").get() == (
            *("StreamHub", "made the owner"),
            str(owner),
        )

    def test_a_later_start_does_not_touch_the_owner(self, settings):
        make_user(email="Nina@example.org", password=PASSWORD)
        settings.ADMIN_EMAIL, settings.ADMIN_PASSWORD = "nina@example.org", "another long password"
        assert prepare_owner() is None
        assert User.objects.get().check_password(PASSWORD)

    @pytest.mark.parametrize(
        ("email", "password", "words"),
        [
            ("nina@example.org", "", "Set both"),
            ("", PASSWORD, "Set both"),
            ("nina", PASSWORD, "is not an e-mail address"),
            ("nina@example.org", "password123", "too common"),
            ("nina@example.org", "qwzx-17", "too short"),
        ],
    )
    def test_what_the_set_up_page_would_refuse_is_refused(self, settings, email, password, words):
        settings.ADMIN_EMAIL, settings.ADMIN_PASSWORD = email, password
        with pytest.raises(HubRefused, match=words) as refusal:
            prepare_owner()
        assert not password or password not in str(refusal.value)
        assert not User.objects.exists()

    def test_setuplink_prints_a_fresh_link_until_there_is_an_owner(self):
        out = io.StringIO()
        call_command("setuplink", base_url="https://hub.example.org/", stdout=out)
        assert out.getvalue().startswith("https://hub.example.org/setup/")
        assert is_setup_token(out.getvalue().strip().rstrip("/").rpartition("/")[2])
        make_user()
        with pytest.raises(CommandError, match="An owner exists already"):
            call_command("setuplink")

    def test_setuplink_before_there_are_tables_says_what_to_do_first(self, monkeypatch):
        monkeypatch.setattr(connection.introspection, "table_names", list)
        with pytest.raises(CommandError, match=r"Start the hub once first \(make run\)\."):
            call_command("setuplink")


@pytest.mark.parametrize(
    ("engine", "name", "owns"),
    [
        ("sqlite3", "{data}/streamhub.sqlite3", True),
        ("sqlite3", "{data}/../shared.sqlite3", False),
        ("postgresql", "hub", False),
    ],
)
def test_a_hub_owns_only_a_database_in_its_own_directory(settings, tmp_path, engine, name, owns):
    settings.DATA_DIR = tmp_path / "data"
    database = {"ENGINE": f"django.db.backends.{engine}", "NAME": name.format(data=settings.DATA_DIR)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.DATABASES, "default", database)
        assert owns_its_record() is owns


@pytest.mark.django_db
class TestRecovery:
    def test_a_hub_alone_ends_every_running_turn_as_lost(self):
        running, queued = make_turn(status=Status.RUNNING), make_turn()
        now = timezone.now()
        Worker.objects.create(id="worker-1", started_at=now, heartbeat_at=now, capacity=1)
        recover(alone=True)
        running.refresh_from_db()
        queued.refresh_from_db()
        assert (running.status, running.end_reason) == ("lost", "stale_lease")
        assert queued.status == "queued"
        assert not Worker.objects.exists()

    def test_a_hub_beside_others_leaves_leases_that_hold(self):
        running = make_turn(status=Status.RUNNING)
        now = timezone.now()
        Worker.objects.create(id="alive", started_at=now, heartbeat_at=now, capacity=1)
        Worker.objects.create(id="gone", started_at=now, heartbeat_at=now - 2 * FORGOTTEN_AFTER, capacity=1)
        recover(alone=False)
        running.refresh_from_db()
        assert running.status == "running"
        assert [worker.pk for worker in Worker.objects.all()] == ["alive"]


def test_static_files_are_collected_once_and_again_after_a_change(tmp_path, settings):
    source, root, stamp = tmp_path / "source", tmp_path / "root", tmp_path / "stamp"
    source.mkdir()
    (source / "page.css").write_text("p { color: red }")
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [source], root
    settings.STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    assert collect_if_changed(root, stamp)
    assert (root / "page.css").exists()
    assert not collect_if_changed(root, stamp)
    (source / "page.css").write_text("p { color: blue }")
    assert collect_if_changed(root, stamp)
    assert "blue" in (root / "page.css").read_text()


def test_a_terminal_that_went_away_stops_no_hub():
    out = io.StringIO()
    out.close()
    Printer(out).line("anything")


@pytest.mark.parametrize(("drain", "limit"), [(1, 4.5), (25, 28.5)])
def test_a_stop_is_given_the_time_that_draining_takes(settings, drain, limit):
    settings.ENGINE_DRAIN_SECONDS = drain
    assert stop_seconds() == limit
