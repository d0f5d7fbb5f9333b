"""What is peculiar to chat completions: where things stand in a chunk, how a turn ends (DIALECTS 1, 5)."""

import pytest

from providers.chunks import FinishReason, RawStreamChunk
from providers.registry import adapter_for
from tests.providers.streams import DONE, NO_GUARDS, body, delta, event, fragment, run, summary, talk


def call(**fields):
    return delta(tool_calls=[fragment(**fields)])


def ended(finish="stop", done=True, **fields):
    return event({**delta(finish), **fields}) + (DONE if done else b"")


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm"},
        {"thinking": "hm"},
        {"reasoning_text": "hm"},
        {"reasoning_content": "hm", "reasoning": "hm"},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm", "index": 0}]},
        {
            "reasoning_details": [
                {"type": "reasoning.text", "text": "h"},
                {"type": "reasoning.text", "text": "m"},
            ]
        },
        {"reasoning": {"content": "hm"}},
        {"thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "S"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
        {"reasoning_content": None, "reasoning": "hm"},
        {"reasoning_content": "", "reasoning": "hm"},
    ],
)
def test_reasoning_is_found_under_every_name_and_counted_once(fields):
    got = summary(body(delta(**fields), delta(content="Hi"), delta("stop")))
    assert (got["thoughts"], got["text"]) == ("hm", "Hi")


def test_a_digest_of_the_reasoning_is_a_summary():
    details = [{"type": "reasoning.summary", "summary": "short"}]
    for fields in ({"reasoning_details": details}, {"reasoning": "short", "reasoning_details": details}):
        assert summary(body(delta(**fields), delta("stop")))["thought_entries"] == [
            {"kind": "summary", "content": "short"}
        ]


def test_encrypted_reasoning_is_no_text():
    details = [{"type": "reasoning.encrypted", "data": "AAAA"}]
    assert summary(body(delta(reasoning_details=details), delta("stop")))["thoughts"] == ""


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (
            delta(
                content=[{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
            ),
            "ab",
        ),
        ({"choices": [{"text": "ab"}]}, "ab"),
        ({"choices": [{"message": {"role": "assistant", "content": "ab"}, "finish_reason": "stop"}]}, "ab"),
        (
            {"choices": [{"index": 1, "delta": {"content": "x"}}, {"index": 0, "delta": {"content": "ab"}}]},
            "ab",
        ),
        ({"choices": [{"index": 1, "delta": {"content": "x"}}]}, ""),
        ({"choices": [{"index": 0, "delta": None}]}, ""),
        ({"choices": [{"index": 0}]}, ""),
        ({"choices": None}, ""),
        ({"choices": "x"}, ""),
        ({"choices": [None, 7]}, ""),
        (delta(content=7, reasoning=3, tool_calls="x", function_call=[], refusal={}), ""),
        ({"choices": [], "prompt_filter_results": []}, ""),
        (None, ""),
        (["x"], ""),
        ("ping", ""),
    ],
)
def test_visible_text_is_found_wherever_it_stands(payload, text):
    assert summary(body(payload, delta("stop")))["text"] == text


def test_a_running_total_beside_the_deltas_is_not_counted():
    first = {"choices": [{"index": 0, "delta": {"content": "Hi"}, "message": {"content": "Hi"}}]}
    last = {
        "object": "chat.completion.done",
        "choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}],
    }
    assert summary(body(first, last))["text"] == "Hi"


def test_an_answer_that_was_not_streamed_is_read_all_the_same():
    choices = b'"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]'
    answer = b"{\n " + choices + b',\n "usage": {"prompt_tokens": 1, "completion_tokens": 1}\n}'
    got = summary(answer)
    assert (got["text"], got["finish_reason"], got["usage"]["input_tokens"]) == ("Hi", "stop", 1)


@pytest.mark.parametrize(
    ("word", "finish"),
    [
        ("stop", "stop"),
        ("STOP", "stop"),
        ("end_turn", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("something_new", "other"),
    ],
)
def test_finish_reasons_have_one_vocabulary(word, finish):
    got = summary(talk("Hi", finish=word))
    assert (got["finish_reason"], got["raw_finish_reason"], got["error"]) == (finish, word, None)


@pytest.mark.parametrize(
    ("word", "kind", "retryable"),
    [
        ("content_filter", "content_blocked", False),
        ("sensitive", "content_blocked", False),
        ("error", "api_error", False),
        ("network_error", "provider_overloaded", True),
        ("insufficient_system_resource", "provider_overloaded", True),
    ],
)
def test_finish_reasons_that_mean_failure_are_errors(word, kind, retryable):
    got = summary(talk("Half", finish=word))
    assert (got["text"], got["error"]["type"], got["error"]["retryable"]) == ("Half", kind, retryable)
    assert got["raw_finish_reason"] == word


def test_a_refusal_is_blocked_content_in_the_models_words():
    got = summary(
        body(delta(content="", refusal=None), delta(refusal="I can"), delta(refusal="not."), delta("stop"))
    )
    assert (got["error"]["type"], got["error"]["code"], got["error"]["message"]) == (
        "content_blocked",
        "refusal",
        "I cannot.",
    )
    assert (got["text"], got["raw_finish_reason"]) == ("", "stop")


@pytest.mark.parametrize(
    ("payloads", "counts"),
    [
        ([{**delta("stop"), "usage": {"prompt_tokens": 9, "completion_tokens": 2}}], (9, 2, None, None)),
        (
            [delta("stop"), {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}],
            (9, 2, None, None),
        ),
        (
            [{**delta("stop"), "x_groq": {"usage": {"prompt_tokens": 9, "completion_tokens": 2}}}],
            (9, 2, None, None),
        ),
        (
            [
                {
                    "choices": [
                        {
                            "index": 0,
                            "delta": {},
                            "finish_reason": "stop",
                            "usage": {"prompt_tokens": 9, "completion_tokens": 2},
                        }
                    ]
                }
            ],
            (9, 2, None, None),
        ),
        (
            [
                {**delta(), "usage": {"prompt_tokens": 9, "completion_tokens": 1}},
                {**delta(), "usage": {"prompt_tokens": 9, "completion_tokens": 2}},
                {**delta("stop"), "usage": {"prompt_tokens": 0, "completion_tokens": 0}},
                {**delta(), "usage": None},
            ],
            (9, 2, None, None),
        ),
        (
            [
                {
                    **delta("stop"),
                    "usage": {
                        "prompt_tokens": 9,
                        "completion_tokens": 2,
                        "prompt_tokens_details": {"cached_tokens": 4},
                        "completion_tokens_details": {"reasoning_tokens": 1},
                    },
                }
            ],
            (9, 2, 1, 4),
        ),
        (
            [
                {
                    **delta("stop"),
                    "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 0},
                }
            ],
            (9, 2, None, 0),
        ),
        ([{**delta("stop"), "usage": {"input_tokens": 9, "output_tokens": 2}}], (9, 2, None, None)),
        (
            [{**delta("stop"), "usage": {"prompt_tokens": "9", "completion_tokens": 2, "total_tokens": -1}}],
            (None, 2, None, None),
        ),
    ],
)
def test_usage_is_the_last_that_says_anything(payloads, counts):
    usage = summary(body(*payloads))["usage"]
    assert tuple(usage[f"{name}_tokens"] for name in ("input", "output", "reasoning", "cached")) == counts


def test_no_usage_is_none():
    assert summary(talk("Hi"))["usage"] is None


def test_text_of_a_delta_with_a_call_comes_first():
    both = delta("tool_calls", content="Let me see.", tool_calls=[fragment(id="a", name="f", arguments="{}")])
    chunks = run(body(both))
    assert [(chunk.type, chunk.content) for chunk in chunks] == [
        ("text", "Let me see."),
        ("function_call", ""),
        ("done", ""),
    ]


def test_calls_in_parallel_come_in_order():
    payloads = [
        call(index=0, id="a", name="f", arguments="{"),
        call(index=1, id="b", name="g", arguments='{"y":2}'),
        call(index=0, arguments='"x":1}'),
    ]
    got = summary(body(*payloads, delta("tool_calls")))
    assert [(c["id"], c["name"], c["args"]) for c in got["function_calls"]] == [
        ("a", "f", {"x": 1}),
        ("b", "g", {"y": 2}),
    ]


def test_calls_that_share_an_id_are_told_apart():
    pair = delta(
        tool_calls=[
            fragment(0, id="x", name="f", arguments="{}"),
            fragment(1, id="x", name="f", arguments="{}"),
        ]
    )
    assert [c["id"] for c in summary(body(pair, delta("tool_calls")))["function_calls"]] == ["x", "x_2"]


def test_a_call_with_finish_stop_is_a_call():
    got = summary(body(call(id="a", name="f", arguments="{}"), delta("stop")))
    assert (got["finish_reason"], got["raw_finish_reason"]) == ("tool_calls", "stop")


def test_calls_before_the_end_marker_alone_are_whole():
    got = summary(body(call(id="a", name="f", arguments="{}")))
    assert (got["finish_reason"], got["function_calls"][0]["args_truncated"]) == ("tool_calls", False)


def test_the_old_function_call_is_a_call():
    payloads = [delta(function_call={"name": "f", "arguments": ""}), delta(function_call={"arguments": "{}"})]
    got = summary(body(*payloads, delta("function_call")))
    assert [(c["name"], c["args"]) for c in got["function_calls"]] == [("f", {})]


def test_a_token_glued_to_the_name_is_cut():
    got = summary(body(call(id="a", name="f<|channel|>commentary", arguments="{}"), delta("tool_calls")))
    assert got["function_calls"][0]["name"] == "f"


@pytest.mark.parametrize(
    "tail",
    [
        body(delta("length")),
        body({"error": {"message": "busy"}}),
        b"",
        body(delta("content_filter")),
    ],
)
@pytest.mark.parametrize("arguments", ["", '{"x": 1', '{"x": 1}'])
def test_the_last_call_of_a_turn_that_was_cut_is_never_whole(tail, arguments):
    calls = body(
        call(index=0, id="a", name="f", arguments="{}"),
        call(index=1, id="b", name="g", arguments=arguments),
        done=False,
    )
    got = summary(calls + tail)
    assert [c["args_truncated"] for c in got["function_calls"]] == [False, True]
    assert got["function_calls"][1]["args"] is None


def test_cut_arguments_are_marked_whatever_the_finish_reason_says():
    chunks = run(body(call(id="a", name="f", arguments='{"x": "lon'), delta("tool_calls")))
    function_call = chunks[0].function_call
    assert (function_call.args_truncated, function_call.args, function_call.args_raw) == (
        True,
        {"x": "lon"},
        '{"x": "lon',
    )


def test_a_call_without_a_name_must_not_run():
    got = summary(body(call(id="a", arguments="{}"), delta("tool_calls")))
    assert [c["args_truncated"] for c in got["function_calls"]] == [True]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (event({"error": {"message": "busy", "type": "server_error"}}), "busy"),
        (event({"error": "busy"}), "busy"),
        (event({"error": {"error": {"message": "busy"}}}), "busy"),
        (event([{"error": {"message": "busy"}}]), "busy"),
        (event({"object": "error", "message": "busy", "code": 503}), "busy"),
        (event({"base_resp": {"status_code": 1002, "status_msg": "busy"}}), "busy"),
        (event({**delta("error", content=""), "error": {"code": 502, "message": "busy"}}), "busy"),
        (event({"choices": [{"index": 0, "error": {"code": 502, "message": "busy"}}]}), "busy"),
        (event({"detail": "busy"}), "busy"),
        (event({"message": "busy", "code": 503}), "busy"),
        (b'event: error\ndata: {"message": "busy"}\n\n', "busy"),
        (b'event: error\ndata: "busy"\n\n', "busy"),
        (b'error: {"message": "busy"}\n\n', "busy"),
        (b'{"error": {"message": "busy"}}\r\n', "busy"),
        (b'{"error": "busy"}\n', "busy"),
    ],
)
@pytest.mark.parametrize("before", [b"", event(delta(content="Half"))])
def test_an_error_object_anywhere_ends_the_turn(before, data, message):
    got = summary(before + data + DONE)
    assert got["error"]["message"] == message
    assert got["text"] == ("Half" if before else "")


def test_an_error_after_the_finish_reason_wins_and_keeps_finish_and_usage():
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    late = {**delta("length"), "error": {"code": 400, "message": "limit"}, "usage": usage}
    got = summary(talk("Hi", finish="length", done=False) + event(late))
    assert (got["error"]["message"], got["finish_reason"], got["usage"]["input_tokens"]) == (
        "limit",
        "length",
        9,
    )


@pytest.mark.parametrize(
    "harmless", [{"error": None}, {"error": {}}, {"error": ""}, {"base_resp": {"status_code": 0}}]
)
def test_an_empty_error_is_none(harmless):
    assert summary(body({**delta(content="Hi"), **harmless}, delta("stop")))["error"] is None


def test_text_beside_an_error_is_shown():
    assert summary(event({**delta(content="Half"), "error": {"message": "x"}}))["text"] == "Half"


def test_a_broken_object_is_an_error_but_what_follows_is_read():
    got = summary(b'data: {"choices": [{"delta"\n\n' + talk("Hi"))
    assert (got["text"], got["error"]["code"]) == ("Hi", "malformed_event")


def test_words_that_are_no_json_are_somebodys_heartbeat():
    assert summary(b"data: ping\n\n" + b"data:\n\n" + b"data: null\n\n" + talk("Hi"))["error"] is None


def test_a_web_page_is_incomplete():
    assert summary(b"<html>\n<body>Sign in</body>\n</html>\n")["error"]["type"] == "incomplete"


def test_events_without_a_blank_line_between_them_are_read():
    lines = event(delta(content="a")).replace(b"\n\n", b"\n") + event(delta(content="b"))
    assert summary(lines + ended())["text"] == "ab"


def test_reasoning_goes_back_with_the_call_where_the_dialect_wants_it():
    data = body(
        delta(reasoning_content="hm "),
        delta(reasoning_content="so"),
        call(id="a", name="f", arguments="{}"),
        call(index=1, id="b", name="g", arguments="{}"),
        delta("tool_calls"),
    )
    calls = [chunk.function_call for chunk in run(data, kind="deepseek") if chunk.function_call]
    assert [c.deepseek_reasoning_content for c in calls] == ["hm so", None]
    assert all(c.function_call.deepseek_reasoning_content is None for c in run(data) if c.function_call)


def test_reasoning_details_and_signatures_go_back_with_the_call():
    details = [
        delta(reasoning_details=[{"type": "reasoning.text", "text": "h", "index": 0}]),
        delta(reasoning_details=[{"type": "reasoning.text", "text": "m", "index": 0, "signature": "S"}]),
        delta(reasoning_details=[{"type": "reasoning.encrypted", "data": "AA", "id": "r1", "index": 1}]),
    ]
    signed = call(id="a", name="f", arguments="{}", extra_content={"google": {"thought_signature": "T"}})
    chunks = run(body(*details, signed, delta("tool_calls")), kind="openrouter")
    function_call = next(chunk.function_call for chunk in chunks if chunk.function_call)
    assert function_call.reasoning_details == (
        {"type": "reasoning.text", "text": "hm", "index": 0, "signature": "S"},
        {"type": "reasoning.encrypted", "data": "AA", "id": "r1", "index": 1},
    )
    assert function_call.thought_signature == "T"


def test_the_pieces_of_one_choice_never_mix_with_another():
    mixed = [
        {"choices": [{"index": n, "delta": {"content": text}}]} for n, text in ((0, "a"), (1, "x"), (0, "b"))
    ]
    other = {"choices": [{"index": 1, "delta": {}, "finish_reason": "length"}]}
    got = summary(body(*mixed, other, delta("stop")))
    assert (got["text"], got["finish_reason"]) == ("ab", "stop")


@pytest.mark.parametrize("kind", ["openai_compatible", "custom", "openrouter", "deepseek", "mistral", "zai"])
def test_process_chunk_is_one_to_one_and_pure(kind):
    adapter = adapter_for(kind)
    payloads = [
        delta(content="Hi"),
        delta("stop"),
        delta("stop", content="Hi"),
        call(id="a", name="f", arguments="{}"),
        {"error": {"message": "x"}},
        {"choices": [], "usage": {}},
        None,
        [],
        7,
    ]
    for payload in payloads:
        before = repr(payload)
        raw = RawStreamChunk(provider=kind, data=payload)
        assert adapter.process_chunk(raw) == adapter.process_chunk(raw)
        assert repr(payload) == before
    types = [adapter.process_chunk(RawStreamChunk(provider=kind, data=payload)).type for payload in payloads]
    assert types == ["text", "done", "text", "function_call", "error", "text", "text", "text", "text"]


def test_a_finish_reason_in_a_plain_chunk_is_an_end():
    chunk = adapter_for("custom").process_chunk(RawStreamChunk(provider="custom", data=delta("length")))
    assert chunk.type == "done"
    assert chunk.metadata.finish_reason is FinishReason.LENGTH


def test_guards_do_not_see_reasoning_fields():
    literal = delta(reasoning="<think>hm</think>")
    assert summary(body(literal, delta("stop")))["thoughts"] == "<think>hm</think>"
    assert summary(body(literal, delta("stop")), NO_GUARDS)["thoughts"] == "<think>hm</think>"
