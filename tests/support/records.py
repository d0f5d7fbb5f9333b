"""What an engine leaves behind: spans of chunks and attempts."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from providers.chunks import ProcessedChunk
from providers.serialization import chunk_to_dict
from streamhub.turns.models import Attempt, Turn, TurnChunk


def say(text: str) -> ProcessedChunk:
    """Return a chunk of visible text."""
    return ProcessedChunk(type="text", content=text)


def record(turn: Turn, chunks: list[ProcessedChunk], *, span: int = 3) -> None:
    """Write chunks as the engine's recorder does, `span` of them a row."""
    numbered: list[list[Any]] = [[seq, chunk_to_dict(chunk)] for seq, chunk in enumerate(chunks, start=1)]
    for at in range(0, len(numbered), span):
        part = numbered[at : at + span]
        first, last = part[0][0], part[-1][0]
        TurnChunk.objects.create(turn=turn, first_seq=first, last_seq=last, chunks=part, at=timezone.now())


def attempt(turn: Turn, **fields: Any) -> Attempt:
    """Return the first attempt of a turn, with its first words five seconds after the claim."""
    began = turn.claimed_at or timezone.now()
    values: dict[str, Any] = {
        "number": 1,
        "model_label": "deepseek-v3.2",
        "endpoint_label": "openrouter",
        "key_label": "main",
        "started_at": began,
        "headers_at": began + timedelta(seconds=0.4),
        "first_token_at": began + timedelta(seconds=2),
        "first_text_at": began + timedelta(seconds=5),
    }
    return Attempt.objects.create(turn=turn, **values | fields)
