"""How a chunk looks to a browser: the ops of docs/live-protocol.md. Pure, shared by live frames and catch-up."""

from collections.abc import Mapping
from typing import Any

from providers.chunks import ChunkMetadata, FunctionCall, ProcessedChunk
from providers.errors import ProviderError

type Op = list[Any]

# A browser draws a call's arguments in one piece; the record holds them whole.
MAX_SHOWN_ARGUMENTS = 20_000
MAX_SHOWN_WORD = 200


def ops_of(seq: int, chunk: ProcessedChunk) -> list[Op]:
    """Return the ops of one numbered chunk, in the order in which they are drawn."""
    ops: list[Op] = [
        [seq, "s" if thought.kind == "summary" else "r", thought.content] for thought in chunk.thoughts
    ]
    ops += [[seq, "g", {"guard": firing.guard, "text": firing.text}] for firing in chunk.firings]
    if chunk.content:
        ops.append([seq, "t", chunk.content])
    if call := chunk.function_call:
        ops.append([seq, "c", call_op(call)])
    if chunk.error:
        ops.append([seq, "e", error_op(chunk.error)])
    if chunk.metadata:
        ops.append([seq, "m", metadata_op(chunk.metadata)])
    return ops


def call_op(call: FunctionCall) -> dict[str, Any]:
    """Return a tool call with its arguments, or with their beginning where they are too long to be drawn."""
    args: Mapping[str, Any] = call.args
    if len(call.args_raw) > MAX_SHOWN_ARGUMENTS:
        args = {f"the first of {len(call.args_raw):,} characters": call.args_raw[:MAX_SHOWN_ARGUMENTS]}
    name = call.name[:MAX_SHOWN_WORD]
    return {"id": call.id[:MAX_SHOWN_WORD], "name": name, "args": args, "truncated": call.args_truncated}


def size_of(op: Op) -> int:
    """Return about how many characters an op is worth on its way to a browser."""
    value = op[2]
    return len(value) if isinstance(value, str) else len(str(value))


def error_op(error: ProviderError) -> dict[str, Any]:
    """Return what a viewer may know of an error: never the provider's original payload."""
    return {"type": error.type, "code": error.code, "message": error.message}


def metadata_op(metadata: ChunkMetadata) -> dict[str, Any]:
    """Return the terminal facts that were said."""
    usage = metadata.usage
    return {
        "finish": metadata.finish_reason.value if metadata.finish_reason else None,
        "raw_finish": metadata.raw_finish_reason and metadata.raw_finish_reason[:MAX_SHOWN_WORD],
        "stop_string": metadata.stop_string,
        "input_tokens": usage.input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
    }
