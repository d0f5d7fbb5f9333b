"""The hub as a process, on real sockets, from its first line to its last."""

import signal
import socket
import time

import pytest

from tests.ops.hub_process import HubProcess, Start, log_in, post, wait_until
from tests.ops.websocket_viewer import WebSocketViewer

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

COMPLAINTS = ("Traceback", "never awaited", "was destroyed", "Warning")
EMAIL, PASSWORD = "owner@example.org", "a lantern on the quay"
OWNER = {"STREAMHUB_ADMIN_EMAIL": EMAIL, "STREAMHUB_ADMIN_PASSWORD": PASSWORD}
STREAMING = "SELECT id FROM turns_turn WHERE status = 'running' AND text_chars > 100 AND phase = 'speaking'"


def test_first_run_from_set_up_to_health_on_one_hub(start_hub: Start):
    """One hub for all of it: a start takes seconds."""
    hub = start_hub().ready()
    _the_link_makes_the_owner_once(hub)
    _every_file_is_private(hub)
    _probes_answer_and_name_no_software(hub)
    _a_second_hub_on_the_same_data_is_refused(hub, start_hub)


def _the_link_makes_the_owner_once(hub: HubProcess) -> None:
    assert hub.setup_url
    with hub.browser() as browser:
        page = browser.get(hub.setup_url)
        answer = post(browser, hub.setup_url, page, email=EMAIL, name="Nina", password=PASSWORD)
        assert answer.status_code == 302, answer.text
    with hub.browser() as browser:
        log_in(browser, EMAIL, PASSWORD)
        assert browser.get("/").status_code == 200
        assert browser.get(hub.setup_url).status_code >= 400
    assert hub.rows("SELECT email, is_superuser FROM accounts_user") == [(EMAIL, 1)]


def _every_file_is_private(hub: HubProcess) -> None:
    files = {path.name: path for path in hub.data_dir.iterdir() if path.is_file()}
    assert set(files) >= {"streamhub.sqlite3", "secret.key", "encryption.key", "hub.lock"}
    assert {name for name, path in files.items() if path.stat().st_mode & 0o777 != 0o600} == set()


def _probes_answer_and_name_no_software(hub: HubProcess) -> None:
    with hub.browser() as browser:
        health = browser.get("/healthz")
        wait_until(lambda: browser.get("/readyz").status_code == 200)
    assert (health.status_code, health.text) == (200, "ok\n")
    assert "server" not in health.headers


def _a_second_hub_on_the_same_data_is_refused(first: HubProcess, start_hub: Start) -> None:
    second = start_hub()
    assert second.wait() == 1
    words = f"Another hub (process {first.process.pid}) already uses {first.data_dir}. Stop it first."
    assert second.lines == [words]
    assert first.process.poll() is None


def test_a_taken_port_is_said_in_one_line(start_hub: Start):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        hub = start_hub(PORT=str(port))
        assert hub.wait() == 1
    assert hub.lines == [
        f"Port {port} on 127.0.0.1 is taken. Stop what uses it, or choose another: PORT=8001."
    ]


def test_an_owner_that_makes_no_sense_stops_the_start(start_hub: Start):
    hub = start_hub(**OWNER | {"STREAMHUB_ADMIN_PASSWORD": "short"})
    assert hub.wait() == 1
    assert hub.lines[-1].startswith("STREAMHUB_ADMIN_PASSWORD: This password is too short.")
    assert [words for words in COMPLAINTS if words in hub.text] == []


def test_ctrl_c_ends_turns_honestly_and_the_next_start_brings_the_demo_back(start_hub: Start):
    hub = start_hub(STREAMHUB_DEMO="1", **OWNER).ready()
    assert hub.setup_url is None
    wait_until(lambda: hub.rows(STREAMING))
    before = time.monotonic()
    hub.send(signal.SIGINT)
    assert hub.wait() == 0, hub.text
    assert time.monotonic() - before < 5, hub.text
    assert hub.lines[-1] == "Stopped."
    assert [words for words in COMPLAINTS if words in hub.text] == []
    assert hub.rows("SELECT count(*) FROM turns_turn WHERE status = 'running'") == [(0,)]
    assert hub.rows("SELECT DISTINCT end_reason FROM turns_turn WHERE status = 'failed'") == [("shutdown",)]
    assert hub.rows("SELECT count(*) FROM turns_worker") == [(0,)]
    old = hub.rows("SELECT base_url FROM catalog_endpoint")

    again = start_hub().ready()
    assert again.rows("SELECT base_url FROM catalog_endpoint") != old
    wait_until(lambda: again.rows(STREAMING))


def test_viewers_are_told_to_come_back_and_idle_connections_hold_nothing_up(start_hub: Start):
    hub = start_hub(**OWNER).ready()
    with hub.browser() as browser:
        log_in(browser, EMAIL, PASSWORD)
        with WebSocketViewer(hub.url, browser.cookies["streamhub_session"]) as viewer:
            hub.send(signal.SIGTERM)
            assert viewer.close_code() == 1012
            assert hub.wait() == 0
    assert [words for words in COMPLAINTS if words in hub.text] == []


def test_a_second_signal_exits_at_once(start_hub: Start):
    hub = start_hub(STREAMHUB_DEMO="1", STREAMHUB_DRAIN_SECONDS="60", **OWNER).ready()
    wait_until(lambda: hub.rows(STREAMING))
    hub.send(signal.SIGINT)
    wait_until(lambda: "Stopping" in hub.text)
    hub.send(signal.SIGINT)
    assert hub.wait() == 130


def test_after_kill_9_turns_are_lost_with_their_text_and_their_channels_go_on(start_hub: Start):
    hub = start_hub(STREAMHUB_DEMO="1", **OWNER).ready()
    wait_until(lambda: hub.rows(STREAMING))
    hub.send(signal.SIGKILL)
    hub.wait()
    cut = hub.rows("SELECT id, text_chars, channel_id FROM turns_turn WHERE status = 'running'")
    assert len(cut) >= 4
    spans = dict(hub.rows("SELECT turn_id, max(last_seq) FROM turns_turnchunk GROUP BY turn_id"))

    again = start_hub(STREAMHUB_DEMO="1", **OWNER).ready()
    lost = again.rows("SELECT id, text_chars, channel_id FROM turns_turn WHERE status = 'lost'")
    assert sorted(lost) == sorted(cut)
    kept = dict(again.rows("SELECT turn_id, max(last_seq) FROM turns_turnchunk GROUP BY turn_id"))
    assert {turn: kept.get(turn) for turn in spans} == spans
    free = {channel for _, _, channel in lost}
    wait_until(
        lambda: (
            free
            & {row[0] for row in again.rows("SELECT channel_id FROM turns_turn WHERE status = 'running'")}
        )
    )
    with again.browser() as browser:
        log_in(browser, EMAIL, PASSWORD)


def test_the_demo_streams_within_seconds_of_the_click_and_goes_with_another(start_hub: Start):
    hub = start_hub(**OWNER).ready()
    with hub.browser() as browser:
        log_in(browser, EMAIL, PASSWORD)
        assert post(browser, "/demo/start/", browser.get("/")).status_code == 302
        wait_until(lambda: hub.rows("SELECT 1 FROM turns_turn WHERE text_chars > 0"), 10)
        begun = "SELECT count(DISTINCT channel_id) FROM turns_turn WHERE status IN ('running', 'completed')"
        wait_until(lambda: hub.rows(begun) == [(6,)], 10)
        assert post(browser, "/demo/remove/", browser.get("/")).status_code == 302
        for table in ("turns_turn", "servers_server", "catalog_endpoint", "catalog_languagemodel"):
            assert hub.rows(f"SELECT count(*) FROM {table}") == [(0,)]
    hub.send(signal.SIGINT)
    assert hub.wait() == 0
    assert [words for words in COMPLAINTS if words in hub.text] == []


def test_a_setting_that_makes_no_sense_is_said_in_one_line(start_hub: Start):
    hub = start_hub(PORT="eighty")
    assert hub.wait() == 1
    assert hub.lines == ["Configuration: PORT: write a whole number, not 'eighty'."]
