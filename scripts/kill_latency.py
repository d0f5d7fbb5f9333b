"""Measure a kill from both ends: the HTTP POST of a person's click, and the moment the provider sees its socket close.

Starts a hub and a simulator on loopback, runs `--rounds` turns in each phase and kills each with one POST. Both clocks
are this machine's. Prints one line a phase: p50, p99 and the worst, in milliseconds. `--busy N` keeps N more streams
running meanwhile.

    .venv/bin/python scripts/kill_latency.py --rounds 50
"""

import argparse
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import httpx

ROOT = Path(__file__).resolve().parent.parent
EMAIL, PASSWORD = "owner@example.org", "kill-latency-42"
PHASES = {
    "connecting (headers)": ("hold", "connecting"),
    "waiting": ("silent", "waiting"),
    "thinking": ("think:pace=20,think_length=40000", "thinking"),
    "streaming": ("talk:pace=20,repeat=50", "speaking"),
    "stalled": ("stall:after=40", "speaking"),
    "trickle": ("trickle:interval=0.2", "speaking"),
}


@dataclass
class Stage:
    """A running hub and simulator, and a browser's session."""

    web: httpx.Client
    simulator: str
    token: str

    def post(self, path: str, **fields: str) -> httpx.Response:
        """Post a form as the page would."""
        return self.web.post(path, data={"csrfmiddlewaretoken": self.token, **fields})

    def kill(self, turn: str) -> httpx.Response:
        """Post the kill button of a turn, named by the hex digits of its id."""
        return self.post(f"/turns/{UUID(turn)}/kill/")

    def connections(self) -> list[dict[str, object]]:
        """What the simulator knows about its connections."""
        found: list[dict[str, object]] = httpx.get(f"{self.simulator}/_simulator/connections").json()[
            "connections"
        ]
        return found


def main() -> int:
    """Run every phase and print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--busy", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as (hub, simulator):
        stage = log_in(hub, simulator)
        prepare(Path(folder), simulator, options.busy)
        start_busy(stage, Path(folder), options.busy)
        print(f"{'phase':22} {'n':>4} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8}   answer p50")
        for name, (script, phase) in PHASES.items():
            report(name, [kill_one(stage, Path(folder), script, phase) for _ in range(options.rounds)])
        report("queued (answer only)", [kill_queued(stage, Path(folder)) for _ in range(options.rounds)])
    return 0


def report(name: str, samples: list[tuple[float, float]]) -> None:
    """Print one phase: from the click to the closed socket, and to the answer of the POST."""
    closed = sorted(sample[0] for sample in samples)
    answers = sorted(sample[1] for sample in samples)
    p99 = closed[min(len(closed) - 1, round(len(closed) * 0.99))]
    print(
        f"{name:22} {len(closed):4} {statistics.median(closed):8.1f} {p99:8.1f} {closed[-1]:8.1f}"
        f"   {statistics.median(answers):.1f}",
        flush=True,
    )


def kill_one(stage: Stage, folder: Path, script: str, phase: str) -> tuple[float, float]:
    """Start a turn, wait for its phase, kill it; return milliseconds to the closed socket and to the answer."""
    turn, known = start_turn(stage, folder, script)
    wait(lambda: sql(folder, "select phase from turns_turn where id = ?", turn) == phase)
    ledger_id = wait(lambda: newest(stage, script, known))
    clicked = time.time()
    answer = stage.kill(turn)
    answered = (time.time() - clicked) * 1000
    assert answer.status_code in (200, 302), answer.text
    closed = wait(lambda: closed_at(stage, ledger_id))
    wait(lambda: sql(folder, "select status from turns_turn where id = ?", turn) == "killed")
    return (closed - clicked) * 1000, answered


def kill_queued(stage: Stage, folder: Path) -> tuple[float, float]:
    """Kill a turn that waits behind another; return milliseconds to the answer, after which it can never connect."""
    first, _ = start_turn(stage, folder, "silent")
    turn, _ = start_turn(stage, folder, "silent", again=True)
    clicked = time.time()
    stage.kill(turn)
    answered = (time.time() - clicked) * 1000
    assert sql(folder, "select status from turns_turn where id = ?", turn) == "killed"
    stage.kill(first)
    wait(lambda: sql(folder, "select status from turns_turn where id = ?", first) == "killed")
    return answered, answered


def newest(stage: Stage, script: str, known: set[object]) -> object:
    """Return the id of the connection that was opened for this turn, None until there is one."""
    found = [
        entry["id"] for entry in stage.connections() if entry["model"] == script and entry["id"] not in known
    ]
    return found[-1] if found else None


def closed_at(stage: Stage, ledger_id: object) -> float | None:
    """When the simulator saw that connection close, None while it is open."""
    for entry in stage.connections():
        if entry["id"] == ledger_id and entry["state"] == "closed_by_client":
            at = entry["closed_at"]
            assert isinstance(at, float)
            return at
    return None


def start_turn(stage: Stage, folder: Path, script: str, *, again: bool = False) -> tuple[str, set[object]]:
    """Post the composer of the measured channel; return the new turn and the connections known before."""
    known = {entry["id"] for entry in stage.connections()}
    before = sql(folder, "select count(*) from turns_turn where channel_id = 1")
    model = sql(folder, "select id from catalog_languagemodel where model_id = ?", script)
    answer = stage.post("/channels/1/start/", text="Where is the ferry?", model=str(model))
    assert answer.status_code in (200, 204, 302), answer.text[:2000]
    wait(lambda: sql(folder, "select count(*) from turns_turn where channel_id = 1") != before)
    turn = sql(folder, "select id from turns_turn where channel_id = 1 order by created_at desc limit 1")
    return str(turn), known


def wait(look, seconds: float = 20.0, pause: float = 0.005):  # type: ignore[no-untyped-def]
    """Return the first true answer of `look`."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise TimeoutError("it did not happen")
        time.sleep(pause)
    return found


def sql(folder: Path, statement: str, *values: object) -> object:
    """Return the first value of a query, read beside the hub."""
    import sqlite3

    with sqlite3.connect(folder / "streamhub.sqlite3", timeout=20) as connection:
        row = connection.execute(statement, values).fetchone()
    return row[0] if row else None


def log_in(hub: str, simulator: str) -> Stage:
    """Log in and return the session."""
    web = httpx.Client(base_url=hub, timeout=20, trust_env=False)
    page = web.get("/login/")
    name = "email" if 'name="email"' in page.text else "username"
    answer = web.post(
        "/login/", data={"csrfmiddlewaretoken": token_of(page), name: EMAIL, "password": PASSWORD}
    )
    assert answer.status_code == 302, answer.text
    return Stage(web, simulator, token_of(web.get("/")))


def token_of(page: httpx.Response) -> str:
    """Return the form token of a page."""
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text) or re.search(
        r'X-CSRFToken[^:]*:\s*(?:&quot;|")([^"&]+)', page.text
    )
    assert found, page.text[:1000]
    return found.group(1)


def prepare(folder: Path, simulator: str, busy: int) -> None:
    """Make the rows of the measurement: a server, channels, and a model for each script."""
    code = f"""
from tests.builders import make_server, make_channel, make_endpoint, make_model
server = make_server(name="Latency", slug="latency")
endpoint = make_endpoint(name="Simulator", base_url={simulator + "/v1"!r})
for n in range({busy} + 1):
    make_channel(server=server, name=f"channel-{{n}}")
for script in {[script for script, _ in PHASES.values()]!r}:
    make_model(endpoint=endpoint, model_id=script)
"""
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", code.strip()]
    subprocess.run(command, cwd=ROOT, env=environment(folder), check=True)


def start_busy(stage: Stage, folder: Path, busy: int) -> None:
    """Start the streams that only keep the hub busy."""
    model = sql(folder, "select id from catalog_languagemodel where model_id = ?", PHASES["streaming"][0])
    for channel in range(2, busy + 2):
        stage.post(f"/channels/{channel}/start/", text="Keep talking.", model=str(model))
    wait(
        lambda: sql(folder, "select count(*) from turns_turn where phase = 'speaking'") == busy or not busy,
        60,
    )


@contextmanager
def running(folder: Path) -> Iterator[tuple[str, str]]:
    """Run a hub and a simulator; yield their addresses and end both."""
    port = free_port()
    hub = subprocess.Popen(
        [sys.executable, "manage.py", "hub"],
        cwd=ROOT,
        env={**environment(folder), "PORT": str(port)},
        stdout=subprocess.DEVNULL,
    )
    simulator_port = free_port()
    simulator = subprocess.Popen(
        [sys.executable, "-m", "providers", "simulate", "--port", str(simulator_port)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    try:
        for url in (f"http://127.0.0.1:{port}/readyz", f"http://127.0.0.1:{simulator_port}/v1/models"):
            wait(lambda url=url: answers(url), 60, 0.3)
        yield f"http://127.0.0.1:{port}", f"http://127.0.0.1:{simulator_port}"
    finally:
        for process in (hub, simulator):
            process.send_signal(signal.SIGINT)
            process.wait(15)


def answers(url: str) -> bool:
    """Tell whether something answers well there."""
    try:
        return httpx.get(url).status_code == 200
    except httpx.TransportError:
        return False


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of the measured hub."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("STREAM_", "STREAMHUB_"))
    }
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "streamhub.settings",
        "STREAMHUB_DATA_DIR": str(folder),
        "STREAMHUB_ADMIN_EMAIL": EMAIL,
        "STREAMHUB_ADMIN_PASSWORD": PASSWORD,
        "STREAMHUB_LOG_LEVEL": "WARNING",
    }


if __name__ == "__main__":
    sys.exit(main())
