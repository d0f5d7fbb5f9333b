"""Recorded response bodies, sent byte for byte from one directory and nowhere else."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final
from urllib.parse import quote

from providers.simulator.options import BadScript, Options, UnknownScript
from providers.simulator.steps import Open, Raw, Script, Step, Wait

PREFIX: Final = "replay/"
MAX_RECORDING_BYTES: Final = 64 * 1024 * 1024
MAX_LISTED: Final = 1000
DEFAULT_WRITE_BYTES: Final = 1024
CONTENT_TYPES: Final = {".json": "application/json", ".ndjson": "application/x-ndjson"}


class Recordings:
    """The files below `directory`; None means there are none."""

    def __init__(self, directory: Path | None) -> None:
        self._root = directory.resolve() if directory else None
        if self._root and not self._root.is_dir():
            raise NotADirectoryError(f"{directory} is not a directory")

    def names(self) -> list[str]:
        """Return the model ids of the recordings, sorted, at most MAX_LISTED."""
        if self._root is None:
            return []
        files = (path for path in self._root.rglob("*") if path.is_file())
        return sorted(
            PREFIX + quote(path.relative_to(self._root).as_posix()) for path in islice(files, MAX_LISTED)
        )

    def script(self, name: str, options: Options) -> Script:
        """Return a recording as a script: split (bytes a write), pace (writes a second, 0: no pause).

        Raises UnknownScript for a file that is not below the directory, BadScript for one too large.
        """
        size = options.count("split", DEFAULT_WRITE_BYTES, low=1)
        pace = options.number("pace", 0, high=100_000)
        path = self._path(name)
        if path.stat().st_size > MAX_RECORDING_BYTES:
            raise BadScript(f"{name} is larger than {MAX_RECORDING_BYTES} bytes")
        return Script(name, _written(path.read_bytes(), size, pace), CONTENT_TYPES.get(path.suffix, ""))

    def _path(self, name: str) -> Path:
        relative = name.removeprefix(PREFIX)
        if self._root is None:
            raise UnknownScript(name)
        try:
            path = (
                self._root / relative
            ).resolve()  # follows links, so one that leads outside is refused as well
            if path.is_relative_to(self._root) and path.is_file():
                return path
        except (OSError, ValueError, RuntimeError):  # a name too long, a NUL, a loop of links
            raise UnknownScript(name) from None
        raise UnknownScript(name)


def _written(body: bytes, size: int, pace: float) -> Iterator[Step]:
    yield Open()
    for start in range(0, len(body), size):
        yield Raw(body[start : start + size])
        if pace:
            yield Wait(1 / pace)
