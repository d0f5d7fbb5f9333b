"""Guessing passwords costs time: after a few failed tries an address must wait.

Tries are rows, counted over a sliding window, so every web process sees all of them. An account is counted together
with where the try came from; otherwise anybody could lock its owner out from anywhere.
"""

import hashlib
from datetime import datetime, timedelta

from django.db.models import QuerySet

from streamhub.accounts.models import FailedLogin

WINDOW = timedelta(minutes=10)
PER_ACCOUNT = 5
PER_SOURCE = 30


def locked_until(*, email: str, source: str, now: datetime) -> datetime | None:
    """Return when `source` may try this account again, or None if it may now."""
    ends = [
        _end(_recent(_key("account", email, source), now), PER_ACCOUNT),
        _end(_recent(_key("source", source), now), PER_SOURCE),
    ]
    return max((end for end in ends if end is not None), default=None)


def note_failure(*, email: str, source: str, now: datetime) -> None:
    """Count a failed try, and forget those that are too old to count."""
    FailedLogin.objects.filter(at__lte=now - WINDOW).delete()
    keys = (_key("account", email, source), _key("source", source))
    FailedLogin.objects.bulk_create(FailedLogin(key=key, at=now) for key in keys)


def forget(*, email: str, source: str) -> None:
    """Drop the count of an account after a log-in that worked."""
    FailedLogin.objects.filter(key=_key("account", email, source)).delete()


def _recent(key: str, now: datetime) -> QuerySet[FailedLogin]:
    return FailedLogin.objects.filter(key=key, at__gt=now - WINDOW).order_by("-at")


def _end(tries: QuerySet[FailedLogin], limit: int) -> datetime | None:
    """The try that filled the window must leave it first."""
    oldest = tries.values_list("at", flat=True)[limit - 1 : limit].first()
    return oldest + WINDOW if oldest else None


def _key(*parts: str) -> str:
    """No address of a person or a machine is stored, only a hash to count by."""
    return hashlib.sha256("\n".join(part.strip().lower() for part in parts).encode()).hexdigest()
