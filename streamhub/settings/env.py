"""Typed readers of the environment. They fail loudly: a value that cannot be read stops the start-up.

Every name may also be given as NAME_FILE, the path of a file that holds the value (for mounted secrets).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}
# Without these a PostgreSQL whose machine is gone holds every thread that asks it: TCP waits for a quarter of an hour.
_POSTGRES_LIMITS = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "options": "-c statement_timeout=30s -c idle_in_transaction_session_timeout=60s",
}


def text(name: str, default: str = "", *, environ: Mapping[str, str] = os.environ) -> str:
    """Return the value of `name`, or the content of the file that `name`_FILE names, or `default`."""
    path = environ.get(f"{name}_FILE")
    if path:
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ImproperlyConfigured(f"{name}_FILE: cannot read {path}: {error.strerror}.") from error
    return environ.get(name, default)


def flag(name: str, *, default: bool = False, environ: Mapping[str, str] = os.environ) -> bool:
    """Return a yes/no value; anything but 1/0, true/false, yes/no, on/off is refused."""
    value = text(name, "1" if default else "0", environ=environ).strip().lower()
    if value not in _TRUE | _FALSE:
        raise ImproperlyConfigured(f"{name}: write 1 or 0, not {value!r}.")
    return value in _TRUE


def integer(
    name: str, default: int, *, low: int = 0, high: int = 2**31, environ: Mapping[str, str] = os.environ
) -> int:
    """Return a whole number between `low` and `high`."""
    value = text(name, str(default), environ=environ).strip()
    try:
        number = int(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: write a whole number, not {value!r}.") from error
    if not low <= number <= high:
        raise ImproperlyConfigured(f"{name}: must be between {low} and {high}, not {number}.")
    return number


def items(name: str, default: str = "", *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the parts of a comma-separated value, without blanks."""
    return [part.strip() for part in text(name, default, environ=environ).split(",") if part.strip()]


def database(name: str, data_dir: Path, *, environ: Mapping[str, str] = os.environ) -> dict[str, object]:
    """Return Django's settings of the database at `name`: sqlite in `data_dir`, or a postgresql:// address.

    What a postgresql:// address says after a question mark is libpq's, such as `sslmode=require`.
    """
    url = text(name, environ=environ)
    if not url:
        return sqlite(data_dir / "streamhub.sqlite3")
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(Path(parts.path))
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(f"{name}: write postgresql://user:password@host/name or sqlite:///path.")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        # Under ASGI every request has a thread of its own: a connection kept for the next one would only leak.
        "CONN_MAX_AGE": 0,
        "OPTIONS": {**_POSTGRES_LIMITS, **dict(parse_qsl(parts.query))},
    }


def sqlite(path: Path) -> dict[str, object]:
    """Return Django's settings of a SQLite file in WAL mode.

    Every transaction begins IMMEDIATE: a deferred one that later writes fails with "database is locked" at once,
    whatever the busy time-out, when another connection wrote in between.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
        },
        "TEST": {"NAME": f"{path}.test"},
    }
