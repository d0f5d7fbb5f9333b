"""How long a provider asks us to wait, in seconds (DIALECTS 5.7).

Pure: dates are read against the answer's own Date.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_HTTP_DATE = re.compile(r"\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|us|s|m|h|d)")
_UNIT_SECONDS = {"us": 1e-6, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST_SECONDS = 31 * 86400.0
_EPOCH_MS_FROM = 1e11  # a number this large is an epoch time in milliseconds, a smaller one in seconds


def may_retry(headers: Mapping[str, str]) -> bool:
    """False where the provider says `x-should-retry: false`, which wins over everything else."""
    return headers.get("x-should-retry", "").strip().lower() != "false"


def retry_after_seconds(
    headers: Mapping[str, str],
    details: tuple[Mapping[str, Any], ...] = (),
    metadata: Mapping[str, Any] | None = None,
) -> float | None:
    """Return the wait in seconds, or None where nothing usable was said. Header names are lower case."""
    now = _http_date(headers.get("date", ""))
    hints = (
        _scaled(headers.get("retry-after-ms"), 0.001),
        _scaled(headers.get("retry-after"), 1.0),
        _seconds_until(_http_date(headers.get("retry-after", "")), now),
        _retry_info(details),
        _longest_reset(headers),
        _metadata_reset(metadata or {}, now),
    )
    return next((hint for hint in hints if hint is not None), None)


def _bounded(seconds: float) -> float | None:
    return min(max(seconds, 0.0), _LONGEST_SECONDS) if seconds == seconds else None


def _number(text: Any) -> float | None:
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        return None
    try:
        return float(text)
    except (ValueError, OverflowError):
        return None


def _scaled(text: Any, factor: float) -> float | None:
    number = _number(text)
    return None if number is None else _bounded(number * factor)


def _http_date(text: str) -> datetime | None:
    found = _HTTP_DATE.fullmatch(text.strip())
    if not found or found[2].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(found[2].lower()) + 1
    day, year, hour, minute, second = (int(found[group]) for group in (1, 3, 4, 5, 6))
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def _seconds_until(then: datetime | None, now: datetime | None) -> float | None:
    return None if then is None or now is None else _bounded((then - now).total_seconds())


def _duration(text: str) -> float | None:
    """Read `12ms`, `6s`, `1m0s`, `34.4s` or a plain number of seconds."""
    text = text.strip().lower()
    parts = _DURATION_PART.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return _bounded(sum(float(number) * _UNIT_SECONDS[unit] for number, unit in parts))
    number = _number(text)
    return None if number is None or number >= _EPOCH_MS_FROM / 1000 else _bounded(number)


def _retry_info(details: tuple[Mapping[str, Any], ...]) -> float | None:
    for detail in details:
        if str(detail.get("@type", "")).endswith("RetryInfo") and isinstance(detail.get("retryDelay"), str):
            return _duration(detail["retryDelay"])
    return None


def _longest_reset(headers: Mapping[str, str]) -> float | None:
    """Limits that are used up decide; where none says so, the longest reset does."""
    resets: list[tuple[bool, float]] = []
    for name, value in headers.items():
        if name.startswith("x-ratelimit-reset-") and (seconds := _duration(value)) is not None:
            left = headers.get(name.replace("-reset-", "-remaining-", 1), "")
            resets.append((_number(left) == 0, seconds))
    spent = [seconds for is_spent, seconds in resets if is_spent]
    return max(spent or [seconds for _, seconds in resets], default=None)


def _metadata_reset(metadata: Mapping[str, Any], now: datetime | None) -> float | None:
    inner = metadata.get("headers")
    if not isinstance(inner, dict):
        return None
    lower = {str(name).lower(): value for name, value in inner.items()}
    if (seconds := _scaled(lower.get("retry-after"), 1.0)) is not None:
        return seconds
    reset = _number(lower.get("x-ratelimit-reset"))
    if reset is None or now is None:
        return None
    return _bounded((reset / 1000 if reset >= _EPOCH_MS_FROM else reset) - now.timestamp())
