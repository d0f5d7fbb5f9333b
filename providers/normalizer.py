"""Bytes of one response body to processed chunks: decoder, adapter and guards put together.

The only stateful piece an engine needs. It ends exactly once, with `done` or `error`, unless it is
interrupted; whatever comes after the end gives nothing. Nothing visible is lost: the guards are emptied
before a call, an error and the end, and by `interrupt`.
"""

from collections.abc import Iterable
from dataclasses import replace

from providers.adapter import BaseStreamAdapter
from providers.chunks import (
    ChunkMetadata,
    FinishReason,
    FunctionCall,
    GuardFiring,
    ProcessedChunk,
    RawStreamChunk,
    ThoughtLogEntry,
)
from providers.failures import ended_without_a_word
from providers.guards.piece import Piece
from providers.guards.table import GuardPipeline
from providers.policy import GuardPolicy


class Normalizer:
    """One stream. `feed` bytes as they come, `finish` at the end of the body, or `interrupt` to break off."""

    def __init__(self, adapter: BaseStreamAdapter, policy: GuardPolicy | None = None) -> None:
        self._adapter = adapter
        self._decoder = adapter.decoder()
        self._guards = GuardPipeline(policy or GuardPolicy())
        self._ended = False
        self._serving: str | None = None
        self._recovered_calls = 0

    @property
    def ended(self) -> bool:
        """Whether `done` or an error was given out, or the stream was interrupted."""
        return self._ended

    @property
    def finishing(self) -> bool:
        """Whether the provider named its finish reason: only usage and the end marker may follow."""
        return self._decoder.finishing

    @property
    def progress(self) -> int:
        """How many pieces of content came so far (text, thought, tool-call delta).

        Comments and pings do not count.
        """
        return self._decoder.progress

    def feed(self, data: bytes) -> list[ProcessedChunk]:
        """Return the chunks that `data` completed. Never raises for what a provider sends."""
        if self._ended or not data:
            return []
        return self._route(self._decoder.feed(data))

    def finish(self) -> list[ProcessedChunk]:
        """The body ended. Return the rest; the last chunk is `done` or an error."""
        if self._ended:
            return []
        chunks = self._route(self._decoder.finish())
        if not self._ended:  # a decoder that forgets its own end must not leave a turn running
            self._take(ProcessedChunk(type="error", error=ended_without_a_word()), chunks)
        return chunks

    def interrupt(self) -> list[ProcessedChunk]:
        """A kill or a clock ended the stream: return what was held, as text.

        No half-built call, no terminal chunk.
        """
        if self._ended:
            return []
        self._ended = True
        pieces = [
            piece if piece.kind != "call" else Piece("text", piece.text) for piece in self._guards.flush()
        ]
        return _chunks_of(pieces)

    def _route(self, raws: Iterable[RawStreamChunk]) -> list[ProcessedChunk]:
        out: list[ProcessedChunk] = []
        for raw in raws:
            self._take(self._adapter.process_chunk(raw), out)
            if self._ended:
                break
        return out

    def _take(self, chunk: ProcessedChunk, out: list[ProcessedChunk]) -> None:
        if chunk.serving_provider is not None:
            chunk = self._serve(chunk)
        if chunk.type == "text":
            self._text(chunk, out)
            return
        if self._guards:
            self._give(self._guards.flush(), out)
        if self._ended:
            return
        if chunk.type == "done":
            chunk = replace(chunk, metadata=self._final(chunk.metadata or ChunkMetadata()))
        out.append(chunk)
        self._ended = chunk.type != "function_call"

    def _serve(self, chunk: ProcessedChunk) -> ProcessedChunk:
        """Name the serving backend once; the first non-empty name wins."""
        if self._serving is not None:
            return replace(chunk, serving_provider=None)
        self._serving = chunk.serving_provider
        return chunk

    def _text(self, chunk: ProcessedChunk, out: list[ProcessedChunk]) -> None:
        if chunk.thoughts and self._guards:
            self._guards.saw_reasoning()
        if not chunk.content or not self._guards:
            if _says_anything(chunk):
                out.append(chunk)
            return
        pieces = self._guards.feed(chunk.content)
        if len(pieces) == 1 and pieces[0].text is chunk.content and pieces[0].kind == "text":
            out.append(chunk)
            return
        bare = replace(chunk, content="")
        if _says_anything(bare):
            out.append(bare)
        self._give(pieces, out)

    def _give(self, pieces: list[Piece], out: list[ProcessedChunk]) -> None:
        stop = next((piece for piece in pieces if piece.kind == "stop"), None)
        out.extend(_chunks_of(pieces))
        self._recovered_calls += sum(piece.kind == "call" for piece in pieces)
        if stop is not None:
            metadata = ChunkMetadata(finish_reason=FinishReason.STOP, stop_string=stop.text)
            firings = (stop.firing,) if stop.firing else ()
            out.append(ProcessedChunk(type="done", metadata=self._final(metadata), firings=firings))
            self._ended = True

    def _final(self, metadata: ChunkMetadata) -> ChunkMetadata:
        """A turn in which a guard recovered a call ended with a call, whatever the provider called it."""
        if self._recovered_calls and metadata.finish_reason in (None, FinishReason.STOP, FinishReason.OTHER):
            return replace(metadata, finish_reason=FinishReason.TOOL_CALLS)
        return metadata


def _says_anything(chunk: ProcessedChunk) -> bool:
    return bool(chunk.content or chunk.thoughts or chunk.firings or chunk.serving_provider)


def _chunks_of(pieces: list[Piece]) -> list[ProcessedChunk]:
    """Pack pieces into as few chunks as keep the order; a call stands alone."""
    out: list[ProcessedChunk] = []
    batch: list[Piece] = []
    for piece in pieces:
        if piece.kind == "call":
            _pack(batch, out)
            batch = []
            out.append(_call_chunk(piece.call, piece.firing))
        elif piece.kind != "stop":
            batch.append(piece)
    _pack(batch, out)
    return out


def _pack(batch: list[Piece], out: list[ProcessedChunk]) -> None:
    chunk = ProcessedChunk(
        type="text",
        content="".join(piece.text for piece in batch if piece.kind == "text"),
        thoughts=tuple(
            ThoughtLogEntry(kind="raw", content=piece.text)
            for piece in batch
            if piece.kind == "thought" and piece.text
        ),
        firings=tuple(piece.firing for piece in batch if piece.firing is not None),
    )
    if _says_anything(chunk):
        out.append(chunk)


def _call_chunk(call: FunctionCall | None, firing: GuardFiring | None) -> ProcessedChunk:
    return ProcessedChunk(type="function_call", function_call=call, firings=(firing,) if firing else ())
