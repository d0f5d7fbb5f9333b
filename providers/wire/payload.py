"""JSON of an event, read as leniently as is safe: text in, value or `Unreadable` out, never an exception."""

import json
from typing import Any, Final

import msgspec


class Unreadable:
    """What stands in for a payload that is not JSON."""


UNREADABLE: Final = Unreadable()
_decode = msgspec.json.decode


def parse_json(text: str) -> Any:
    """Return the parsed value, or UNREADABLE. NaN and Infinity, which some servers write, are accepted."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return _parse_loosely(text)


def _parse_loosely(text: str) -> Any:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return UNREADABLE
    return _scrub(value, 0) if "\\u" in text else value


def _scrub(value: Any, depth: int) -> Any:
    """Replace lone halves of surrogate pairs (escapes can make them): they can be neither stored nor sent."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if depth > 64:
        return None
    if isinstance(value, list):
        return [_scrub(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_scrub(key, depth + 1): _scrub(item, depth + 1) for key, item in value.items()}
    return value


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
