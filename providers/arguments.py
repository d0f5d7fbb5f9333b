"""Arguments of a tool call: text to an object, and the verdict whether they are whole."""

from collections.abc import Mapping
from typing import Any

from providers.wire.payload import MAX_DEPTH, UNREADABLE, parse_json, storable

_MAX_REPAIR_CHARS = 64 * 1024


def read_arguments(raw: str) -> tuple[Mapping[str, Any], bool]:
    """Return (arguments, truncated).

    Blank and `null` are a call without arguments. Everything that is no JSON object counts as cut; what could
    be repaired of it is returned to be shown, never to be run.
    """
    text = raw.strip()
    if not text or text == "null":
        return {}, False
    value = parse_json(text.removeprefix("json\n"))
    if isinstance(value, str):  # encoded twice, as some gateways do
        value = parse_json(value)
    if isinstance(value, dict):
        return value, False
    return (repair(text) if value is UNREADABLE else {}), True


def repair(text: str) -> Mapping[str, Any]:
    """Return what can be read of cut JSON; {} where that is nothing."""
    if len(text) > _MAX_REPAIR_CHARS:
        return {}
    from json_repair import loads  # costs 20 ms to import and is needed for broken calls only

    try:
        value = storable(loads(text), MAX_DEPTH)
    except Exception:  # a repair tool meets anything; law 1 wants no exception of its own
        return {}
    return value if isinstance(value, dict) else {}
