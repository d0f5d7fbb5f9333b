"""What supervisors and load balancers are told."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from streamhub.ops import readiness
from streamhub.ops.views import probes
from streamhub.turns.models import Worker


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch):
    """No result of another test."""
    monkeypatch.setattr(probes, "_readiness", readiness.Readiness())


@pytest.fixture
def alive(transactional_db):
    now = timezone.now()
    return Worker.objects.create(id="worker-1", started_at=now, heartbeat_at=now, capacity=10)


def test_healthz_asks_no_database(client):
    # Without a database mark any query fails the test.
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "no-store" in answer["Cache-Control"]
    assert not answer.cookies


def test_probes_take_no_writes(client):
    assert client.post("/healthz").status_code == 405
    assert client.post("/readyz").status_code == 405


def test_ready_when_everything_answers(client, alive):
    answer = client.get("/readyz")
    assert answer.json() == {
        "ok": True,
        "checks": {
            "database": {"ok": True, "words": "answers"},
            "migrations": {"ok": True, "words": "all applied"},
            "worker": {"ok": True, "words": "1 alive"},
            "broker": {"ok": True, "words": "answers"},
            "layer": {"ok": True, "words": "delivers"},
        },
    }
    assert answer.status_code == 200


@pytest.mark.django_db(transaction=True)
def test_not_ready_without_a_worker(client):
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert [name for name, check in answer.json()["checks"].items() if not check["ok"]] == ["worker"]
    assert "no heartbeat in the last 15 s" in answer.json()["checks"]["worker"]["words"]


def test_a_heartbeat_of_a_quarter_of_a_minute_ago_is_none(client, alive):
    Worker.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=16))
    assert client.get("/readyz").status_code == 503


def test_a_layer_that_is_away_is_named_and_the_rest_still_checked(client, alive, settings):
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": ["redis://:hunter2@127.0.0.1:1/0"]},
        }
    }
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert [name for name, check in answer.json()["checks"].items() if not check["ok"]] == ["layer"]
    assert "hunter2" not in answer.content.decode()


def test_an_unapplied_migration_is_counted(client, alive, monkeypatch):
    monkeypatch.setattr(readiness, "unapplied_migrations", lambda: 2)
    assert client.get("/readyz").json()["checks"]["migrations"] == {
        "ok": False,
        "words": "2 not applied: run manage.py migrate",
    }


def test_a_check_that_hangs_is_answered_for(client, alive, monkeypatch):
    never = threading.Event()
    monkeypatch.setitem(readiness._CHECKS, "database", lambda: never.wait(60))
    monkeypatch.setattr(readiness, "LIMIT_SECONDS", 1.0)
    try:
        checks = client.get("/readyz").json()["checks"]
    finally:
        never.set()
    assert checks["database"] == {"ok": False, "words": "no answer within 1 s"}
    assert checks["broker"]["ok"]


def test_what_went_wrong_is_told_to_the_log_only(client, alive, monkeypatch, caplog):
    def fail() -> readiness.Check:
        raise OSError("postgresql://hub:hunter2@db.internal refused")

    monkeypatch.setitem(readiness._CHECKS, "database", fail)
    answer = client.get("/readyz")
    assert answer.json()["checks"]["database"] == {"ok": False, "words": "no answer (OSError)"}
    assert "db.internal" in caplog.text


def test_whoever_asks_again_at_once_costs_no_new_checks(client, alive, monkeypatch):
    runs = []

    def run() -> dict[str, readiness.Check]:
        runs.append(1)
        return {}

    monkeypatch.setattr(readiness, "check_all", run)
    for _ in range(5):
        assert client.get("/readyz").status_code == 200
    assert len(runs) == 1
    monkeypatch.setattr(readiness, "KEEP_SECONDS", -1.0)
    probes._readiness._until = 0.0
    client.get("/readyz")
    client.get("/readyz")
    assert len(runs) == 3
