"""`manage.py hub` as an operator starts it: a process, its printed lines, its address, its database."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import httpx

ROOT = Path(__file__).parents[2]
HUB = (sys.executable, "manage.py", "hub")
START_SECONDS = 50
END_SECONDS = 15


class Start(Protocol):
    """Starts a hub with these variables beside the tests' own."""

    def __call__(self, **environ: str) -> "HubProcess": ...


class HubProcess:
    """A hub on a free port. `lines` grows as it prints; the log comes to the same list."""

    def __init__(
        self,
        data_dir: Path,
        environ: Mapping[str, str],
        *,
        command: Sequence[str] = HUB,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.data_dir = data_dir
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment
            or {**clean_environment(), "STREAMHUB_DATA_DIR": str(data_dir), "PORT": "0", **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """Everything printed so far."""
        return "\n".join(self.lines)

    def ready(self) -> "HubProcess":
        """Wait until it says that it serves."""
        wait_until(lambda: "Ctrl-C ends" in self.text or self.process.poll() is not None, START_SECONDS)
        assert "Ctrl-C ends" in self.text, self.text
        return self

    @property
    def url(self) -> str:
        """The printed address, without a slash at its end."""
        found = re.search(r"Open\s+(http://\S+?)/$", self.text, re.MULTILINE)
        assert found, self.text
        return found.group(1)

    @property
    def setup_url(self) -> str | None:
        """The printed set-up link."""
        found = re.search(r"Set up\s+(http://\S+)", self.text)
        return found.group(1) if found else None

    def browser(self) -> httpx.Client:
        """Return an HTTP client that keeps cookies, as a browser would."""
        return httpx.Client(base_url=self.url, timeout=20, trust_env=False)

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def wait(self, seconds: float = START_SECONDS) -> int:
        """Return the exit status, with everything that was printed in `lines`."""
        status = self.process.wait(seconds)
        self._reader.join(5)
        return status

    def end(self) -> None:
        """Make sure that the process is gone."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(END_SECONDS)
        self._reader.join(5)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what the database says, read beside the hub; `values` take the place of `?`."""
        connection = sqlite3.connect(self.data_dir / "streamhub.sqlite3", timeout=10)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))


def wait_until(is_so: Callable[[], object], seconds: float = 20) -> None:
    """Wait until something is so; a busy machine may take long, so the limit is generous."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def log_in(browser: httpx.Client, email: str, password: str) -> None:
    """Log in as the login form does."""
    page = browser.get("/login/")
    answer = post(browser, "/login/", page, email=email, password=password)
    assert answer.status_code == 302, answer.text


def post(browser: httpx.Client, path: str, page: httpx.Response, **fields: str) -> httpx.Response:
    """Post a form of `page`, with its token."""
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token, page.text[:500]
    return browser.post(path, data={"csrfmiddlewaretoken": token.group(1), **fields})


def clean_environment() -> dict[str, str]:
    """Return this environment without what would configure the hub."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("STREAM_", "STREAMHUB_")) and name not in {"HOST", "PORT"}
    }
