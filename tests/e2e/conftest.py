"""A real Chromium, the system's own: nothing is downloaded. `make test` says where it is."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.services import missing

HERE = Path(__file__).parent

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
