"""Parts in processes of their own, over Redis: a Celery worker with its engine, and the hub on a shared broker."""

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from providers.simulator.server import Simulator
from tests.ops.hub_process import ROOT, HubProcess, clean_environment, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.redis, pytest.mark.timeout(240)]

WORKER = [sys.executable, "-m", "celery", "-A", "streamhub", "worker", "--pool", "threads", "-c", "2"]
START = "from streamhub.ops.demo import rows; rows.ensure({url!r}, None); print(rows.play_now())"


@pytest.fixture
def provider() -> Iterator[str]:
    """The address of a simulator on a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    simulator = Simulator()
    asyncio.run_coroutine_threadsafe(simulator.start(), loop).result(10)
    yield simulator.url
    asyncio.run_coroutine_threadsafe(simulator.aclose(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


def test_a_worker_runs_turns_and_ends_them_honestly_when_it_stops(tmp_path, redis_url, provider):
    environ = {
        **clean_environment(),
        "STREAMHUB_DATA_DIR": str(tmp_path),
        "STREAMHUB_REDIS_URL": redis_url,
        "STREAMHUB_DRAIN_SECONDS": "1",
        "DJANGO_SETTINGS_MODULE": "streamhub.settings",
    }

    def manage(*arguments: str) -> None:
        subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environ, check=True, timeout=120
        )

    manage("migrate", "-v0")
    record = HubProcess(tmp_path, {}, command=WORKER, environment=environ)
    try:
        wait_until(lambda: record.rows("SELECT 1 FROM turns_worker"), 60)
        manage("shell", "-v0", "-c", START.format(url=provider))
        wait_until(lambda: record.rows("SELECT 1 FROM turns_turn WHERE text_chars > 50"))
        record.send(signal.SIGTERM)
        assert record.wait() == 0, record.text
    finally:
        record.end()
    ends = set(record.rows("SELECT status, end_reason FROM turns_turn"))
    assert ("failed", "shutdown") in ends, record.text
    assert ends <= {("failed", "shutdown"), ("completed", "natural")}
    assert record.rows("SELECT count(*) FROM turns_worker") == [(0,)]


def test_the_hub_runs_on_a_shared_broker_too(start_hub, redis_url):
    owner = {"STREAMHUB_ADMIN_EMAIL": "o@example.org", "STREAMHUB_ADMIN_PASSWORD": "a lantern on the quay"}
    hub = start_hub(
        STREAMHUB_REDIS_URL=redis_url, STREAMHUB_DEMO="1", STREAMHUB_DRAIN_SECONDS="1", **owner
    ).ready()
    wait_until(lambda: hub.rows("SELECT 1 FROM turns_turn WHERE text_chars > 50"))
    with hub.browser() as browser:
        wait_until(lambda: browser.get("/readyz").status_code == 200)
    hub.send(signal.SIGINT)
    assert hub.wait() == 0, hub.text
    assert "Traceback" not in hub.text
    assert hub.rows("SELECT count(*) FROM turns_turn WHERE status = 'running'") == [(0,)]
