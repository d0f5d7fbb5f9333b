"""Server-sent events, decoded as the WHATWG page says and bounded.

Lines end in CR, LF or CRLF (and in nothing else: U+2028 is data), also when the pair is cut between two
reads. Two liberties, because real servers need them: `error:` counts as data of an event named `error`
(llama.cpp), and a block made only of lines that are no field of ours is handed on as `stray` (a JSON body
sent without framing).
"""

import codecs
from typing import NamedTuple

MAX_EVENT_CHARS = 8 * 1024 * 1024
_LINE_COST = 16  # what an empty line costs in memory, so that eight million of them are no loophole
_FIELDS = frozenset({"data", "event", "error", "id", "retry"})


class SseEvent(NamedTuple):
    """One dispatched block.

    `name` is None for a plain message; `stray` marks a block without a known field.
    """

    data: str
    name: str | None = None
    stray: bool = False


class SseDecoder:
    """Incremental and linear-time. After `overflowed` turns true it reads nothing more."""

    def __init__(self, max_event_chars: int = MAX_EVENT_CHARS) -> None:
        self.overflowed = False
        self._limit = max_event_chars
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._at_start = True
        self._skip_lf = False
        self._line: list[str] = []
        self._line_chars = 0
        self._block_chars = 0
        self._data: list[str] = []
        self._stray: list[str] = []
        self._name: str | None = None

    def feed(self, data: bytes) -> list[SseEvent]:
        """Return the events that `data` completed, in order."""
        return self._read(self._utf8.decode(data))

    def finish(self) -> list[SseEvent]:
        """The body ended: a last line and a last block count although nothing ends them."""
        events = self._read(self._utf8.decode(b"", final=True))
        self._end_line("", events)
        self._dispatch(events)
        return events

    def _read(self, text: str) -> list[SseEvent]:
        events: list[SseEvent] = []
        if not text or self.overflowed:
            return events
        if self._at_start:
            self._at_start = False
            text = text.removeprefix("\ufeff")
        *ended, rest = self._unify_line_ends(text).split("\n")
        for line in ended:
            self._end_line(line, events)
        self._keep(rest)
        return events

    def _unify_line_ends(self, text: str) -> str:
        if self._skip_lf and text:
            self._skip_lf = False
            text = text.removeprefix("\n")
        if "\r" in text:
            self._skip_lf = text[-1] == "\r"
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text

    def _keep(self, rest: str) -> None:
        if rest and not self.overflowed:
            self._line.append(rest)
            self._line_chars += len(rest)
            self._check()

    def _check(self) -> None:
        if self._line_chars + self._block_chars > self._limit:
            self.overflowed = True
            self._line, self._data, self._stray = [], [], []

    def _end_line(self, line: str, events: list[SseEvent]) -> None:
        if self.overflowed:
            return
        if self._line:
            self._line.append(line)
            line = "".join(self._line)
            self._line = []
            self._line_chars = 0
        if not line:
            self._dispatch(events)
        elif line[0] != ":":
            self._field(line, events)

    def _field(self, line: str, events: list[SseEvent]) -> None:
        if line.startswith("data: ") and not self._stray:
            self._add(self._data, line[6:])
            return
        name, colon, value = line.partition(":")
        if name not in _FIELDS:
            self._add(self._stray, line)
            return
        value = value.removeprefix(" ") if colon else ""
        if name == "event":
            self._name = value or None
        elif name in ("data", "error"):
            event_name = "error" if name == "error" else self._name
            if self._stray and not self._data:
                self._dispatch(events)
            self._name = event_name
            self._add(self._data, value)

    def _add(self, block: list[str], value: str) -> None:
        block.append(value)
        self._block_chars += len(value) + _LINE_COST
        self._check()

    def _dispatch(self, events: list[SseEvent]) -> None:
        if self._data:
            events.append(SseEvent("\n".join(self._data), self._name))
            self._data = []
        elif self._stray:
            events.append(SseEvent("\n".join(self._stray), self._name, stray=True))
        self._stray = []
        self._name = None
        self._block_chars = 0
