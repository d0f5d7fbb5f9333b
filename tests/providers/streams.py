"""Builders of response bodies, and short ways to run them through the normalizer."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from providers.chunks import ProcessedChunk
from providers.guards.piece import Guard, Piece
from providers.normalize_command import summarize
from providers.normalizer import Normalizer
from providers.policy import GuardPolicy
from providers.registry import adapter_for
from providers.request import Tool

DONE = b"data: [DONE]\n\n"
NO_GUARDS = GuardPolicy(think_tags=False)


def event(payload: Any) -> bytes:
    return f"data: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"id": "c1", "model": "m1", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def body(*payloads: Any, done: bool = True) -> bytes:
    return b"".join(map(event, payloads)) + (DONE if done else b"")


def talk(*texts: str, finish: str | None = "stop", done: bool = True) -> bytes:
    return body(*(delta(content=text) for text in texts), delta(finish), done=done)


def fragment(index: int | None = 0, **fields: Any) -> dict[str, Any]:
    """One entry of delta.tool_calls; name and arguments go into its function."""
    function = {key: fields.pop(key) for key in ("name", "arguments") if key in fields}
    entry = {**fields, "function": function}
    return entry if index is None else {"index": index, **entry}


def run(
    data: bytes | Iterable[bytes], policy: GuardPolicy | None = None, kind: str = "openai_compatible"
) -> list[ProcessedChunk]:
    normalizer = Normalizer(adapter_for(kind), policy)
    chunks = [
        chunk for piece in ([data] if isinstance(data, bytes) else data) for chunk in normalizer.feed(piece)
    ]
    return chunks + normalizer.finish()


def summary(
    data: bytes | Iterable[bytes], policy: GuardPolicy | None = None, kind: str = "openai_compatible"
) -> dict[str, Any]:
    return summarize("", run(data, policy, kind))


def tool(name: str, required: Sequence[str] = (), **types: str) -> Tool:
    properties = {key: {"type": kind} for key, kind in types.items()}
    return Tool(
        name=name, parameters={"type": "object", "properties": properties, "required": list(required)}
    )


def through(guard: Guard, deltas: Iterable[str]) -> list[Piece]:
    pieces = [piece for text in deltas for piece in guard.feed(text)]
    return pieces + guard.flush()


def visible(pieces: Iterable[Piece]) -> str:
    return "".join(piece.text for piece in pieces if piece.kind == "text")


def thoughts(pieces: Iterable[Piece]) -> str:
    return "".join(piece.text for piece in pieces if piece.kind == "thought")
