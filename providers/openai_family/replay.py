"""Opaque reasoning that must go back to the provider with a tool's result."""

from collections.abc import Mapping
from typing import Any

_MAX_CHARS = 2 * 1024 * 1024
_MAX_DETAILS = 1024


class ReplayFields:
    """Collects reasoning_details always, and reasoning_content where the dialect wants it back (DeepSeek)."""

    def __init__(self, keeps_content: bool) -> None:
        self._keeps_content = keeps_content
        self._content: list[str] = []
        self._details: list[dict[str, Any]] = []
        self._texts: list[list[str]] = []
        self._chars = 0

    def note(self, delta: Mapping[str, Any]) -> None:
        """Remember what one delta adds.

        Past the bound nothing is added: half a signature is worth nothing.
        """
        content = delta.get("reasoning_content")
        if self._keeps_content and isinstance(content, str) and self._has_room(content):
            self._content.append(content)
        details = delta.get("reasoning_details")
        for detail in details if isinstance(details, list) else ():
            if isinstance(detail, dict):
                self._add(detail)

    def fields(self, *, first: bool) -> dict[str, Any]:
        """Return the fields for a call.

        They belong to the whole turn, so only its first call carries them.
        """
        if not first:
            return {}
        fields: dict[str, Any] = {}
        if self._details:
            fields["reasoning_details"] = [
                {**detail, "text": "".join(texts)} if texts else detail
                for detail, texts in zip(self._details, self._texts, strict=True)
            ]
        if self._content:
            fields["reasoning_content"] = "".join(self._content)
        return fields

    def _has_room(self, text: str) -> bool:
        self._chars += len(text)
        return self._chars <= _MAX_CHARS

    def _add(self, detail: dict[str, Any]) -> None:
        text = detail.get("text")
        text = text if isinstance(text, str) else ""
        if not self._has_room(text + str(detail.get("data") or "")):
            return
        last = self._details[-1] if self._details else None
        if last is not None and _is_continuation(last, detail):
            last.update({key: value for key, value in detail.items() if value is not None and key != "text"})
            self._texts[-1].append(text)
        elif len(self._details) < _MAX_DETAILS:
            self._details.append(dict(detail))
            self._texts.append([text] if text else [])


def _is_continuation(last: Mapping[str, Any], detail: Mapping[str, Any]) -> bool:
    return detail.get("type") == last.get("type") == "reasoning.text" and detail.get("index") == last.get(
        "index"
    )
