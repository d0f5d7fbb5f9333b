"""Draw every page of a hub with the demo: `python -m scripts.screenshots FOLDER [--wall FILE]`.

Starts a hub of its own on a free port with a data directory of its own, and ends it. Needs Chromium and the
development environment. `--wall` writes the picture of the README.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from scripts.hub_on_the_side import Side, running_hub
from scripts.quiet_chromium import launch

SIZES = {"1280": (1280, 900), "360": (360, 800)}
SCHEMES = ("dark", "light")
SHOWN_AFTER_SECONDS = 22  # by then two streams of the demo have stalled, and the first ones have ended


def main() -> int:
    """Write the pictures; return the exit status."""
    parser = argparse.ArgumentParser(description="Draw every page of a hub with the demo.")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument(
        "--wall", type=Path, metavar="FILE", help="write the README's picture of the wall here"
    )
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, _closing(launch(playwright)) as browser:
        _draw_set_up(browser, given.folder)
        with tempfile.TemporaryDirectory() as data_dir, running_hub(Path(data_dir), demo=True) as hub:
            _draw_console(browser, hub, given.folder, given.wall)
    return 0


@contextmanager
def _closing(browser: Browser) -> Iterator[Browser]:
    try:
        yield browser
    finally:
        browser.close()


def _draw_set_up(browser: Browser, folder: Path) -> None:
    """Draw the pages that exist before anybody owns the hub."""
    with tempfile.TemporaryDirectory() as data_dir, running_hub(Path(data_dir), owner=False) as hub:
        context = browser.new_context(base_url=hub.url)
        _draw(context, {"setup": hub.setup_url}, folder)


def _draw_console(browser: Browser, hub: Side, folder: Path, wall: Path | None) -> None:
    """Draw all other pages, once every phase is to be seen."""
    stranger = browser.new_context(base_url=hub.url)
    _draw(stranger, {"login": "/login/"}, folder)
    context = browser.new_context(
        base_url=hub.url, viewport={"width": 1280, "height": 900}, color_scheme="dark"
    )
    hub.log_in(context)
    page = context.new_page()
    page.goto("/")
    page.wait_for_function("document.querySelectorAll('.stream').length >= 6", timeout=60_000)
    page.locator(".stream[data-phase=stalled]").first.wait_for(timeout=90_000)
    time.sleep(SHOWN_AFTER_SECONDS if wall else 0)
    if wall:
        wall.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=wall)
    _draw(context, {"wall": "/", **_pages(page)}, folder)


def _pages(page: Page) -> dict[str, str]:
    """Return the pages to draw, found by the links that people follow."""
    channel = page.locator(".stream h3 a", has_text="#war-room").first.get_attribute("href")
    stuck = page.locator(".stream h3 a", has_text="#old-well").first.get_attribute("href")
    page.goto("/endpoints/")
    endpoint = page.locator("main a[href^='/endpoints/']:not([href$='/new/'])").first.get_attribute("href")
    page.goto(f"{channel}?view=earlier")
    page.goto(f"{stuck}")
    turn = page.locator("#turnhead a[href^='/turns/']").first.get_attribute("href")
    return {
        "channel": f"{channel}",
        "turn": f"{turn}",
        "servers": "/servers/",
        "server": "/servers/demo-lantern-guild/",
        "endpoints": "/endpoints/",
        "endpoint": f"{endpoint}",
        "endpoint-new": "/endpoints/new/",
        "rules": "/rules/",
        "rule-new": "/rules/new/",
        "audit": "/audit/",
    }


def _draw(context: BrowserContext, pages: dict[str, str], folder: Path) -> None:
    """Write each page in both sizes and schemes, the first screen of it."""
    page = context.new_page()
    for name, path in pages.items():
        page.goto(path)
        for label, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for scheme in SCHEMES:
                page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
                page.wait_for_timeout(400)  # colours fade, and a live page draws once more
                page.screenshot(path=folder / f"{name}-{label}-{scheme}.png")
    context.close()


if __name__ == "__main__":
    sys.exit(main())
