"""What a chat completion chunk says: choice, reasoning, content, usage, finish reason. Pure look-ups.

Reasoning has many names. A delta is read from the first source that has something, so that a server which
repeats the same text under two names is counted once (DIALECTS 5.5).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from providers.chunks import FinishReason, ThoughtKind, ThoughtLogEntry, Usage

REASONING_KEYS = (
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "thinking",
    "reasoning_details",
    "thinking_blocks",
)

_FINISH: Mapping[str, FinishReason] = {
    "stop": FinishReason.STOP,
    "eos": FinishReason.STOP,
    "eos_token": FinishReason.STOP,
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "completed": FinishReason.STOP,
    "complete": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "max_output_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "tool_call": FinishReason.TOOL_CALLS,
    "tool_use": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
    "sensitive": FinishReason.CONTENT_FILTER,
    "recitation": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.CONTENT_FILTER,
    "error": FinishReason.ERROR,
    "network_error": FinishReason.ERROR,
    "insufficient_system_resource": FinishReason.ERROR,
}


def read_finish(word: str | None) -> FinishReason | None:
    """Return the uniform finish reason of the provider's word; OTHER for a word nobody told us about."""
    return None if word is None else _FINISH.get(word.strip().lower(), FinishReason.OTHER)


def first_choice(payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return choice 0, the only one that is followed; others never mix into it."""
    choices = payload.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return None


def read_content(content: Any) -> str:
    """Return the visible text of `content`: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (
        part for part in content if isinstance(part, dict) and part.get("type") in ("text", "output_text")
    )
    return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def read_thoughts(delta: Mapping[str, Any]) -> tuple[ThoughtLogEntry, ...]:
    """Return the reasoning of one delta, once, whatever it is called there."""
    for key in REASONING_KEYS:
        value = delta.get(key)
        if value:
            entries = tuple(_entries(value, _kind_of(delta) if isinstance(value, str) else "raw"))
            if entries:
                return entries
    content = delta.get("content")
    if isinstance(content, list):
        parts = [
            part
            for part in content
            if isinstance(part, dict) and part.get("type") in ("thinking", "reasoning")
        ]
        return tuple(_entries(parts, "raw"))
    return ()


def _kind_of(delta: Mapping[str, Any]) -> ThoughtKind:
    """A plain reasoning string is a digest where the details beside it say so (OpenRouter)."""
    details = delta.get("reasoning_details")
    first = details[0] if isinstance(details, list) and details else None
    return "summary" if isinstance(first, dict) and first.get("type") == "reasoning.summary" else "raw"


def _entries(value: Any, kind: ThoughtKind) -> Iterator[ThoughtLogEntry]:
    if isinstance(value, str):
        if value:
            yield ThoughtLogEntry(kind=kind, content=value)
    elif isinstance(value, dict):
        digest = str(value.get("type", "")).endswith("summary")
        for key in ("text", "summary", "thinking", "content"):
            if isinstance(inner := value.get(key), str):
                yield from _entries(inner, "summary" if digest or key == "summary" else kind)
                return
            if isinstance(inner, list) and key != "summary":
                yield from _entries("".join(_texts(inner)), kind)
                return
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, (str, dict)):
                yield from _entries(item, kind)


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text


def find_usage(payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the token counts of a chunk wherever the dialect puts them;

    None if absent or empty (all zero).
    """
    places = [payload.get("usage"), payload.get("x_groq")]
    if isinstance(places[1], dict):
        places[1] = places[1].get("usage")
    if choice := first_choice(payload):
        places.append(choice.get("usage"))
    for usage in places:
        if isinstance(usage, dict) and any(_count(usage.get(key)) for key in _COUNTED):
            return usage
    return None


_COUNTED = ("prompt_tokens", "completion_tokens", "total_tokens", "input_tokens", "output_tokens")


_MAX_COUNT = 2**31 - 1  # what a database's integer holds; more is no count of tokens


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MAX_COUNT:
        return None
    return int(value)


def _first_count(usage: Mapping[str, Any], *paths: str) -> int | None:
    for path in paths:
        outer, _, inner = path.partition(".")
        value = usage.get(outer)
        if inner:
            value = value.get(inner) if isinstance(value, dict) else None
        if (count := _count(value)) is not None:
            return count
    return None


def read_usage(usage: Mapping[str, Any]) -> Usage:
    """Return the counts in one vocabulary.

    Values are the provider's own: xAI leaves reasoning out of the output.
    """
    return Usage(
        input_tokens=_first_count(usage, "prompt_tokens", "input_tokens"),
        output_tokens=_first_count(usage, "completion_tokens", "output_tokens"),
        reasoning_tokens=_first_count(
            usage,
            "completion_tokens_details.reasoning_tokens",
            "output_tokens_details.reasoning_tokens",
            "reasoning_tokens",
        ),
        cached_tokens=_first_count(
            usage,
            "prompt_tokens_details.cached_tokens",
            "input_tokens_details.cached_tokens",
            "prompt_cache_hit_tokens",
            "cached_tokens",
        ),
    )
