"""Measure what the wall costs: `python -m scripts.wall_load [--streams 50] [--rate 20] [--seconds 30]`.

Starts a simulator and a hub of its own, lets `streams` channels stream at `rate` tokens a second, opens the wall in
one Chromium tab and reports what the tab's renderer and the hub used of a core. Not part of `make test`: it measures
the machine as much as the code.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

import httpx
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from providers.simulator.server import Simulator
from scripts.hub_on_the_side import Side, running_hub
from scripts.quiet_chromium import launch

TICKS = os.sysconf("SC_CLK_TCK")
SETTLE_SECONDS = 5
TARGET_SHARE = 1 / 3
WATCH_LONG_TASKS = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
  }).observe({ type: "longtask" });
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Seconds: of the clock, of a core in three places, and that the page's main thread was in a task."""

    clock: float
    tab: float
    browser: float
    hub: float
    tasks: float

    def __sub__(self, before: "Cost") -> "Cost":
        names = (field.name for field in fields(self))
        return Cost(**{name: getattr(self, name) - getattr(before, name) for name in names})


def main() -> int:
    """Measure and print; return 1 if the tab took more than its share."""
    parser = argparse.ArgumentParser(description="Measure what the wall costs a browser tab and the hub.")
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--rate", type=int, default=20, help="tokens a second, each stream")
    parser.add_argument("--seconds", type=int, default=30)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as data_dir,
        running_simulator() as url,
        running_hub(Path(data_dir)) as hub,
        sync_playwright() as playwright,
    ):
        with closing(hub.owner()) as client:
            start_streams(hub, client, url, given.streams, f"talk:length=200000,pace={given.rate}")
        browser = launch(playwright)
        share = measure(browser, hub, given.streams, given.seconds)
        browser.close()
    return int(share > TARGET_SHARE)


@contextmanager
def running_simulator() -> Iterator[str]:
    """Run a simulator on a thread of its own; yields its base URL."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    simulator = Simulator()
    asyncio.run_coroutine_threadsafe(simulator.start(), loop).result(10)
    try:
        yield simulator.url
    finally:
        asyncio.run_coroutine_threadsafe(simulator.aclose(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def start_streams(hub: Side, client: httpx.Client, url: str, count: int, model_id: str) -> None:
    """Make a server with `count` channels, all on one model, and start a turn in each."""
    hub.post(
        client,
        "/endpoints/new/",
        "/endpoints/new/",
        name="Load",
        kind="custom",
        base_url=url,
        model_id=model_id,
    )
    hub.post(client, "/servers/new/", "/servers/new/", name="Load")
    hub.post(client, "/servers/load/", "/servers/load/save/model/", model="1")
    for number in range(1, count + 1):
        hub.post(client, "/servers/load/", "/servers/load/channels/", name=f"channel {number}")
        path = f"/channels/{number}/"
        answer = hub.post(client, path, f"{path}start/", text="Tell me a long story.")
        assert answer.status_code == httpx.codes.FOUND, (number, answer.status_code)


def measure(browser: Browser, hub: Side, streams: int, seconds: int) -> float:
    """Watch the wall for a while, print what it cost, and return the renderer's share of a core."""
    context = browser.new_context(base_url=hub.url, viewport={"width": 1280, "height": 900})
    hub.log_in(context)
    page = context.new_page()
    page.goto("/")
    page.wait_for_function(f"document.querySelectorAll('.stream').length >= {streams}", timeout=60_000)
    page.wait_for_timeout(SETTLE_SECONDS * 1000)
    page.evaluate(WATCH_LONG_TASKS)
    session = context.new_cdp_session(page)
    session.send("Performance.enable")

    def read() -> Cost:
        return Cost(
            clock=time.monotonic(),
            tab=cpu_seconds(tab_pid),
            browser=sum(cpu_seconds(pid) for pid in pids),
            hub=cpu_seconds(hub.process.pid),
            tasks=task_seconds(session),
        )

    tab_pid, pids = processes_of(browser)
    before = read()
    page.wait_for_timeout(seconds * 1000)
    cost = read() - before
    report(page, streams, cost)
    return cost.tab / cost.clock


def report(page: Page, streams: int, cost: Cost) -> None:
    """Print the figures."""
    longest = page.evaluate("window.longest")
    alive = page.locator(".stream:not([data-gone])").count()
    print(f"{streams} streams, {alive} live at the end, watched for {cost.clock:.1f} s")
    print(f"the tab's renderer     {cost.tab / cost.clock:6.1%} of a core (target {TARGET_SHARE:.0%})")
    print(f"all of the browser     {cost.browser / cost.clock:6.1%} of a core")
    print(f"the hub                {cost.hub / cost.clock:6.1%} of a core")
    print(f"main thread occupied   {cost.tasks / cost.clock:6.1%} of the time, waits for a core included")
    print(f"longest task           {f'{longest:.0f} ms' if longest else 'under 50 ms'}")


def processes_of(browser: Browser) -> tuple[int, list[int]]:
    """Return the process that draws the page, which is the busiest renderer, and all processes of the browser."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    renderers = [one for one in processes if one["type"] == "renderer"]
    return int(max(renderers, key=lambda one: one["cpuTime"])["id"]), [int(one["id"]) for one in processes]


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process so far, in user and system mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def task_seconds(session: CDPSession) -> float:
    """Return how long the page's main thread was busy so far."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


if __name__ == "__main__":
    sys.exit(main())
