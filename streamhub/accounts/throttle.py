"""Guessing passwords costs time: after a few failed tries an account must wait.

Tries are rows, counted over a sliding window, so every web process sees all of them. They are counted for the
account together with where they came from; otherwise anybody could lock its owner out from anywhere.
"""

import hashlib
from datetime import datetime, timedelta

from streamhub.accounts.models import FailedLogin

WINDOW = timedelta(minutes=10)
TRIES = 5


def begin_try(*, email: str, source: str, now: datetime) -> datetime | None:
    """Count a try before its password is looked at; return when `source` may try again, or None if it may now.

    Counted first, because hashing takes a while: tries that come together must see each other. A try that must wait
    is not counted, one that succeeds is taken back by `forget`. The oldest of the tries that filled the window must
    leave it first.
    """
    FailedLogin.objects.filter(at__lte=now - WINDOW).delete()
    own = FailedLogin.objects.create(key=_key(email, source), at=now)
    others = FailedLogin.objects.filter(key=own.key, at__gt=now - WINDOW).exclude(pk=own.pk).order_by("-at")
    oldest = others.values_list("at", flat=True)[TRIES - 1 : TRIES].first()
    if oldest is None:
        return None
    own.delete()
    return oldest + WINDOW


def forget(*, email: str, source: str) -> None:
    """Drop the count of an account after a log-in that worked."""
    FailedLogin.objects.filter(key=_key(email, source)).delete()


def _key(email: str, source: str) -> str:
    """No address of a person or a machine is stored, only a hash to count by."""
    return hashlib.sha256(f"{email.strip().lower()}\n{source}".encode()).hexdigest()
