"""One hub for one data directory, held by the operating system: a crash or a kill releases it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from streamhub.ops.hub.refusal import HubRefused

LOCK_NAME = "hub.lock"


@contextmanager
def sole_hub(data_dir: Path) -> Iterator[None]:
    """Hold the data directory for this process. Raises HubRefused while another hub holds it, or if it is read-only.

    The file stays: removing it would let a third process lock a new file beside the one that is still held.
    """
    path = data_dir / LOCK_NAME
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise HubRefused(f"{data_dir} cannot be written to: {error.strerror}.") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HubRefused(
                f"Another hub{_holder(handle)} already uses {data_dir}. Stop it first."
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def _holder(handle: int) -> str:
    """Return who wrote the lock file, as far as it says."""
    pid = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
    return f" (process {pid})" if pid.isdigit() else ""
