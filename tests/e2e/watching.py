"""How the tests look at pages: logged-in tabs, everything a browser complains about, the text that is on the screen."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

from streamhub.console.templatetags.live import visible

# Everything but the notes between the text: what the stream itself put there.
PANE_TEXT = """() => {
  const copy = document.querySelector("#pane").cloneNode(true);
  for (const note of copy.querySelectorAll(".guardnote")) note.remove();
  return copy.textContent;
}"""
OVERFLOW = "() => document.scrollingElement.scrollWidth - innerWidth"
PATIENCE_MS = 60_000
REFUSED_FORM = r"status of 4(09|10|22)"
LEFT_EARLY = "WebSocket is closed before the connection is established"  # the page was left; that is no fault
LOST_SOCKET = r"WebSocket connection to|ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION"


class Tabs:
    """Opens tabs and keeps what they complain about: errors of scripts, refusals of the CSP, strangers contacted."""

    def __init__(self, browser: Browser, base_url: str, cookies: list[Any]) -> None:
        self._browser = browser
        self._base_url = base_url
        self._cookies = cookies
        self._contexts: list[BrowserContext] = []
        self._allowed: list[str] = []
        self.problems: list[str] = []
        self.dialogs: list[str] = []

    def context(self, *, logged_in: bool = True, **options: Any) -> BrowserContext:
        """Return a fresh context, closed at the end of the test."""
        context = self._browser.new_context(base_url=self._base_url, **options)
        context.set_default_timeout(PATIENCE_MS)
        if logged_in:
            context.add_cookies(self._cookies)
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.problems.append(f"script error: {error.error}"))
        context.on("request", self._asked)
        context.on("page", lambda page: page.on("dialog", self._interrupted))
        self._contexts.append(context)
        return context

    def open(self, path: str, **options: Any) -> Page:
        """Open a page in a context of its own."""
        page = self.context(**options).new_page()
        page.goto(path)
        return page

    def allow(self, *patterns: str) -> None:
        """Take complaints that fit a pattern for what the test provoked."""
        self._allowed += patterns

    def close(self) -> None:
        """Close everything, and fail if a page complained."""
        for context in self._contexts:
            context.close()
        told = [
            problem for problem in self.problems if not any(re.search(one, problem) for one in self._allowed)
        ]
        assert not told, told
        assert not self.dialogs, self.dialogs

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and LEFT_EARLY not in message.text:
            self.problems.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self._base_url, "data:")):
            self.problems.append(f"it asked a stranger: {request.url}")

    def _interrupted(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@contextmanager
def tabs_of(browser: Browser, base_url: str, cookies: list[Any]) -> Iterator[Tabs]:
    """Open tabs for one test."""
    tabs = Tabs(browser, base_url, cookies)
    try:
        yield tabs
    finally:
        tabs.close()


def text_on(page: Page) -> str:
    """Return the text that the channel page shows."""
    return str(page.evaluate(PANE_TEXT))


def wait_for_end(page: Page) -> None:
    """Wait until the channel page says that its turn is over."""
    expect(page.locator("#turnhead[data-gone]")).to_be_attached(timeout=PATIENCE_MS)


def expect_text(page: Page, text: str) -> None:
    """Wait until exactly this text is shown; on a difference, say where it begins."""
    wanted = visible(text)
    page_wait(page, lambda: len(text_on(page)) >= len(wanted))
    shown = text_on(page)
    assert shown == wanted, _first_difference(shown, wanted)


def page_wait(page: Page, is_so: Callable[[], object], limit_ms: int = PATIENCE_MS) -> None:
    """Wait while Playwright goes on serving the page's routes, which a plain sleep would stop."""
    for _ in range(limit_ms // 100):
        if is_so():
            return
        page.wait_for_timeout(100)
    assert is_so(), "it did not happen in time"


def _first_difference(shown: str, wanted: str) -> str:
    at = next((n for n, pair in enumerate(zip(shown, wanted, strict=False)) if pair[0] != pair[1]), None)
    at = min(len(shown), len(wanted)) if at is None else at
    near = slice(max(0, at - 40), at + 40)
    return (
        f"{len(shown)} of {len(wanted)} characters, different at {at}: {shown[near]!r} for {wanted[near]!r}"
    )
