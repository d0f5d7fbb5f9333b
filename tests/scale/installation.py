"""StreamHub scaled out as docker-compose.yml has it, as plain processes: web, beat, workers, PostgreSQL and Redis."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx

from tests.ops.hub_process import HubProcess, clean_environment, post, wait_until
from tests.scale.compose import command_of
from tests.scale.stores import rows

START_SECONDS = 150
# What the image has done at build time, and what docs/deploy.md has the operator do; one process for both.
PREPARE = """
from django.core.management import call_command
call_command("collectstatic", interactive=False, verbosity=0)
call_command("setuplink", base_url="http://hub")
"""
# Few enough that a handful of turns needs a second worker.
CAPACITY = 4


class Worker(HubProcess):
    """A worker process; its pid is part of the name under which it claims turns."""

    def pause(self) -> None:
        """Stop it from doing anything, so that other workers get the next turns."""
        self.send(signal.SIGSTOP)

    def go_on(self) -> None:
        """End the pause."""
        self.send(signal.SIGCONT)

    def runs(self, worker_id: str) -> bool:
        """Whether that is this process."""
        return worker_id.split("-")[-2] == str(self.process.pid)


class Installation:
    """The processes of one installation. `desk.Desk` drives it as it drives a hub."""

    def __init__(self, folder: Path, database_url: str, redis_url: str) -> None:
        self._folder = folder
        self._database_url = database_url
        self._processes: list[HubProcess] = []
        self._environment = {
            **clean_environment(),
            "DJANGO_SETTINGS_MODULE": "streamhub.settings",
            "STREAMHUB_DATABASE_URL": database_url,
            "STREAMHUB_REDIS_URL": redis_url,
            "STREAMHUB_SECRET_KEY": "signs the sessions of a test",
            "STREAMHUB_ENCRYPTION_KEYS": "encrypts the keys of a test",
            "STREAMHUB_DATA_DIR": str(folder),
            "STREAMHUB_ENGINE_CAPACITY": str(CAPACITY),
            "STREAMHUB_DRAIN_SECONDS": "1",
        }

    def start(self, email: str, password: str) -> None:
        """Prepare the database and the static files, start web, beat and a worker, and create the owner."""
        self._run_to_its_end(command_of("migrate"))
        printed = self._run_to_its_end([*command_of("migrate")[:2], "shell", "-v0", "-c", PREPARE])
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._run(command_of("web", b="127.0.0.1", p=str(port)))
        self._run(command_of("beat", schedule=str(self._folder / "beat-schedule")))
        self.worker = self.begin_worker()
        self._ready()
        self._create_owner(printed.rpartition("http://hub")[2].strip(), email, password)

    def browser(self) -> httpx.Client:
        """Return an HTTP client that keeps cookies."""
        return httpx.Client(base_url=self.url, timeout=20, trust_env=False)

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what the database says."""
        return rows(self._database_url, sql, *values)

    @contextmanager
    def another_worker(self, **environ: str) -> Iterator[Worker]:
        """Run a second worker; whatever is left of it at the end is killed."""
        worker = self.begin_worker(**environ)
        try:
            wait_until(lambda: self._greets(worker), START_SECONDS)
            yield worker
        finally:
            worker.end()

    def begin_worker(self, **environ: str) -> Worker:
        """Start a worker, without waiting. In containers each has a host name, here a node name, of its own."""
        name = f"w{len(self._processes)}@%h"
        command = [*command_of("worker"), "--hostname", name]
        worker = Worker(self._folder, {}, command=command, environment={**self._environment, **environ})
        self._processes.append(worker)
        return worker

    def worker_of(self, turn: UUID) -> str:
        """Return the name of the worker that claimed a turn."""
        ((name,),) = self.rows("SELECT worker_id FROM turns_turn WHERE id = ?", turn)
        return str(name)

    @property
    def text(self) -> str:
        """Everything that all processes have printed."""
        return "\n".join(process.text for process in self._processes)

    def end(self) -> None:
        """End every process."""
        for process in self._processes:
            process.end()

    def _run(self, command: list[str]) -> HubProcess:
        process = HubProcess(self._folder, {}, command=command, environment=self._environment)
        self._processes.append(process)
        return process

    def _run_to_its_end(self, command: list[str]) -> str:
        process = self._run(command)
        assert process.wait(START_SECONDS) == 0, process.text
        return process.text

    def _greets(self, worker: Worker) -> bool:
        assert worker.process.poll() is None, worker.text
        return any(worker.runs(name) for (name,) in self.rows("SELECT id FROM turns_worker"))

    def _ready(self) -> None:
        with self.browser() as browser:

            def answers() -> bool:
                with suppress(httpx.ConnectError):
                    return browser.get("/readyz").status_code == 200
                return False

            wait_until(answers, START_SECONDS)

    def _create_owner(self, link: str, email: str, password: str) -> None:
        with self.browser() as browser:
            answer = post(browser, link, browser.get(link), email=email, name="Nina", password=password)
            assert answer.status_code == 302, answer.text


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])
