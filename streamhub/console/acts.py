"""Audit entries in words."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from streamhub.audit.models import AuditEntry
from streamhub.servers.capabilities import BY_NAME
from streamhub.servers.models import Server

MAX_VALUE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Act:
    """One entry as the page shows it."""

    entry: AuditEntry
    server: Server | None
    verb: str
    before: str
    after: str


def acts_of(entries: Iterable[AuditEntry], servers: Mapping[int, Server]) -> list[Act]:
    """Return entries in words, with the server each belongs to while that exists."""
    return [
        Act(
            entry,
            servers.get(entry.server_id or 0),
            _verb(entry.action),
            _value(entry.before),
            _value(entry.after),
        )
        for entry in entries
    ]


def _verb(action: str) -> str:
    word, _, name = action.partition(" ")
    capability = BY_NAME.get(name)
    return f"switched {capability.label}, one of the" if word == "switched" and capability else action


def _value(value: Any) -> str:
    """Write a stored value on one line, cut where it is long: the record holds it whole."""
    if value is None:
        return ""
    if isinstance(value, dict):
        text = ", ".join(f"{name.replace('_', ' ')} {_scalar(item)}" for name, item in value.items())
    else:
        text = _scalar(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}… ({len(text):,} characters)"


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None or value == "":
        return "not set"
    if value == [] or value == {}:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
