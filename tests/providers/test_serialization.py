import json

from hypothesis import given
from hypothesis import strategies as st

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
from providers.serialization import chunk_from_dict, chunk_to_dict

_TEXT = st.text(max_size=8)
_MAYBE_TEXT = st.none() | st.text(min_size=1, max_size=8)
_COUNT = st.none() | st.integers(0, 2**53)
_OBJECTS = st.dictionaries(_TEXT, st.none() | st.booleans() | st.integers(-9, 9) | _TEXT, max_size=3)
_USAGE = st.builds(
    Usage, input_tokens=_COUNT, output_tokens=_COUNT, reasoning_tokens=_COUNT, cached_tokens=_COUNT
)
_METADATA = st.builds(
    ChunkMetadata,
    finish_reason=st.none() | st.sampled_from(FinishReason),
    raw_finish_reason=_MAYBE_TEXT,
    usage=st.none() | _USAGE,
    stop_string=_MAYBE_TEXT,
    response_id=_MAYBE_TEXT,
    response_model=_MAYBE_TEXT,
)
_CALLS = st.builds(
    FunctionCall,
    name=_TEXT,
    args=_OBJECTS,
    id=_TEXT,
    args_raw=_TEXT,
    args_truncated=st.booleans(),
    thought_signature=_MAYBE_TEXT,
    reasoning_details=st.lists(_OBJECTS, max_size=2).map(tuple),
    deepseek_reasoning_content=_MAYBE_TEXT,
)
_ERRORS = st.builds(
    ProviderError,
    type=st.sampled_from(["api_error", "timeout", "unknown"]),
    message=_TEXT,
    code=_TEXT,
    retryable=st.booleans(),
    retry_after=st.none() | st.floats(0, 100),
    original=_TEXT,
)
_CHUNKS = st.builds(
    ProcessedChunk,
    type=st.sampled_from(["text", "function_call", "error", "done"]),
    content=_TEXT,
    function_call=st.none() | _CALLS,
    error=st.none() | _ERRORS,
    thoughts=st.lists(
        st.builds(ThoughtLogEntry, kind=st.sampled_from(["raw", "summary"]), content=_TEXT), max_size=2
    ).map(tuple),
    serving_provider=_MAYBE_TEXT,
    metadata=st.none() | _METADATA,
    firings=st.lists(st.builds(GuardFiring, guard=_TEXT, text=_TEXT), max_size=2).map(tuple),
)


@given(_CHUNKS)
def test_a_chunk_survives_the_way_through_json(chunk):
    assert chunk_from_dict(json.loads(json.dumps(chunk_to_dict(chunk)))) == chunk


def test_what_is_empty_is_left_out():
    assert chunk_to_dict(ProcessedChunk(type="text", content="Hi")) == {"type": "text", "content": "Hi"}
    assert chunk_to_dict(
        ProcessedChunk(type="done", metadata=ChunkMetadata(usage=Usage(input_tokens=0)))
    ) == {
        "type": "done",
        "metadata": {"usage": {"input_tokens": 0}},
    }
