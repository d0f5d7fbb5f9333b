"""GenerationRequest to chat completion request."""

import json

import pytest

from providers.registry import adapter_for
from providers.request import (
    EndpointConfig,
    GenerationRequest,
    ImagePart,
    Message,
    TextPart,
    Tool,
    ToolCallPart,
)
from providers.urls import join_url

LOCAL = EndpointConfig(base_url="http://localhost:8080/v1", api_key="k-1")


def said(role, text, **more):
    return Message(role=role, parts=(TextPart(text=text),), **more)


def built(endpoint=LOCAL, **fields):
    request = GenerationRequest(**{"model": "m", "messages": (said("user", "Hi"),), **fields})
    return adapter_for("openai_compatible").build_request(request, endpoint)


def body(**fields):
    return json.loads(built(**fields).body)


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
        (" https://h/v1// ", "https://h/v1/chat/completions"),
        ("https://h", "https://h/chat/completions"),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h/v1/chat/completions/", "https://h/v1/chat/completions"),
        ("https://h/openai?api-version=1#x", "https://h/openai/chat/completions?api-version=1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
    ],
)
def test_the_address_is_joined(base, url):
    assert built(EndpointConfig(base_url=base)).url == url


@pytest.mark.parametrize(
    "base",
    [
        "",
        "h/v1",
        "ftp://h",
        "http://",
        "https://user:pw@h",
        "http://h:99999",
        "http://h:x",
        "http://[::1",
        "http://h/a b",
        "http://h/\nx",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_in_plain_words(base):
    with pytest.raises(ValueError, match=r"^The address .+\.$"):
        join_url(base, "chat/completions")


def test_headers_ask_for_an_uncompressed_stream():
    request = built()
    assert request.method == "POST"
    assert request.headers == {
        "Content-Type": "application/json",
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",
        "Authorization": "Bearer k-1",
    }


@pytest.mark.parametrize("key", ["", "  ", "none", "not-needed"])
def test_without_a_key_no_authorization_is_sent(key):
    assert "Authorization" not in built(EndpointConfig(base_url="http://h", api_key=key)).headers


def test_headers_of_the_endpoint_win():
    headers = built(
        EndpointConfig(base_url="http://h", api_key="k", headers={"authorization": "x", "api-key": "y"})
    ).headers
    assert headers["authorization"] == "x"
    assert headers["api-key"] == "y"
    assert "Authorization" not in headers


def test_the_key_is_in_no_repr():
    secret = EndpointConfig(base_url="http://h", api_key="k-secret-1", headers={"x": "k-secret-2"})
    assert "k-secret" not in repr(secret) + repr(built(secret))


def test_a_plain_request_asks_for_a_stream_with_usage():
    assert body() == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_everything_a_turn_may_ask_for_is_sent():
    got = body(
        tools=(Tool(name="f", description="does f", parameters={"type": "object"}), Tool(name="g")),
        tool_choice="auto",
        stop=("END",),
        max_output_tokens=100,
        sampling={"temperature": 0.5, "top_k": 4},
        thinking_level="high",
    )
    assert got["tools"] == [
        {
            "type": "function",
            "function": {"name": "f", "description": "does f", "parameters": {"type": "object"}},
        },
        {"type": "function", "function": {"name": "g", "parameters": {"type": "object", "properties": {}}}},
    ]
    assert (got["tool_choice"], got["stop"], got["max_tokens"]) == ("auto", ["END"], 100)
    assert (got["temperature"], got["top_k"], got["reasoning_effort"]) == (0.5, 4, "high")


def test_a_tool_choice_without_tools_is_not_sent():
    assert "tool_choice" not in body(tool_choice="auto")


def test_extra_is_merged_last_and_dropped_keys_are_removed():
    got = body(
        sampling={"temperature": 1, "top_p": 1},
        extra={"temperature": 0, "seed": 7},
        drop=frozenset({"top_p", "stream_options"}),
    )
    assert (got["temperature"], got["seed"]) == (0, 7)
    assert "top_p" not in got
    assert "stream_options" not in got


def test_messages_of_every_role_are_sent():
    call = ToolCallPart(id="c1", name="f", args_json='{"x":1}', opaque={"extra_content": {"a": 1}})
    got = body(
        messages=(
            said("system", "Be kind."),
            Message(role="user", parts=(TextPart(text="What "), TextPart(text="is it?")), name="ann"),
            Message(role="user", parts=(TextPart(text="Look:"), ImagePart(url="data:image/png;base64,AA"))),
            Message(
                role="assistant",
                tool_calls=(call, ToolCallPart(id="c2", name="g", args_json="")),
                opaque={"reasoning_content": "hm"},
            ),
            said("tool", "42", tool_call_id="c1"),
        )
    )["messages"]
    assert got == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "What is it?", "name": "ann"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "f", "arguments": '{"x":1}'},
                    "extra_content": {"a": 1},
                },
                {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
            ],
            "reasoning_content": "hm",
        },
        {"role": "tool", "content": "42", "tool_call_id": "c1"},
    ]


def test_a_prefill_is_the_last_assistant_message_and_not_sent_twice():
    assert body(prefill="Once")["messages"][-1] == {"role": "assistant", "content": "Once"}
    got = body(messages=(said("user", "Hi"), said("assistant", "Once")), prefill="Once")["messages"]
    assert len(got) == 2
