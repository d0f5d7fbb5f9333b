"""A running turn in memory: what was received, what is not recorded yet, and how it looks on the wall. No I/O here.

Stage 04 of the specification: chunks are routed by type, thoughts are kept apart from text, the first serving backend
wins. Each chunk that says something gets the next seq; chunks wait here for the recorder (rows) and the feed (frames).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from providers.chunks import ChunkMetadata, FunctionCall, ProcessedChunk
from providers.errors import ProviderError
from providers.serialization import chunk_to_dict
from streamhub.turns.engine.ports import Beat, NumberedChunk, Progress, TurnPlan
from streamhub.turns.frames import Op, ops_of
from streamhub.turns.state import Phase

TAIL_CHARS = 480
# A chunk is what a viewer fetches at least; some providers send a whole answer in one piece.
PART_CHARS = 64 * 1024
# An estimate until the provider's own count is known: about four characters a token.
CHARS_PER_TOKEN = 4


class OutputCapReached(Exception):
    """The stream is longer than a turn may be."""


class LiveTurn:
    """The state of one running turn, owned by the engine's loop."""

    def __init__(self, plan: TurnPlan) -> None:
        self.plan = plan
        self.phase = Phase.CONNECTING
        self.seq = 0
        self.text_chars = 0
        self.thought_chars = 0
        self.tail = ""
        self.thinking = ""
        self.serving_provider = ""
        self.calls: list[FunctionCall] = []
        self.error: ProviderError | None = None
        self.metadata = ChunkMetadata()
        self.guard_counts: Counter[str] = Counter()
        self.firings: list[dict[str, str]] = []
        self.thoughts: dict[str, list[str]] = {"summary": [], "raw": []}
        self.first_token_at: datetime | None = None
        self.first_text_at: datetime | None = None
        self.progress_at: datetime | None = None
        self._bytes = 0
        self._unrecorded: list[NumberedChunk] = []
        self._unsent: list[Op] = []
        self._unsent_from = 1
        self._recorded_progress: Progress | None = None

    @property
    def turn_id(self) -> str:
        """The turn's id."""
        return self.plan.turn_id

    @property
    def has_output(self) -> bool:
        """Whether anything a reader would see, or a tool call, was received."""
        return bool(self.text_chars or self.calls)

    def receive(self, chunk: ProcessedChunk, now: datetime) -> None:
        """Take the next chunk of the stream. Raises OutputCapReached once the turn's output cap is passed."""
        if chunk.thoughts:
            kept = tuple(thought for thought in chunk.thoughts if thought.kind in self.plan.thought_kinds)
            chunk = replace(chunk, thoughts=kept)
        for part in in_parts(chunk):
            self._receive(part, now)

    def _receive(self, chunk: ProcessedChunk, now: datetime) -> None:
        self._route(chunk, now)
        if not _says_something(chunk):
            return
        self.seq += 1
        self._unrecorded.append((self.seq, chunk_to_dict(chunk)))
        self._unsent += ops_of(self.seq, chunk)
        if self._bytes > self.plan.output_cap_bytes:
            raise OutputCapReached

    def _route(self, chunk: ProcessedChunk, now: datetime) -> None:
        self.serving_provider = self.serving_provider or chunk.serving_provider or ""
        self._count_firings(chunk)
        self._hear_thoughts(chunk, now)
        if chunk.content:
            self._speak(chunk.content, now)
        if chunk.function_call:
            self.calls.append(chunk.function_call)
            self._bytes += len(chunk.function_call.args_raw)
            self.enter(Phase.TOOL)
            self._stamp(now)
        if chunk.metadata:
            self.metadata = _merged(self.metadata, chunk.metadata)
        self.error = chunk.error or self.error

    def _speak(self, text: str, now: datetime) -> None:
        self.enter(Phase.SPEAKING)
        self.first_text_at = self.first_text_at or now
        self.text_chars += len(text)
        self.tail = (self.tail + text)[-TAIL_CHARS:]
        self.thinking = ""
        self._bytes += len(text.encode())
        self._stamp(now)

    def _hear_thoughts(self, chunk: ProcessedChunk, now: datetime) -> None:
        for thought in chunk.thoughts:
            self.enter(Phase.THINKING)
            self.thoughts[thought.kind].append(thought.content)
            self.thought_chars += len(thought.content)
            self.thinking = (self.thinking + thought.content)[-TAIL_CHARS:]
            self._bytes += len(thought.content.encode())
            self._stamp(now)

    def _count_firings(self, chunk: ProcessedChunk) -> None:
        for firing in chunk.firings:
            self.guard_counts[firing.guard] += 1
            self.firings.append({"guard": firing.guard, "text": firing.text})
            self._bytes += len(firing.text.encode())

    def _stamp(self, now: datetime) -> None:
        self.first_token_at = self.first_token_at or now
        self.progress_at = now

    def enter(self, phase: Phase) -> None:
        """Note what the turn is doing now."""
        self.phase = phase

    def progressed(self, now: datetime) -> None:
        """Content arrived that gave no chunk yet, such as a fragment of a tool call."""
        self._stamp(now)

    def take_unsent(self) -> dict[str, Any] | None:
        """Return the ops since the last call as one frame item, None if there are none."""
        if not self._unsent:
            return None
        item = {"first": self._unsent_from, "last": self.seq, "ops": self._unsent}
        self._unsent, self._unsent_from = [], self.seq + 1
        return item

    def beat(self) -> Beat:
        """Return what the recorder has to write; the chunks stay here until `recorded` says they are safe."""
        progress = self.progress()
        return Beat(
            turn_id=self.turn_id,
            fencing_token=self.plan.fencing_token,
            chunks=tuple(self._unrecorded),
            progress=progress if progress != self._recorded_progress else None,
        )

    def recorded(self, beat: Beat) -> None:
        """The record holds what `beat` said."""
        del self._unrecorded[: len(beat.chunks)]
        self._recorded_progress = beat.progress or self._recorded_progress

    @property
    def unrecorded(self) -> Sequence[NumberedChunk]:
        """Chunks that the record does not hold yet."""
        return self._unrecorded

    def progress(self) -> Progress:
        """Return where the turn is now."""
        return Progress(
            phase=self.phase,
            text_chars=self.text_chars,
            thought_chars=self.thought_chars,
            tail=self.tail,
            last_seq=self.seq,
            first_token_at=self.first_token_at,
            progress_at=self.progress_at,
            serving_provider=self.serving_provider[:120],
        )

    @property
    def tokens(self) -> int:
        """The provider's count of output tokens, or an estimate from the characters received."""
        usage = self.metadata.usage
        known = usage.output_tokens if usage else None
        return known if known is not None else (self.text_chars + self.thought_chars) // CHARS_PER_TOKEN


def in_parts(chunk: ProcessedChunk) -> Iterator[ProcessedChunk]:
    """Yield `chunk`, or several that say the same in pieces of at most PART_CHARS."""
    if len(chunk.content) <= PART_CHARS and all(len(entry.content) <= PART_CHARS for entry in chunk.thoughts):
        yield chunk
        return
    for entry in chunk.thoughts:
        for piece in _pieces(entry.content):
            yield ProcessedChunk(type="text", thoughts=(replace(entry, content=piece),))
    *most, last = _pieces(chunk.content)
    for piece in most:
        yield ProcessedChunk(type="text", content=piece)
    yield replace(chunk, content=last, thoughts=())


def _pieces(text: str) -> list[str]:
    return [text[at : at + PART_CHARS] for at in range(0, len(text), PART_CHARS)] or [""]


def _merged(old: ChunkMetadata, new: ChunkMetadata) -> ChunkMetadata:
    """Return `old` with every fact that `new` states; the last statement wins."""
    said = {name: getattr(new, name) for name in ChunkMetadata.__slots__ if getattr(new, name) is not None}
    return replace(old, **said)


def _says_something(chunk: ProcessedChunk) -> bool:
    return chunk.type != "text" or bool(chunk.content or chunk.thoughts or chunk.firings)
