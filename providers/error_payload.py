"""Finds and reads the error object in what a provider sent, in every spelling seen (DIALECTS 1 and 5.3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from providers.wire.payload import UNREADABLE, parse_json, without_nul

_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFacts:
    """What an error object says.

    `status` is an HTTP status named inside it; `code` the provider's exact word.
    """

    message: str = ""
    code: str = ""
    kind: str = ""
    status: int | None = None
    details: tuple[Mapping[str, Any], ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def find_error(payload: Any, *, is_error_event: bool = False) -> Any:
    """Return the error inside a streamed payload, or None. Looked for before the choices, and beside them."""
    if isinstance(payload, list):
        found = (find_error(item) for item in payload[:8] if isinstance(item, dict))
        return next((error for error in found if error is not None), None)
    if not isinstance(payload, dict):
        return payload if is_error_event else None
    if payload.get("error"):
        return payload if isinstance(payload["error"], str) else payload["error"]
    choices = payload.get("choices")
    if choices:
        first = choices[0] if isinstance(choices, list) else None
        return (first.get("error") or None) if isinstance(first, dict) else None
    return payload if is_error_event or _is_flat_error(payload) else None


def _is_flat_error(payload: Mapping[str, Any]) -> bool:
    base = payload.get("base_resp")
    if isinstance(base, dict) and base.get("status_code"):
        return True
    if payload.get("object") == "error" or payload.get("type") == "error" or payload.get("errors"):
        return True
    if "choices" in payload or "usage" in payload:
        return False
    return "detail" in payload or ("message" in payload and ("code" in payload or "type" in payload))


def read_body(body: bytes) -> Any:
    """Return an error body as JSON where it is JSON, else as text."""
    text = without_nul(body.decode("utf-8", "replace")).strip()
    value = parse_json(text) if text else ""
    return text if value is UNREADABLE else value


def read_error(payload: Any, depth: int = 0) -> ErrorFacts:
    """Return the facts of an error object, a string, or a structure around either."""
    if isinstance(payload, list):
        payload = next((item for item in payload if isinstance(item, (dict, str))), "")
    if isinstance(payload, str):
        return ErrorFacts(message=payload.strip())
    if not isinstance(payload, dict) or depth > _MAX_DEPTH:
        return ErrorFacts()
    for key in ("error", "errors", "detail", "base_resp"):
        inner = payload.get(key)
        if isinstance(inner, (dict, list)) and inner:
            return _over(read_error(inner, depth + 1), _own_facts(payload))
    return _own_facts(payload)


def _own_facts(payload: Mapping[str, Any]) -> ErrorFacts:
    metadata = payload.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    details = payload.get("details")
    return ErrorFacts(
        message=_first_text(metadata, "raw")
        or _first_text(payload, "message", "error", "status_msg", "detail", "msg"),
        code=_word(payload.get("code")) or _word(payload.get("status")),
        kind=_word(payload.get("type")),
        status=_first_status(payload, "status_code", "raw_status_code", "http_status", "status", "code"),
        details=tuple(item for item in details if isinstance(item, dict))
        if isinstance(details, list)
        else (),
        metadata=metadata,
    )


def _over(inner: ErrorFacts, outer: ErrorFacts) -> ErrorFacts:
    """What the inner object leaves open the outer one may answer (xAI: code outside, text inside)."""
    return ErrorFacts(
        message=inner.message or outer.message,
        code=inner.code or outer.code,
        kind=inner.kind or outer.kind,
        status=inner.status or outer.status,
        details=inner.details or outer.details,
        metadata=inner.metadata or outer.metadata,
    )


def _first_text(source: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        value = source.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, dict) and value and key in ("raw", "message"):
            return msgspec.json.encode(value).decode()
    return ""


def _word(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value).strip()[:120]


def _first_status(source: Mapping[str, Any], *keys: str) -> int | None:
    for key in keys:
        word = _word(source.get(key))
        if len(word) == 3 and word.isascii() and word.isdigit() and 400 <= int(word) < 600:
            return int(word)
    return None
