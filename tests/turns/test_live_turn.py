"""No chunk and no op is longer than what a viewer can be sent: otherwise it would ask for it for ever."""

import json

import pytest

from providers.chunks import ChunkMetadata, FunctionCall, ProcessedChunk, ThoughtLogEntry
from streamhub.live.viewer import MAX_PENDING_CHARS
from streamhub.turns.engine.live_turn import PART_CHARS, in_parts
from streamhub.turns.frames import ops_of

LONG = "a\0" * 2_000_000
CALL = FunctionCall(name="f" * 9_000, id="c" * 9_000, args={"a": LONG}, args_raw=json.dumps({"a": LONG}))


def test_a_long_delta_becomes_several_chunks_that_say_the_same():
    thoughts = (ThoughtLogEntry(kind="raw", content=LONG), ThoughtLogEntry(kind="summary", content="brief"))
    parts = list(in_parts(ProcessedChunk(type="text", content=LONG, thoughts=thoughts, serving_provider="p")))
    assert "".join(part.content for part in parts) == LONG
    said = [thought for part in parts for thought in part.thoughts]
    assert "".join(thought.content for thought in said if thought.kind == "raw") == LONG
    assert [thought.content for thought in said if thought.kind == "summary"] == ["brief"]
    assert [part.serving_provider for part in parts if part.serving_provider] == ["p"]
    assert max(len(part.content) for part in parts) == PART_CHARS


def test_a_chunk_of_usual_size_stays_as_it_is():
    chunk = ProcessedChunk(type="text", content="Where is the ferry?")
    assert list(in_parts(chunk)) == [chunk]


@pytest.mark.parametrize(
    "chunk",
    [
        ProcessedChunk(type="text", content=LONG, thoughts=(ThoughtLogEntry(kind="raw", content=LONG),)),
        ProcessedChunk(type="function_call", function_call=CALL),
        ProcessedChunk(type="done", metadata=ChunkMetadata(raw_finish_reason=LONG)),
    ],
    ids=["text", "call", "finish"],
)
def test_every_op_fits_into_a_frame(chunk):
    ops = [op for part in in_parts(chunk) for op in ops_of(1, part)]
    assert max(len(json.dumps(op)) for op in ops) < MAX_PENDING_CHARS
