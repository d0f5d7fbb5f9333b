"""How a chunk looks to a browser: the ops of docs/live-protocol.md. Pure, shared by live frames and catch-up."""

from typing import Any

from providers.chunks import ChunkMetadata, ProcessedChunk
from providers.errors import ProviderError

type Op = list[Any]


def ops_of(seq: int, chunk: ProcessedChunk) -> list[Op]:
    """Return the ops of one numbered chunk, in the order in which they are drawn."""
    ops: list[Op] = [
        [seq, "s" if thought.kind == "summary" else "r", thought.content] for thought in chunk.thoughts
    ]
    ops += [[seq, "g", {"guard": firing.guard, "text": firing.text}] for firing in chunk.firings]
    if chunk.content:
        ops.append([seq, "t", chunk.content])
    if call := chunk.function_call:
        ops.append(
            [
                seq,
                "c",
                {"id": call.id, "name": call.name, "args": call.args, "truncated": call.args_truncated},
            ]
        )
    if chunk.error:
        ops.append([seq, "e", error_op(chunk.error)])
    if chunk.metadata:
        ops.append([seq, "m", metadata_op(chunk.metadata)])
    return ops


def error_op(error: ProviderError) -> dict[str, Any]:
    """Return what a viewer may know of an error: never the provider's original payload."""
    return {"type": error.type, "code": error.code, "message": error.message}


def metadata_op(metadata: ChunkMetadata) -> dict[str, Any]:
    """Return the terminal facts that were said."""
    usage = metadata.usage
    return {
        "finish": metadata.finish_reason.value if metadata.finish_reason else None,
        "raw_finish": metadata.raw_finish_reason,
        "stop_string": metadata.stop_string,
        "input_tokens": usage.input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
    }
