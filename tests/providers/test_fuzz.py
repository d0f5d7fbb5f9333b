"""Any bytes, in any chunking, give chunks with at most one end, and never an exception (DESIGN 4, law 1)."""

import json

from hypothesis import given
from hypothesis import strategies as st

from providers.normalize_command import summarize
from providers.normalizer import Normalizer
from providers.policy import GuardPolicy
from providers.registry import adapter_for, kinds
from providers.serialization import chunk_to_dict
from tests.providers.streams import run, tool

POLICY = GuardPolicy(
    verbatim_tool_calls=True,
    tools=(tool("f"), tool("go", ["x"], x="string")),
    local_stop_strings=("STOP", "\nM:"),
    persona="M",
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "<think>", "</think>", "f()", "STOP", "a\ud800"])
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
_KEYS = st.sampled_from(
    [
        "content",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "tool_calls",
        "function_call",
        "refusal",
        "role",
        "text",
    ]
)
_DELTA = st.dictionaries(_KEYS, _VALUES, max_size=4) | _VALUES
_CHOICE = st.fixed_dictionaries(
    {},
    optional={
        "index": _VALUES | st.just(0),
        "delta": _DELTA,
        "message": _DELTA,
        "text": _VALUES,
        "finish_reason": _VALUES,
        "error": _VALUES,
        "usage": _VALUES,
    },
)
_FUNCTION = st.fixed_dictionaries(
    {}, optional={"name": _VALUES | st.just("f"), "arguments": _VALUES | st.just('{"x":1}')}
)
_FRAGMENT = st.fixed_dictionaries(
    {},
    optional={
        "index": st.integers(0, 2) | _VALUES,
        "id": _VALUES,
        "function": _FUNCTION | _VALUES,
        "extra_content": _VALUES,
    },
)
_CALLING = st.builds(lambda fragments: {"delta": {"tool_calls": fragments}}, st.lists(_FRAGMENT, max_size=3))
_PAYLOAD = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(_CHOICE | _CALLING | _VALUES, max_size=2) | _VALUES,
        "usage": _VALUES,
        "error": _VALUES,
        "id": _VALUES,
        "model": _VALUES,
        "provider": _VALUES,
        "x_groq": _VALUES,
        "base_resp": _VALUES,
        "object": st.sampled_from(["error", "x"]),
    },
)
_EVENT = (_PAYLOAD | _VALUES).map(lambda value: f"data: {json.dumps(value)}\n\n".encode())
_NOISE = st.sampled_from(
    [
        b"data: [DONE]\n\n",
        b": ping\n\n",
        b"event: error\n",
        b"error: x\n",
        b"{",
        b"data: {\n\n",
        b"\xff",
        b"\r",
        b"\n",
    ]
)
_BODY = st.lists(_EVENT | _NOISE | st.binary(max_size=10), max_size=8).map(b"".join)


def check(chunks):
    assert [chunk.type for chunk in chunks].count("done") + [chunk.type for chunk in chunks].count(
        "error"
    ) <= 1
    assert all(chunk.type in ("text", "function_call") for chunk in chunks[:-1])
    for chunk in chunks:
        json.dumps(chunk_to_dict(chunk), ensure_ascii=False).encode()


@given(_BODY, st.sampled_from(kinds()), st.integers(1, 30))
def test_any_body_ends_exactly_once_and_the_cuts_do_not_matter(data, kind, size):
    chunks = run(data, POLICY, kind)
    check(chunks)
    assert chunks[-1].type in ("done", "error")
    cut = run([data[at : at + size] for at in range(0, len(data), size)], POLICY, kind)
    assert summarize("", cut) == summarize("", chunks)


@given(st.binary(max_size=300), st.integers(1, 30))
def test_any_bytes_at_all(data, size):
    check(run([data[at : at + size] for at in range(0, len(data), size)], POLICY))


@given(_BODY, st.integers(0, 200))
def test_an_interrupt_anywhere_ends_without_an_end(data, at):
    normalizer = Normalizer(adapter_for("custom"), POLICY)
    chunks = normalizer.feed(data[:at])
    ended = normalizer.ended
    chunks += normalizer.interrupt()
    check(chunks)
    assert normalizer.ended
    if not ended:
        assert all(chunk.type in ("text", "function_call") for chunk in chunks)
    assert normalizer.feed(data[at:]) + normalizer.finish() == []
