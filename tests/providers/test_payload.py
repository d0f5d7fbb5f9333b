import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.arguments import read_arguments, repair
from providers.wire.payload import MAX_DEPTH, UNREADABLE, parse_event, parse_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"logprob": -Infinity, "b": 1}', {"logprob": None, "b": 1}),
        ('"tab\there"', "tab\there"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud83d"', "\ufffd"),
        (r'{"\udc00": ["\ud83d", 1]}', {"\ufffd": ["\ufffd", 1]}),
        ("null", None),
        ("[NaN, 1e999, 0.5]", [None, None, 0.5]),
        (r'{"\u0000a": "b\u0000"}', {"\ufffda": "b\ufffd"}),
        ('"a\0b"', "a\ufffdb"),
    ],
)
def test_json_is_read_leniently(text, value):
    assert parse_json(text) == value


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "ping", '{"a":}', "{'a': 1}", "9" * 5000 + "x"])
def test_what_is_no_json_is_unreadable_and_no_exception(text):
    assert parse_json(text) is UNREADABLE


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1, 900, 3_000])
def test_a_value_is_read_to_a_depth_that_every_database_and_browser_takes(depth):
    value = parse_json('{"a":' * depth + "1" + "}" * depth)
    assert (value is UNREADABLE) is (depth > MAX_DEPTH)


def test_breadth_is_no_depth():
    assert parse_json("[" + "[]," * 500 + "{}]") == [[]] * 500 + [{}]


@pytest.mark.parametrize("raw", ['{"a":' * 3_000 + "1" + "}" * 3_000, '{"a":' * 3_000])
def test_arguments_nested_too_deep_are_never_whole(raw):
    assert read_arguments(raw) == ({}, True)


@pytest.mark.parametrize("cut", [r'{"a": "x\u0000y", "b": [1', '{"a": [NaN, 1e999, 2'])
def test_repaired_arguments_are_storable_too(cut):
    args, truncated = read_arguments(cut)
    assert truncated
    assert "\0" not in str(args)
    json.dumps(args, allow_nan=False)


def test_values_are_always_storable():
    value = parse_json("[" * 90 + r'"\ud800"' + "]" * 90)
    str(value).encode()


def test_one_event_may_hold_several_objects():
    assert parse_event('{"a":1}\n{"b":2}') == [{"a": 1}, {"b": 2}]
    assert parse_event('{"a":1}\n[DONE]') == [{"a": 1}]
    assert parse_event('data: {"a":1}') == [{"a": 1}]
    assert parse_event('{"id":"x","objdata: {"a":1}') == [{"a": 1}]
    assert parse_event('{"a":') == [UNREADABLE]
    assert parse_event('{"a":1}\n{"b":') == [UNREADABLE]


@given(st.text())
def test_no_text_raises(text):
    parse_event(text)
    read_arguments(text)


@pytest.mark.parametrize(
    ("raw", "args", "cut"),
    [
        ("", {}, False),
        (" ", {}, False),
        ("null", {}, False),
        ('{"a": 1}', {"a": 1}, False),
        ('"{\\"a\\": 1}"', {"a": 1}, False),
        ('json\n{"a": 1}', {"a": 1}, False),
        ('{"a": "long te', {"a": "long te"}, True),
        ('{"a": 1, "b": [1, 2', {"a": 1, "b": [1, 2]}, True),
        ("[1, 2]", {}, True),
        ("12", {}, True),
        ("no arguments at all", {}, True),
    ],
)
def test_arguments_that_are_no_whole_object_are_marked_as_cut(raw, args, cut):
    assert read_arguments(raw) == (args, cut)


def test_repair_is_bounded():
    assert repair('{"a": "' + "x" * 100_000) == {}
