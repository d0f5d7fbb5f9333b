"""ProcessedChunk to a plain JSON object and back: what database rows and frames hold.

Empty fields are left out.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from providers.chunks import (
    ChunkMetadata,
    FinishReason,
    FunctionCall,
    GuardFiring,
    ProcessedChunk,
    ThoughtLogEntry,
    Usage,
)
from providers.errors import ProviderError


def chunk_to_dict(chunk: ProcessedChunk) -> dict[str, Any]:
    """Return a JSON object with stable keys. An error's `original` is kept: it is redacted already."""
    entry: dict[str, Any] = {"type": chunk.type}
    if chunk.content:
        entry["content"] = chunk.content
    if chunk.function_call is not None:
        entry["function_call"] = _call_to_dict(chunk.function_call)
    if chunk.error is not None:
        entry["error"] = {"message": "", **_plain(chunk.error)}
    if chunk.thoughts:
        entry["thoughts"] = [{"kind": thought.kind, "content": thought.content} for thought in chunk.thoughts]
    if chunk.serving_provider:
        entry["serving_provider"] = chunk.serving_provider
    if chunk.metadata is not None:
        entry["metadata"] = _metadata_to_dict(chunk.metadata)
    if chunk.firings:
        entry["firings"] = [{"guard": firing.guard, "text": firing.text} for firing in chunk.firings]
    return entry


def chunk_from_dict(entry: Mapping[str, Any]) -> ProcessedChunk:
    """Return the chunk that `chunk_to_dict` wrote. Raises KeyError or TypeError for anything else."""
    call, error, metadata = entry.get("function_call"), entry.get("error"), entry.get("metadata")
    return ProcessedChunk(
        type=entry["type"],
        content=entry.get("content", ""),
        function_call=None if call is None else _call_from_dict(call),
        error=None if error is None else ProviderError(**error),
        thoughts=tuple(ThoughtLogEntry(**thought) for thought in entry.get("thoughts", ())),
        serving_provider=entry.get("serving_provider"),
        metadata=None if metadata is None else _metadata_from_dict(metadata),
        firings=tuple(GuardFiring(**firing) for firing in entry.get("firings", ())),
    )


def _plain(value: Any) -> dict[str, Any]:
    """The fields of a flat dataclass that differ from nothing."""
    pairs = ((item.name, getattr(value, item.name)) for item in fields(value))
    return {
        name: content for name, content in pairs if content is not False and content not in (None, "", ())
    }


def _call_to_dict(call: FunctionCall) -> dict[str, Any]:
    entry = _plain(call)
    entry["args"] = dict(call.args)
    if call.reasoning_details:
        entry["reasoning_details"] = [dict(detail) for detail in call.reasoning_details]
    return entry


def _call_from_dict(entry: Mapping[str, Any]) -> FunctionCall:
    return FunctionCall(
        **{"name": "", **entry, "reasoning_details": tuple(entry.get("reasoning_details", ()))}
    )


def _metadata_to_dict(metadata: ChunkMetadata) -> dict[str, Any]:
    entry = _plain(metadata)
    if metadata.usage is not None:
        entry["usage"] = _counts(metadata.usage)
    return entry


def _counts(usage: Usage) -> dict[str, int]:
    pairs = ((item.name, getattr(usage, item.name)) for item in fields(usage))
    return {name: count for name, count in pairs if count is not None}


def _metadata_from_dict(entry: Mapping[str, Any]) -> ChunkMetadata:
    values = dict(entry)
    if "finish_reason" in values:
        values["finish_reason"] = FinishReason(values["finish_reason"])
    if "usage" in values:
        values["usage"] = Usage(**values["usage"])
    return ChunkMetadata(**values)
