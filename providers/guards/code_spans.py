"""Knows whether a place in Markdown text is code: there, tags and calls are only shown."""

import re

_MARK = re.compile(r"`+|~+|\n")


class CodeTracker:
    """Follows text in order.

    An inline span ends with its line at the latest; a fence ends with its own closing.
    """

    __slots__ = ("_fence", "_line_blank", "_run", "_span")

    def __init__(self) -> None:
        self._fence = ""
        self._span = 0
        self._run = ""
        self._line_blank = True

    @property
    def inside(self) -> bool:
        """Whether text that comes now is code."""
        if not self._run:
            return bool(self._fence or self._span)
        after = self.copy()
        after._end_run()
        return bool(after._fence or after._span)

    def copy(self) -> "CodeTracker":
        """Return an independent tracker at the same place."""
        other = CodeTracker()
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        return other

    def feed(self, text: str) -> None:
        """Move past `text`."""
        if not text:
            return
        if self._run and text[0] != self._run[0]:
            self._end_run()
        place = 0
        for mark in _MARK.finditer(text):
            self._plain(text, place, mark.start())
            self._mark(mark[0], at_end=mark.end() == len(text))
            place = mark.end()
        self._plain(text, place, len(text))

    def _plain(self, text: str, start: int, end: int) -> None:
        if end > start and self._line_blank and not text[start:end].isspace():
            self._line_blank = False

    def _mark(self, mark: str, at_end: bool) -> None:
        if mark == "\n":
            self._span = 0
            self._line_blank = True
            return
        self._run = (self._run + mark)[:16]
        if not at_end:
            self._end_run()

    def _end_run(self) -> None:
        run, self._run = self._run, ""
        if self._fence:
            if self._line_blank and run.startswith(self._fence):
                self._fence = ""
        elif self._line_blank and len(run) >= 3:
            self._fence = run
        elif run[0] == "`":
            self._span = 0 if self._span == len(run) else (self._span or len(run))
        self._line_blank = False
