"""docker-compose.yml is sound, and its lint sees what it is there for."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from scripts import healthcheck
from scripts.compose_lint import problems
from tests.architecture.source import ROOT

COMPOSE = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
DEPLOY = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
SETTINGS = "".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "streamhub" / "settings").glob("*.py")
)


def test_the_compose_file_is_sound():
    assert problems(COMPOSE, DEPLOY, SETTINGS) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("services:", "services:\n  idle: {image: 'busybox:1', restart: always}", "idle: has no healthcheck"),
        ("services:", "services:\n  idle: {restart: always}", "idle: has neither image nor build"),
        ("image: redis:7-alpine", "image: redis", "redis: image 'redis' names no version"),
        ("--pool threads", "--pool prefork", "worker: runs"),
        (":?set it in .env, see docs/deploy.md}@", ":-hub}@", "secret POSTGRES_PASSWORD must stop the start"),
        ("STREAMHUB_LOG_JSON", "STREAMHUB_LOG_XML", "nothing reads the setting STREAMHUB_LOG_XML"),
        ("    STREAMHUB_TIME_ZONE:\n", "", "STREAMHUB_TIME_ZONE of docs/deploy.md reaches no container"),
        (
            "redis: {condition: service_healthy}",
            "radis: {condition: service_healthy}",
            "'radis', which does not exist",
        ),
        (
            "service_completed_successfully",
            "service_healthy",
            "waits for 'migrate' in a way that never comes true",
        ),
        ("127.0.0.1:8000}", "8000}", "is open to every network"),
        ("- postgres-data:", "- pgdata:", "volume 'pgdata' is not declared"),
        ("stop_grace_period", "stop_grace", "worker: unknown key 'stop_grace'"),
        (
            "POSTGRES_USER: streamhub",
            "REDIS_PASSWORD: hunter2",
            "secret REDIS_PASSWORD is written into the file",
        ),
    ],
)
def test_the_lint_complains_about(old, new, complaint):
    assert old in COMPOSE
    found = problems(COMPOSE.replace(old, new), DEPLOY, SETTINGS)
    assert any(complaint in text for text in found), found


def test_the_image_runs_as_nobody_special_and_bakes_in_no_secret():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    commands = [line.split()[0] for line in lines if line and line[0].isupper()]
    assert commands.index("USER") < commands.index("EXPOSE")
    assert not any(line.startswith(("ENV", "ARG")) and ("SECRET" in line or "KEY" in line) for line in lines)
    assert "HEALTHCHECK" in commands
    assert any("--require-hashes" in line for line in lines)


def test_only_what_the_image_runs_is_sent_to_the_builder():
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in rules
    assert not any(rule.startswith(("!.env", "!data", "!.git")) for rule in rules)


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_container_is_healthy_when_healthz_answers_for_an_allowed_host(monkeypatch, status, healthy):
    asked = []

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers["Host"]))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *args):
            """Stay quiet."""

    monkeypatch.setenv("STREAMHUB_ALLOWED_HOSTS", ".hub.example.org,other")
    with HTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        assert healthcheck.is_healthy(server.server_port) is healthy
        thread.join()
    assert asked == [("/healthz", "hub.example.org")]


def test_a_hub_that_does_not_answer_is_not_healthy():
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        port = server.server_port
    assert not healthcheck.is_healthy(port)
