"""What the set-up page says about this machine, read without changing anything."""

from dataclasses import dataclass

from django.db import connection
from django.http import HttpRequest

from streamhub.console.counts import workers_alive


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the list: well or not, and in either case what was found."""

    label: str
    found: str
    well: bool = True


def machine_checks(request: HttpRequest) -> list[Check]:
    """Return what a new owner should know before the first stream runs."""
    return [
        _database(),
        _worker(),
        Check("Keys", "encrypted with a key of this installation"),
        _address(request),
    ]


def _database() -> Check:
    if connection.vendor == "sqlite":
        return Check("Database", "SQLite, in the data directory")
    return Check(
        "Database", f"{connection.display_name}, on {connection.settings_dict['HOST'] or 'this machine'}"
    )


def _worker() -> Check:
    count = workers_alive()
    if not count:
        return Check("Worker", "none has reported yet, so turns wait in their queue", well=False)
    return Check("Worker", f"{count} at work" if count > 1 else "at work")


def _address(request: HttpRequest) -> Check:
    if request.is_secure() or request.get_host().partition(":")[0] in {"localhost", "127.0.0.1"}:
        return Check("Address", request.build_absolute_uri("/"))
    words = "plain HTTP beyond this machine: put a TLS proxy in front and set STREAMHUB_HTTPS=1"
    return Check("Address", words, well=False)
