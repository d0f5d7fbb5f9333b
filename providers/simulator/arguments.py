"""Plausible arguments for a tool nobody told us about, from its JSON schema."""

from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 4
WORDS = {
    "topic": "north bridge",
    "query": "north bridge",
    "city": "Lantern Ford",
    "location": "Lantern Ford",
    "url": "https://example.com/notice",
    "prompt": "a drake under an old stone bridge, lantern light",
    "reason": "the notice on the board asks for it",
    "emoji": "\U0001f409",
}
DEFAULT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"topic": {"type": "string"}},
    "required": ["topic"],
}


def plausible_arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments for every required property, or for the first one when none is required."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    required = schema.get("required")
    wanted = required if isinstance(required, list) else []
    names = [name for name in wanted if isinstance(name, str) and name in properties]
    return {name: _value(name, properties[name], 0) for name in names or list(properties)[:1]}


def _value(name: str, schema: object, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return WORDS.get(name, "north bridge")
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    return _by_type(name, schema, depth)


def _by_type(name: str, schema: dict[str, Any], depth: int) -> Any:
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) and kind else kind:
        case "integer" | "number":
            return schema.get("minimum", 3)
        case "boolean":
            return True
        case "array":
            return [_value(name, schema.get("items"), depth + 1)]
        case "object":
            properties = schema.get("properties")
            items = properties.items() if isinstance(properties, dict) else ()
            return {key: _value(key, value, depth + 1) for key, value in items}
        case "null":
            return None
    return WORDS.get(name, "north bridge")
