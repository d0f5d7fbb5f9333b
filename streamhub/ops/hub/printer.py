"""What the hub prints for the person who started it. Everything else goes to the log."""

from pathlib import Path
from typing import TextIO

from django.urls import reverse

from streamhub import __version__


class Printer:
    """Writes lines to a stream and flushes each: a log collector or a test reads them at once."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def line(self, text: str = "") -> None:
        """Print one line. A closed terminal is no reason to stop serving."""
        try:
            self._out.write(f"{text}\n")
            self._out.flush()
        except (OSError, ValueError):
            pass

    def doing(self, what: str) -> None:
        """Announce a step of the start-up that may take a moment."""
        self.line(f"  {what}")

    def welcome(self, data_dir: Path) -> None:
        """Print the first line."""
        self.line(f"StreamHub {__version__}, data in {data_dir}")

    def ready(self, url: str, setup_token: str | None, *, is_local: bool) -> None:
        """Print where the hub is, and how to get in while nobody can."""
        self.line()
        self.line(f"  Open    {url}/")
        if setup_token:
            self.line(f"  Set up  {setup_url(url, setup_token)}")
            self.line("          This link makes the owner. It works once.")
        if not is_local:
            self.line("  Other machines reach this port: put TLS in front,")
            self.line("  and name the host in STREAMHUB_ALLOWED_HOSTS.")
        self.line()
        self.line("  Ctrl-C ends the running turns and stops.")

    def stopping(self, grace_seconds: int) -> None:
        """Print that the first signal was heard."""
        self.line(f"Stopping: running turns get {grace_seconds} s. Ctrl-C again exits at once.")

    def stopped(self) -> None:
        """Print the last line."""
        self.line("Stopped.")


def setup_url(base: str, token: str) -> str:
    """Return the address of the set-up page for `token`."""
    return base + reverse("setup", args=[token])
