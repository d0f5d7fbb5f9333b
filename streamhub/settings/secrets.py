"""Secrets that the embedded hub makes for itself: files in the data directory that only their owner can read."""

import os
import secrets
from pathlib import Path

SECRET_MODE = 0o600


def private_directory(path: Path) -> Path:
    """Create `path` with mode 0700 if it is missing and return it."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def read_or_create(path: Path) -> str:
    """Return the secret in `path`, made on first use from 48 random bytes.

    The file is created exclusively, so that two processes that start together end up with one secret.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, SECRET_MODE)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48))
    return path.read_text(encoding="ascii").strip()
