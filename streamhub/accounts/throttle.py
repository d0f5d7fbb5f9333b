"""Guessing passwords costs time: after a few failed tries an account must wait.

Tries are rows, counted over a sliding window, so every web process sees all of them. They are counted for the
account together with where they came from; otherwise anybody could lock its owner out from anywhere.
"""

import hashlib
from datetime import datetime, timedelta

from streamhub.accounts.models import FailedLogin

WINDOW = timedelta(minutes=10)
TRIES = 5


def locked_until(*, email: str, source: str, now: datetime) -> datetime | None:
    """Return when `source` may try this account again, or None if it may now.

    The oldest of the tries that filled the window must leave it first.
    """
    recent = FailedLogin.objects.filter(key=_key(email, source), at__gt=now - WINDOW).order_by("-at")
    oldest = recent.values_list("at", flat=True)[TRIES - 1 : TRIES].first()
    return oldest + WINDOW if oldest else None


def note_failure(*, email: str, source: str, now: datetime) -> None:
    """Count a failed try, and forget those that are too old to count."""
    FailedLogin.objects.filter(at__lte=now - WINDOW).delete()
    FailedLogin.objects.create(key=_key(email, source), at=now)


def forget(*, email: str, source: str) -> None:
    """Drop the count of an account after a log-in that worked."""
    FailedLogin.objects.filter(key=_key(email, source)).delete()


def _key(email: str, source: str) -> str:
    """No address of a person or a machine is stored, only a hash to count by."""
    return hashlib.sha256(f"{email.strip().lower()}\n{source}".encode()).hexdigest()
