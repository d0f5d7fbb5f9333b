"""A hub in a process of its own, on a free port and a data directory of its own, for scripts that look at it."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import BrowserContext

ROOT = Path(__file__).resolve().parent.parent
EMAIL, PASSWORD = "owner@example.org", "a lantern on the quay"
START_SECONDS, END_SECONDS = 60, 15
OPEN = re.compile(r"Open\s+(http://\S+?)/$", re.MULTILINE)
SET_UP = re.compile(r"Set up\s+(http://\S+)")


class Side:
    """A running hub: its process, its address, and its owner's session."""

    def __init__(self, process: "subprocess.Popen[str]", printed: str) -> None:
        self.process = process
        self.url = _found(OPEN, printed)
        self._printed = printed

    @property
    def setup_url(self) -> str:
        """The set-up link, while nobody owns the hub."""
        return _found(SET_UP, self._printed)

    def owner(self) -> httpx.Client:
        """Return a client that is logged in as the owner."""
        client = httpx.Client(base_url=self.url, timeout=30, trust_env=False)
        answer = self.post(client, "/login/", "/login/", email=EMAIL, password=PASSWORD)
        assert answer.status_code == httpx.codes.FOUND, answer.status_code
        return client

    def post(self, client: httpx.Client, page: str, path: str, **fields: str) -> httpx.Response:
        """Post a form that stands on `page`, with its token."""
        token = _found(re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"'), client.get(page).text)
        return client.post(path, data={"csrfmiddlewaretoken": token, **fields})

    def log_in(self, context: BrowserContext) -> None:
        """Give a browser context the owner's session."""
        with closing(self.owner()) as client:
            for name, value in client.cookies.items():
                context.add_cookies([{"name": name, "value": value, "url": self.url}])


@contextmanager
def running_hub(data_dir: Path, *, owner: bool = True, demo: bool = False) -> Iterator[Side]:
    """Run a hub, with an owner or still to be set up, with the demo or empty."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("STREAM_", "STREAMHUB_"))
    }
    environ = {**kept, "STREAMHUB_DATA_DIR": str(data_dir), "PORT": "0", "HOST": "127.0.0.1"}
    if owner:
        environ |= {"STREAMHUB_ADMIN_EMAIL": EMAIL, "STREAMHUB_ADMIN_PASSWORD": PASSWORD}
    if demo:
        environ["STREAMHUB_DEMO"] = "1"
    process = subprocess.Popen(
        [sys.executable, "manage.py", "hub"],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield Side(process, _read_until_ready(process))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(END_SECONDS)


def _read_until_ready(process: "subprocess.Popen[str]") -> str:
    """Return what the hub prints up to the line that says it serves; the rest is read and dropped."""
    lines: list[str] = []
    ready = threading.Event()

    def read() -> None:
        for line in process.stdout or ():
            if not ready.is_set():
                lines.append(line)
            if "Ctrl-C ends" in line:
                ready.set()
        ready.set()

    threading.Thread(target=read, daemon=True).start()
    ready.wait(START_SECONDS)
    return "".join(lines)


def _found(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    assert found, text[-2000:]
    return found.group(1)
