"""Secrets that the embedded hub makes for itself: files in the data directory that only their owner can read."""

import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def private_directory(path: Path) -> Path:
    """Create `path` with mode 0700 if it is missing and return it.

    Raises ImproperlyConfigured if it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ImproperlyConfigured(f"STREAMHUB_DATA_DIR: {path} cannot be made: {error.strerror}.") from error
    return path


def read_or_create(path: Path) -> str:
    """Return the secret in `path`, made on first use from 48 random bytes.

    The file appears under its name only when it is whole, and never in place of another: processes that start
    together, or a machine that loses power, end up with one secret. Raises ImproperlyConfigured if that fails, and for
    an empty file, because a new secret in its place would make what was encrypted with the lost one unreadable unseen.
    """
    try:
        if not path.exists():
            _create(path)
        secret = path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{path} can be neither read nor made: {error.strerror}.") from error
    if not secret:
        raise ImproperlyConfigured(f"{path} is empty. Put the secret back from a backup, or remove the file.")
    return secret


def _create(path: Path) -> None:
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            os.fsync(handle)
        try:
            os.link(draft, path)
        except FileExistsError:
            return  # another process was first: its secret is the one
    finally:
        Path(draft).unlink()
