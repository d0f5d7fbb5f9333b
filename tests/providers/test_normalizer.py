"""Decoder, adapter and guards together: the laws of DESIGN 4."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.chunks import FinishReason
from providers.normalizer import Normalizer
from providers.policy import GuardPolicy
from providers.registry import adapter_for
from tests.providers.streams import DONE, body, delta, event, fragment, run, summary, talk, tool

TOOLS = (tool("read_page", ["page_id"], page_id="string"), tool("list_rooms"))
VERBATIM = GuardPolicy(verbatim_tool_calls=True, tools=TOOLS)


def fed(*pieces, policy=None, kind="openai_compatible"):
    normalizer = Normalizer(adapter_for(kind), policy)
    return normalizer, [chunk for piece in pieces for chunk in normalizer.feed(piece)]


def test_text_passes_as_it_comes():
    _, chunks = fed(event(delta(content="Hel")), event(delta(content="lo")))
    assert [(chunk.type, chunk.content) for chunk in chunks] == [("text", "Hel"), ("text", "lo")]


def test_done_comes_once_and_carries_what_the_provider_said():
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    chunks = run(talk("Hi", done=False) + body({"choices": [], "usage": usage}) + talk("late"))
    assert [chunk.type for chunk in chunks] == ["text", "done"]
    metadata = chunks[-1].metadata
    assert (metadata.finish_reason, metadata.raw_finish_reason) == (FinishReason.STOP, "stop")
    assert (metadata.usage.input_tokens, metadata.usage.output_tokens) == (3, 2)
    assert (metadata.response_id, metadata.response_model) == ("c1", "m1")


def test_nothing_comes_after_the_end():
    normalizer, _ = fed(talk("Hi"))
    assert normalizer.ended
    assert normalizer.feed(talk("more")) == []
    assert normalizer.finish() == []
    assert normalizer.interrupt() == []


def test_chunks_without_information_are_dropped():
    empty = [delta(role="assistant", content=""), delta(), {"choices": []}, {"id": "x"}, delta(content=None)]
    assert [chunk.type for chunk in run(body(*empty, delta("stop")))] == ["done"]


def test_an_end_before_the_provider_said_so_is_incomplete():
    got = summary(talk("Half an ans", finish=None, done=False))
    assert got["text"] == "Half an ans"
    assert (got["error"]["type"], got["error"]["retryable"]) == ("incomplete", True)


def test_the_end_marker_alone_or_the_finish_reason_alone_is_a_good_end():
    assert summary(talk("Hi", finish=None))["finish_reason"] == "stop"
    assert summary(talk("Hi", done=False))["finish_reason"] == "stop"


def test_text_held_by_a_guard_is_released_before_the_end_an_error_and_a_call():
    held = delta(content="a <thi")
    call = delta(tool_calls=[fragment(id="a", name="f", arguments="{}")])
    for tail in (
        body(delta("stop")),
        body({"error": {"message": "x"}}),
        body(call, delta("tool_calls")),
        b"",
    ):
        chunks = run(event(held) + tail)
        assert "".join(chunk.content for chunk in chunks) == "a <thi"
        assert all(chunk.content for chunk in chunks[:2])
        assert chunks[-1].type in ("done", "error")


def test_an_interrupt_releases_held_text_and_no_half_built_call():
    call = delta(tool_calls=[fragment(id="a", name="f", arguments='{"x":')])
    normalizer, before = fed(event(delta(content='I read `read_page("p')), event(call), policy=VERBATIM)
    after = normalizer.interrupt()
    assert "".join(chunk.content for chunk in before + after) == 'I read `read_page("p'
    assert all(chunk.type == "text" for chunk in after)
    assert normalizer.ended
    assert normalizer.interrupt() == []


def test_an_interrupt_keeps_a_partial_thought_a_thought():
    normalizer, before = fed(event(delta(content="<think>deep </thi")))
    after = normalizer.interrupt()
    assert "".join(t.content for chunk in before + after for t in chunk.thoughts) == "deep </thi"


def test_progress_counts_content_and_nothing_else():
    normalizer = Normalizer(adapter_for("openai_compatible"))
    seen = []
    for piece in (
        b": keep-alive\n\n",
        event(delta(role="assistant", content="")),
        event({"choices": [], "usage": {"prompt_tokens": 1}}),
        event(delta(content="<thi")),
        event(delta(reasoning_content="hm")),
        event(delta(tool_calls=[fragment(id="a", name="f", arguments="{")])),
        event(delta(tool_calls=[fragment(arguments="}")])),
        event(delta(tool_calls=[])),
        event(delta(refusal="no")),
    ):
        normalizer.feed(piece)
        seen.append(normalizer.progress)
    assert seen == [0, 0, 0, 1, 2, 3, 4, 4, 5]


def test_finishing_tells_that_only_the_end_marker_is_missing():
    normalizer, _ = fed(event(delta(content="Hi")))
    assert not normalizer.finishing
    normalizer.feed(event(delta("stop")))
    assert normalizer.finishing
    assert not normalizer.ended


def test_a_thought_and_a_text_of_one_delta_stay_together():
    _, chunks = fed(event(delta(content="Hi", reasoning="hm")))
    assert [(chunk.content, chunk.thoughts[0].content) for chunk in chunks] == [("Hi", "hm")]


def test_a_call_never_shares_a_chunk_with_text():
    chunks = run(talk('First. `list_rooms()` Then read_page("p") end'), VERBATIM)
    assert [chunk.type for chunk in chunks] == [
        "text",
        "function_call",
        "text",
        "function_call",
        "text",
        "done",
    ]
    assert all(not chunk.content for chunk in chunks if chunk.type == "function_call")


def test_a_recovered_call_makes_the_finish_reason_a_call():
    got = summary(talk("`list_rooms()`"), VERBATIM)
    assert (got["text"], got["finish_reason"], got["raw_finish_reason"]) == ("", "tool_calls", "stop")
    assert got["guards"] == {"verbatim_tools": 1}
    assert summary(talk("`list_rooms()`", finish="length"), VERBATIM)["finish_reason"] == "length"


def test_switched_off_a_written_call_is_text():
    off = GuardPolicy(verbatim_tool_calls=False, tools=TOOLS)
    got = summary(talk("`list_rooms()`"), off)
    assert (got["text"], got["function_calls"], got["finish_reason"]) == ("`list_rooms()`", [], "stop")


def test_a_call_written_in_the_thoughts_is_no_call():
    got = summary(talk("<think>maybe list_rooms()</think>ok"), VERBATIM)
    assert (got["text"], got["thoughts"], got["function_calls"]) == ("ok", "maybe list_rooms()", [])


def test_a_stop_string_ends_the_turn_and_says_which():
    policy = GuardPolicy(local_stop_strings=("<end>", "\nMika:"))
    normalizer, chunks = fed(talk("<think><end></think>It is 12<e", "nd>tail"), policy=policy)
    assert [chunk.type for chunk in chunks] == ["text", "done"]
    assert "".join(chunk.content for chunk in chunks) == "It is 12"
    assert chunks[-1].metadata.stop_string == "<end>"
    assert chunks[-1].metadata.finish_reason == "stop"
    assert [firing.guard for firing in chunks[-1].firings] == ["stop_strings"]
    assert normalizer.ended


def test_a_stop_string_that_is_only_begun_is_shown_before_a_call():
    policy = GuardPolicy(verbatim_tool_calls=True, tools=TOOLS, local_stop_strings=("STOP",))
    chunks = run(talk("now ST", "list_rooms()"), GuardPolicy(local_stop_strings=("STOP",)))
    assert "".join(chunk.content for chunk in chunks) == "now STlist_rooms()"
    chunks = run(talk("now S-", "list_rooms() S"), policy)
    assert [chunk.content or chunk.type for chunk in chunks] == ["now S-", "function_call", " ", "S", "done"]


def test_the_serving_backend_is_named_once():
    payloads = [{**delta(content=text), "provider": "Backend"} for text in ("a", "b")]
    chunks = run(body(*payloads, {**delta("stop"), "provider": "Other"}), kind="openrouter")
    assert [chunk.serving_provider for chunk in chunks] == ["Backend", None, None]


def test_guards_off_means_untouched():
    text = "<think>a</think>b <end>"
    assert summary(talk(text), GuardPolicy(think_tags=False))["text"] == text


def test_a_model_that_starts_in_reasoning_is_read_so():
    policy = GuardPolicy(starts_in_reasoning=True)
    got = summary(talk("hm", "</think>", "ok"), policy)
    assert (got["text"], got["thoughts"]) == ("ok", "hm")
    parsed = body(delta(reasoning_content="hm"), delta(content="ok"), delta("stop"))
    assert summary(parsed, policy)["text"] == "ok"


def test_a_hostile_line_is_an_error_and_not_memory():
    normalizer = Normalizer(adapter_for("openai_compatible"))
    block = b"x" * (1 << 20)
    chunks = normalizer.feed(event(delta(content="Hi")) + b"data: ")
    for _ in range(40):
        chunks += normalizer.feed(block)
    assert [chunk.type for chunk in chunks] == ["text", "error"]
    assert chunks[-1].error.code == "event_too_large"
    assert normalizer.ended


_DELTAS = st.lists(
    st.sampled_from(
        ["<think>", "</think>", "list_rooms()", "`", "```\n", "text ", "<", "ST", "OP", "\n", "é"]
    ),
    max_size=12,
)


@given(_DELTAS, st.integers(1, 40), st.booleans())
def test_streamed_is_batch(deltas, size, done):
    policy = GuardPolicy(verbatim_tool_calls=True, tools=TOOLS, local_stop_strings=("STOP",))
    data = talk(*deltas, done=done)
    got = summary([data[at : at + size] for at in range(0, len(data), size)], policy)
    assert got == summary(data, policy)


@pytest.mark.parametrize("pieces", [[], [b""], [b"\n\n"], [b": ping\n\n"]])
def test_an_empty_body_is_incomplete(pieces):
    assert [chunk.error.type for chunk in run(pieces)] == ["incomplete"]


def test_the_end_marker_as_the_whole_body_is_an_empty_answer():
    assert [chunk.type for chunk in run(DONE)] == ["done"]
