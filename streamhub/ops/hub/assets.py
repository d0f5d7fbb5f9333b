"""Static files are collected when they changed, and only then: it takes most of a quick start."""

import hashlib
from pathlib import Path

import django
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from streamhub import __version__


def collect_if_changed(static_root: Path, stamp: Path) -> bool:
    """Collect static files unless `stamp` says that these very files are there; tell whether it did.

    The stamp goes first and comes last, so that a start-up cut short collects again.
    """
    fingerprint = _fingerprint()
    if static_root.is_dir() and stamp.exists() and stamp.read_text(encoding="ascii") == fingerprint:
        return False
    stamp.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(fingerprint, encoding="ascii")
    return True


def _fingerprint() -> str:
    """Return a digest of every source file's name, size and time, and of the versions that process them."""
    digest = hashlib.sha256(f"{__version__} {django.__version__}".encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            source = Path(storage.path(path)).stat()
            digest.update(f"\n{path} {source.st_size} {source.st_mtime_ns}".encode())
    return digest.hexdigest()
