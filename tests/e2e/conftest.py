"""A real Chromium, the system's own: nothing is downloaded. `make test` says where it is."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.desk import OWNER, Desk, Guild
from tests.e2e.upstream import Upstream, running_upstream
from tests.e2e.watching import Tabs, tabs_of
from tests.ops.hub_process import HubProcess
from tests.services import missing

HERE = Path(__file__).parent
expect.set_options(timeout=30_000)  # a busy machine may take long over what is quick elsewhere

# Chromium looks up its maker's hosts at every start unless told not to; tests contact loopback only.
QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium_path() -> str | None:
    """Return the Chromium to drive: STREAMHUB_TEST_CHROMIUM ("off" for none), else one found on PATH."""
    named = os.environ.get("STREAMHUB_TEST_CHROMIUM")
    if named:
        return None if named == "off" else named
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder `e2e`, and give a browser test the time it needs on a busy machine."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(180))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Start the system's Chromium; as root it has no sandbox to start in."""
    path = chromium_path()
    if path is None:
        missing("no Chromium on PATH: install it or set STREAMHUB_TEST_CHROMIUM")
    as_root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    return {**browser_type_launch_args, "executable_path": path, "args": [*QUIET, *as_root]}


@pytest.fixture(autouse=True)
def _orm_beside_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright's sync interface leaves a running loop in this thread, which Django takes for async code."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")


@pytest.fixture(scope="session")
def upstream() -> Iterator[Upstream]:
    """A provider whose models are scripts."""
    with running_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """A hub with an owner, shared by all tests that keep to servers of their own."""
    hub = HubProcess(tmp_path_factory.mktemp("hub"), OWNER)
    try:
        yield hub.ready()
    finally:
        hub.end()


@pytest.fixture(scope="session")
def desk(hub: HubProcess) -> Iterator[Desk]:
    """The owner, beside the browser."""
    desk = Desk(hub)
    yield desk
    desk.close()


@pytest.fixture(scope="session")
def provider(desk: Desk, upstream: Upstream) -> int:
    """The endpoint of the shared hub that leads to `upstream`."""
    return desk.connect(upstream.url)


@pytest.fixture
def guild(desk: Desk) -> Guild:
    """A server of the test's own."""
    return desk.server("tavern", "cellar")


@pytest.fixture
def tabs(browser: Browser, hub: HubProcess, desk: Desk) -> Iterator[Tabs]:
    """Logged-in tabs on the shared hub; what they complain about fails the test."""
    with tabs_of(browser, hub.url, desk.cookies) as tabs:
        yield tabs
