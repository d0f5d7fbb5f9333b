"""JSON of an event, read as leniently as is safe: text in, value or `Unreadable` out, never an exception.

What is read can always be stored and sent on: databases, browsers and JSON itself take no lone surrogate, no NUL, no
NaN or Infinity, and no value nested a thousand deep.
"""

import json
import math
from typing import Any, Final

import msgspec


class Unreadable:
    """What stands in for a payload that is not JSON."""


UNREADABLE: Final = Unreadable()
MAX_DEPTH = 128
NUL_STAND_IN = "\ufffd"
_decode = msgspec.json.decode


class _TooDeep(Exception):
    """A value is nested deeper than MAX_DEPTH."""


def parse_json(text: str) -> Any:
    """Return the parsed value, or UNREADABLE, also for what is nested deeper than MAX_DEPTH.

    NaN and Infinity, which some servers write, become None; NUL and lone surrogates become U+FFFD.
    """
    try:
        value, is_strict = _decode(text), True
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        value, is_strict = _parse_loosely(text), False
    if is_strict and "\\u0000" not in text and text.count("{") + text.count("[") <= MAX_DEPTH:
        return value  # nearly all there is: strict JSON holds no NaN, no lone surrogate, no bare NUL
    try:
        return storable(value, MAX_DEPTH)
    except _TooDeep:
        return UNREADABLE


def without_nul(text: str) -> str:
    """Return `text` with a visible character in place of each NUL, which no PostgreSQL column holds."""
    return text.replace("\0", NUL_STAND_IN) if "\0" in text else text


def _parse_loosely(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return UNREADABLE


def storable(value: Any, depth: int) -> Any:
    """Return a parsed value with all in it replaced that cannot be stored. Raises _TooDeep below `depth` levels."""
    if isinstance(value, str):
        whole = (
            value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
        return without_nul(whole)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, (list, dict)):
        return value
    if not depth:
        raise _TooDeep
    if isinstance(value, list):
        return [storable(item, depth - 1) for item in value]
    return {storable(key, depth - 1): storable(item, depth - 1) for key, item in value.items()}


def parse_event(text: str) -> list[Any]:
    """Return the payloads of one event; [UNREADABLE] if there is none to be read.

    An event may hold several objects because a server forgot the blank line between them, a doubled `data:`,
    or a cut frame fused with the next one; what can be read of it is read.
    """
    value = parse_json(text)
    if value is not UNREADABLE:
        return [value]
    lines = text.split("\n")
    if len(lines) > 1:
        values = [parse_json(line) for line in lines if line.strip() and line.strip() != "[DONE]"]
        if values and UNREADABLE not in values:
            return values
    _, fused, tail = text.rpartition("data:")
    return [parse_json(tail)] if fused else [UNREADABLE]
