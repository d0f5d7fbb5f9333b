"""Moves leaked reasoning blocks out of the visible text into the thoughts (DOMAIN 4.1, weak spots mended).

A tag is `<`, an optional `/`, optional namespaces, a configured name, optional attributes, `>`; names of
opening and closing tag may differ. A closing tag without an opening one reclaims the text of the delta it
stands in. What may still become a tag is held, at most 64 characters of it; at the end a partial tag was text
after all. Code spans and fences of the answer are left alone; in the reasoning only a closing tag that is
itself in backticks is.
"""

import re
from functools import lru_cache

from providers.chunks import GuardFiring
from providers.guards.code_spans import CodeTracker
from providers.guards.piece import Piece

NAME = "think_tags"
_MAX_PARTIAL_CHARS = 64
_MAX_HELD_CHARS = 4096
_PARTIAL = re.compile(r"</?(?:(?P<space>(?:[A-Za-z][\w.\-]*:)*)(?P<name>[\w.\-]*)(?P<rest>\s[^<>]*)?)?")


@lru_cache(maxsize=64)
def _tag_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(
        rf"<(?P<slash>/?)(?:[a-z][\w.\-]*:){{0,4}}(?:{words})(?:\s[^<>]{{0,{_MAX_PARTIAL_CHARS}}})?(?<!/)>",
        re.IGNORECASE,
    )


def _bare_name(tag: str) -> str:
    """An admin may write a name as `think`, `<think>` or `mm:think`: the namespace is matched anyway."""
    return tag.strip().strip("</>").rpartition(":")[2].strip().lower()


class ThinkTagGuard:
    """One stream. `starts_in_reasoning` is for templates that put the opening tag into the prompt."""

    def __init__(
        self, tags: tuple[str, ...], *, starts_in_reasoning: bool = False, persona: str = ""
    ) -> None:
        self._names = tuple(dict.fromkeys(name for name in map(_bare_name, tags) if name))
        self._tag = _tag_pattern(self._names)
        self._label = persona.strip() and re.compile(
            rf"\n{re.escape(persona.strip())}[:\uff1a]", re.IGNORECASE
        )
        self._label_start = f"\n{persona.strip()}".lower() if self._label else ""
        self._code = CodeTracker()
        self._held = ""
        self._inside = starts_in_reasoning
        self._opened_by_policy = starts_in_reasoning
        self._has_thought = False
        self._last = ""

    def saw_reasoning(self) -> None:
        """Reasoning has a field of its own here, so the content does not start inside a block."""
        if self._opened_by_policy and not self._has_thought:
            self._inside = self._opened_by_policy = False

    def feed(self, text: str) -> list[Piece]:
        """Return what is certain after `text`."""
        if not self._held and not self._inside and "<" not in text:
            self._code.feed(text)
            return [Piece("text", text)]
        data, self._held = self._held + text, ""
        pieces: list[Piece] = []
        place: int | None = 0
        while place is not None:
            scan = self._scan_inside if self._inside else self._scan_outside
            place = scan(data, place, pieces)
        return pieces

    def flush(self) -> list[Piece]:
        """Give back a partial tag: it was text. A block that is open ends here."""
        held, self._held = self._held, ""
        inside, self._inside = self._inside, False
        if not held:
            return []
        self._code.feed("" if inside else held)
        return [Piece("thought" if inside else "text", held)]

    def _scan_outside(self, data: str, start: int, pieces: list[Piece]) -> int | None:
        """Read visible text from `start`; return where a block begins or ended, None at the end."""
        code = self._code.copy()
        done = start
        for found in self._tag.finditer(data, start):
            code.feed(data[done : found.start()])
            if code.inside:
                code.feed(found[0])
                done = found.end()
                continue
            before = data[start : found.start()]
            firing = GuardFiring(guard=NAME, text=found[0])
            if found["slash"]:
                pieces.append(Piece("thought", before, firing=firing))
            else:
                self._code = code
                pieces.append(Piece("text", before, firing=firing))
                self._enter()
            return found.end()
        self._end_outside(data[start:], done - start, code, pieces)
        return None

    def _end_outside(self, rest: str, done: int, code: CodeTracker, pieces: list[Piece]) -> None:
        """Show the `rest` of a delta but for what may become a tag. `code` has followed the first `done` of it."""
        cut = self._partial_at(rest, done)
        if cut is not None:
            code.feed(rest[done:cut])
            done = cut
        if cut is None or code.inside:
            code.feed(rest[done:])
            cut = len(rest)
        elif rest[cut : cut + 2] in ("<", "</") and cut <= _MAX_HELD_CHARS:
            self._held = (
                rest  # it may close a block that was never opened, and then all of this was reasoning
            )
            return
        self._code = code
        self._held = rest[cut:]
        if cut:
            pieces.append(Piece("text", rest[:cut]))

    def _partial_at(self, data: str, start: int) -> int | None:
        """Return where a tag may have begun that the end of `data` cut, or None."""
        at = data.rfind("<", max(start, len(data) - _MAX_PARTIAL_CHARS))
        if at < 0:
            return None
        found = _PARTIAL.fullmatch(data, at)
        if found is None:
            return None
        name = (found["name"] or "").lower()
        if found["rest"] is not None:
            return at if name in self._names else None
        if found["space"] or not name:
            return at if any(known.startswith(name) for known in self._names) else None
        return at if name[0].isalpha() else None

    def _enter(self) -> None:
        self._inside = True
        self._has_thought = False
        self._last = ""

    def _leave(self) -> None:
        self._inside = self._opened_by_policy = False

    def _scan_inside(self, data: str, start: int, pieces: list[Piece]) -> int | None:
        """Read reasoning from `start`; return where it ended, None at the end of `data`."""
        close = self._closing(data, start)
        label = self._label.search(data, start) if self._label else None
        if (
            label
            and (close is None or label.start() < close.start())
            and self._is_thought(data[start : label.start()])
        ):
            firing = GuardFiring(guard=NAME, text=label[0])
            pieces.append(Piece("thought", data[start : label.start()], firing=firing))
            self._leave()
            return label.start()
        if close is None:
            self._end_inside(data, self._skip_opener(data, start, pieces), pieces)
            return None
        if close.end() == len(data) and self._before(data, close.start()) == "`":
            self._think(data[start : close.start()], pieces)
            self._held = close[0]  # the next character tells whether the tag is only mentioned
            return None
        start = self._skip_opener(data, start, pieces)
        fired = GuardFiring(guard=NAME, text=close[0]) if self._opened_by_policy else None
        pieces.append(Piece("thought", data[start : close.start()], firing=fired))
        self._leave()
        return close.end()

    def _closing(self, data: str, start: int) -> re.Match[str] | None:
        for found in self._tag.finditer(data, start):
            quoted = self._before(data, found.start()) == "`" and data[found.end() : found.end() + 1] == "`"
            if found["slash"] and not quoted:
                return found
        return None

    def _skip_opener(self, data: str, start: int, pieces: list[Piece]) -> int:
        """A model that was said to start inside may still write the opening tag itself."""
        if not self._opened_by_policy or self._has_thought:
            return start
        found = self._tag.search(data, start)
        if found is None or found["slash"] or data[start : found.start()].strip():
            return start
        blank = data[start : found.start()]
        pieces.append(Piece("thought", blank, firing=GuardFiring(guard=NAME, text=found[0])))
        return found.end()

    def _end_inside(self, data: str, start: int, pieces: list[Piece]) -> None:
        cut = self._partial_at(data, start)
        if cut is None:
            cut = self._label_at(data, start)
        self._held = data[cut:]
        self._think(data[start:cut], pieces)

    def _label_at(self, data: str, start: int) -> int:
        """Return where the persona's label may have begun at the end of `data`."""
        at = data.rfind("\n", max(start, len(data) - len(self._label_start))) if self._label_start else -1
        return at if at >= 0 and self._label_start.startswith(data[at:].lower()) else len(data)

    def _think(self, text: str, pieces: list[Piece]) -> None:
        if text:
            self._has_thought = self._has_thought or not text.isspace()
            self._last = text[-1]
            pieces.append(Piece("thought", text))

    def _is_thought(self, before: str) -> bool:
        return self._has_thought or bool(before.strip())

    def _before(self, data: str, at: int) -> str:
        return data[at - 1] if at else self._last
