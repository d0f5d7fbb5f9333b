"""Enforces stop strings on the visible text, across chunk borders. The string that is complete first wins.

Reasoning never stops a turn: only visible text comes here (LESSONS 39). A string that begins with a line
break names the next speaker; before anything visible was said there is none to follow, so it does not fire
there.
"""

from providers.chunks import GuardFiring
from providers.guards.piece import Piece

NAME = "stop_strings"


class StopStringGuard:
    """After a match everything that follows is dropped; the normalizer ends the stream there."""

    def __init__(self, strings: tuple[str, ...]) -> None:
        self._strings = tuple(dict.fromkeys(text for text in strings if text))
        self._starts = frozenset(text[0] for text in self._strings)
        self._longest = max(map(len, self._strings), default=1)
        self._held = ""
        self._spoke = False
        self._stopped = False

    def saw_reasoning(self) -> None:
        """Reasoning is not this guard's business."""

    def feed(self, text: str) -> list[Piece]:
        """Return the text that no stop string can begin in, or the text before a match and the stop."""
        if self._stopped:
            return []
        data, self._held = self._held + text, ""
        found = self._first_match(data)
        if found is not None:
            return self._stop(data, *found)
        cut = self._partial_at(data)
        self._held = data[cut:]
        self._spoke = self._spoke or bool(data[:cut].strip())
        return [Piece("text", data[:cut])] if cut else []

    def flush(self) -> list[Piece]:
        """Give back the beginning of a stop string that never came to its end."""
        held, self._held = self._held, ""
        return [Piece("text", held)] if held else []

    def _stop(self, data: str, start: int, string: str) -> list[Piece]:
        self._stopped = True
        stop = Piece("stop", string, firing=GuardFiring(guard=NAME, text=string))
        return [Piece("text", data[:start]), stop] if start else [stop]

    def _first_match(self, data: str) -> tuple[int, str] | None:
        best: tuple[int, int, str] | None = None
        for string in self._strings:
            at = self._find(data, string)
            if at >= 0 and (best is None or (at + len(string), at) < best[:2]):
                best = (at + len(string), at, string)
        return None if best is None else (best[1], best[2])

    def _find(self, data: str, string: str) -> int:
        at = data.find(string)
        if at < 0 or self._spoke or string[0] != "\n":
            return at
        return data.find(string, len(data) - len(data.lstrip()))

    def _partial_at(self, data: str) -> int:
        """Return where the earliest string may have begun that the end of `data` cut."""
        for at in range(max(0, len(data) - self._longest + 1), len(data)):
            if data[at] in self._starts and any(text.startswith(data[at:]) for text in self._strings):
                return at
        return len(data)
