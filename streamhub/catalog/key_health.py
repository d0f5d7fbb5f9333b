"""What a turn's end says about the key it used. Only failures that are the key's own count against it.

A provider that is down, a wrong model or a long prompt say nothing about a key; a refused, throttled or unpaid one
does. Counting is done by the database, so that workers do not overwrite each other.
"""

from datetime import datetime

from django.db.models import F

from providers.errors import ProviderError
from providers.redaction import redact
from streamhub.catalog.models import ApiKey

KEY_STATUSES = frozenset({401, 402, 403, 429})


def note_success(key_id: int, now: datetime) -> None:
    """The key answered: it is used once more, and what failed before is forgotten."""
    ApiKey.objects.filter(pk=key_id).update(
        usage_count=F("usage_count") + 1,
        error_count=0,
        last_used_at=now,
        last_error_at=None,
        last_error_type="",
        last_error_message="",
    )


def note_use(key_id: int, now: datetime) -> None:
    """The key was used, and the end of the turn says nothing about it."""
    ApiKey.objects.filter(pk=key_id).update(usage_count=F("usage_count") + 1, last_used_at=now)


def note_failure(key_id: int, error: ProviderError, now: datetime) -> None:
    """The provider refused, throttled or no longer serves the key."""
    ApiKey.objects.filter(pk=key_id).update(
        usage_count=F("usage_count") + 1,
        error_count=F("error_count") + 1,
        last_used_at=now,
        last_error_at=now,
        last_error_type=error.type,
        last_error_message=redact(error.message)[:500],
    )


def is_about_the_key(error: ProviderError, http_status: int | None) -> bool:
    """Tell whether a failure counts against the key: by type and status, never by words."""
    return error.type == "rate_limit" or http_status in KEY_STATUSES
