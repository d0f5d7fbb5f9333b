"""Recovers tool calls that a model wrote as text, `name({...})` (seed 000, DOMAIN 4.3, weak spots mended).

Only names of exposed tools anchor. The parse is the guard against mere mentions: what is no JSON object with
the required keys, no single JSON string for a single required string, and not empty where something is
required, is text. A code span or fence around a call goes with it. Several calls, and a call after a rejected
mention, are recovered.
"""

import re
from collections.abc import Mapping
from typing import Any

from providers.chunks import FunctionCall, GuardFiring
from providers.guards.code_spans import CodeTracker
from providers.guards.piece import Piece
from providers.request import Tool
from providers.wire.payload import parse_json

NAME = "verbatim_tools"
MAX_BUFFER_CHARS = 8192
_SLICE_CHARS = 4096  # each mention copies what follows it, so that is kept short
_MAX_OPENER_CHARS = 64
_MAX_BLANKS = 16
MAX_CALLS = 256  # as many as the structured calls of a turn; what is written after them stays text
_OPENER = re.compile(r"(?<!`)`{1,3}(?:[A-Za-z_]{1,20}(?=\s))?\s{0,16}\Z")
_OPENER_BEGINNING = re.compile(r"(?<!`)`{1,3}(?:[A-Za-z_]{0,20}|[A-Za-z_]{1,20}\s{1,16}|\s{1,16})\Z")
_FIRST_WORD = re.compile(
    r"(?P<blanks>[ \t]{0,8})(?P<word>[\w.\-]+)"
)  # matched from the end, on reversed text
_ARGUMENTS_AHEAD = r"(?=\s*(?:[{\")]|\Z))"  # anything else is a mere mention, skipped without a look
_STRUCTURE = re.compile(r'["\\()]')


class VerbatimToolGuard:
    """One stream. Without tools it lets everything pass."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self._tools = {tool.name: tool for tool in tools if tool.name}
        names = sorted(self._tools, key=len, reverse=True)
        self._anchor = (
            re.compile(rf"(?<!\w)(?P<name>{'|'.join(map(re.escape, names))})[ \t]*\({_ARGUMENTS_AHEAD}")
            if names
            else None
        )
        self._prefixes = frozenset(name[:size] for name in names for size in range(1, len(name) + 1))
        self._window = (len(names[0]) if names else 0) + _MAX_OPENER_CHARS
        self._code = CodeTracker()
        self._last = ""
        self._held = ""
        self._pending: _Pending | None = None
        self._fence = ""  # backticks around the call just recovered, still to be closed
        self._calls = 0

    def saw_reasoning(self) -> None:
        """Reasoning is not this guard's business."""

    def feed(self, text: str) -> list[Piece]:
        """Return the text that is no call for certain, and the calls that `text` completed."""
        if self._anchor is None:
            return [Piece("text", text)]
        pieces: list[Piece] = []
        for at in range(0, len(text), _SLICE_CHARS):
            self._take(text[at : at + _SLICE_CHARS], pieces)
        return pieces

    def _take(self, text: str, pieces: list[Piece]) -> None:
        if self._pending is not None:
            self._continue(text, pieces)
        else:
            data, self._held = self._held + text, ""
            self._scan(data, pieces)

    def flush(self) -> list[Piece]:
        """An unbalanced call was text; so was everything else that is held."""
        pieces: list[Piece] = []
        pending, self._pending = self._pending, None
        held, self._held = self._held, ""
        self._say(pending.text if pending else held, pieces)
        self._fence = ""
        return pieces

    def _say(self, text: str, pieces: list[Piece]) -> None:
        if text:
            if not text.isspace():
                self._fence = ""
            self._code.feed(text)
            self._last = text[-1]
            pieces.append(Piece("text", text))

    def _scan(self, data: str, pieces: list[Piece]) -> None:
        """Split `data` into text, calls and what must be held."""
        place = self._close_fence(data)
        if place is None:
            self._held = data
            return
        while place < len(data):
            found = self._find_anchor(data, place)
            if found is None:
                self._hold_end(data, place, pieces)
                return
            start = self._opener_start(data, place, found.start())
            self._say(data[place:start], pieces)
            self._pending = _Pending(
                data[start:], found.end() - start, found["name"], data[start : found.start()]
            )
            rest = self._resolve(pieces)
            if rest is None:
                return
            data, place = rest, 0
            closed = self._close_fence(data)
            if closed is None:
                self._held = data
                return
            place = closed

    def _find_anchor(self, data: str, place: int) -> re.Match[str] | None:
        if self._anchor is None or "(" not in data or self._calls >= MAX_CALLS:
            return None
        found = self._anchor.search(data, place)
        if found and found.start() == 0 and (self._last.isalnum() or self._last == "_"):
            found = self._anchor.search(data, found.end())
        return found

    def _opener_start(self, data: str, place: int, at: int) -> int:
        """Return where the code opener directly before an anchor begins; `at` without one."""
        low = max(place, at - _MAX_OPENER_CHARS)
        start = self._opener_at(_OPENER.search(data[low:at]), data, place, low)
        return at if start is None else start

    def _opener_at(self, found: re.Match[str] | None, data: str, place: int, low: int) -> int | None:
        """Return where an opener found from `low` on begins. A run that closes a span is none, nor is its tail."""
        if found is None:
            return None
        start = low + found.start()
        if (data[start - 1] if start else self._last) == "`":
            return None
        before = self._code.copy()
        before.feed(data[place:start])
        return None if before.inside else start

    def _continue(self, text: str, pieces: list[Piece]) -> None:
        assert self._pending is not None
        self._pending.text += text
        rest = self._resolve(pieces)
        if rest:
            self._scan(rest, pieces)
        elif rest is not None:
            self._held = rest

    def _resolve(self, pieces: list[Piece]) -> str | None:
        """Return the text after the pending call once it is a call or known not to be one, else None."""
        pending = self._pending
        assert pending is not None
        end = pending.end()
        if end is None:
            if len(pending.text) <= MAX_BUFFER_CHARS:
                return None
            end = len(pending.text)
            call = None
        else:
            call = pending.call(self._tools[pending.name], end)
        self._pending = None
        literal, rest = pending.text[:end], pending.text[end:]
        if call is None:
            self._say(literal, pieces)
            self._fence = ""
            return rest
        self._calls += 1
        pieces.append(Piece("call", literal, call=call, firing=GuardFiring(guard=NAME, text=literal)))
        self._fence = "".join(char for char in pending.opener if char == "`") or self._fence
        self._last = ")"
        return rest

    def _close_fence(self, data: str) -> int | None:
        """Return where to go on after the closing backticks of a recovered call;

        None if that is not known yet.
        """
        if not self._fence:
            return 0
        body = data.lstrip()
        blanks = len(data) - len(body)
        if blanks <= _MAX_BLANKS and body.startswith(self._fence):
            end = blanks + len(self._fence)
            self._fence = ""
            return end
        if blanks <= _MAX_BLANKS and self._fence.startswith(body):
            return None
        if blanks > _MAX_BLANKS or not self._begins_call(body):
            self._fence = ""
        return 0

    def _begins_call(self, body: str) -> bool:
        """Another call inside the same fence keeps it open."""
        return any(body.startswith(name) or name.startswith(body) for name in self._tools)

    def _hold_end(self, data: str, place: int, pieces: list[Piece]) -> None:
        cut = self._partial_at(data, place)
        self._say(data[place:cut], pieces)
        self._held = data[cut:]

    def _partial_at(self, data: str, place: int) -> int:
        """Return where an opener, a name or the blanks after it may have begun at the end of `data`."""
        low = max(place, len(data) - self._window)
        tail = data[low:]
        cut = self._name_at(tail, data[low - 1] if low else self._last)
        if "`" not in tail:
            return low + cut
        opener = _OPENER.search(tail[:cut]) if cut < len(tail) else _OPENER_BEGINNING.search(tail)
        start = self._opener_at(opener, data, place, low)
        return low + cut if start is None else start

    def _name_at(self, tail: str, before: str) -> int:
        """Return where the word at the end of `tail` begins if it may become a call, else the end."""
        found = _FIRST_WORD.match(tail[::-1])
        if found is None:
            return len(tail)
        start = len(tail) - found.end()
        if not start and (before.isalnum() or before == "_"):
            return len(tail)
        name = tail[start : start + len(found["word"])]
        may_be_name = name in self._tools if found["blanks"] else name in self._prefixes
        return start if may_be_name else len(tail)


class _Pending:
    """A possible call: `text` from its code opener on; the arguments begin at `body_at`."""

    def __init__(self, text: str, body_at: int, name: str, opener: str) -> None:
        self.text = text
        self.name = name
        self.opener = opener
        self._body_at = body_at
        self._place = body_at
        self._depth = 1
        self._in_string = False
        self._checked = False

    def end(self) -> int | None:
        """Return where the call ends, or where it is known to be none; None while that is open.

        Linear over all feeds together.
        """
        if not self._checked:
            body = self.text[self._body_at :].lstrip()
            if not body:
                return None
            if body[0] not in '{")':
                return self._body_at
            self._checked = True
        while (found := _STRUCTURE.search(self.text, self._place)) is not None:
            char = found[0]
            if char == "\\" and self._in_string:
                if found.end() == len(self.text):
                    return None
                self._place = found.end() + 1
                continue
            self._place = found.end()
            if char == '"':
                self._in_string = not self._in_string
            elif not self._in_string and char != "\\":
                self._depth += 1 if char == "(" else -1
                if self._depth == 0:
                    return self._place
        self._place = len(self.text)
        return None

    def call(self, tool: Tool, end: int) -> FunctionCall | None:
        """Return the call, or None where the arguments are not acceptable: then it was a mention."""
        raw = self.text[self._body_at : end - 1].strip() if self._checked else "?"
        args = _arguments(raw, tool.parameters)
        return None if args is None else FunctionCall(name=self.name, args=args, args_raw=raw)


def _arguments(raw: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    required = schema.get("required")
    needed = [key for key in required if isinstance(key, str)] if isinstance(required, (list, tuple)) else []
    if not raw:
        return None if needed else {}
    value = parse_json(raw)
    if isinstance(value, dict):
        return value if all(key in value for key in needed) else None
    if isinstance(value, str) and len(needed) == 1 and _type_of(schema, needed[0]) == "string":
        return {needed[0]: value}
    return None


def _type_of(schema: Mapping[str, Any], key: str) -> Any:
    properties = schema.get("properties")
    entry = properties.get(key) if isinstance(properties, Mapping) else None
    return entry.get("type") if isinstance(entry, Mapping) else None
