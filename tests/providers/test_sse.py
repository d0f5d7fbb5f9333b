"""Framing as the WHATWG page on server-sent events defines it, and the bounds we add."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.wire.sse import SseDecoder
from tests.providers.chunking import byte_by_byte, every_split


def decode(pieces):
    decoder = SseDecoder()
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.finish()


CASES = {
    "plain": (b"data: a\n\n", [("a", None)]),
    "carriage returns": (b"data: a\r\rdata: b\r\r", [("a", None), ("b", None)]),
    "both": (b"data: a\r\n\r\ndata: b\r\n\r\n", [("a", None), ("b", None)]),
    "mixed": (b"data: a\r\n\ndata: b\n\r\n", [("a", None), ("b", None)]),
    "several lines": (b"data: a\ndata: b\n\n", [("a\nb", None)]),
    "no blank after the colon": (b"data:a\n\n", [("a", None)]),
    "one blank only is taken": (b"data:  a\n\n", [(" a", None)]),
    "field without colon": (b"data\n\n", [("", None)]),
    "comment": (b": ping\n\n:\n\ndata: a\n\n", [("a", None)]),
    "named": (b"event: error\ndata: a\n\ndata: b\n\n", [("a", "error"), ("b", None)]),
    "llama.cpp error": (b'error: {"a":1}\n\n', [('{"a":1}', "error")]),
    "id and retry": (b"id: 7\nretry: 10\ndata: a\n\n", [("a", None)]),
    "byte order mark": (b"\xef\xbb\xbfdata: a\n\n", [("a", None)]),
    "mark in the text": (b"data: \xef\xbb\xbfa\n\n", [("\ufeffa", None)]),
    "last line without end": (b"data: a", [("a", None)]),
    "last block without end": (b"data: a\n", [("a", None)]),
    "unicode separators": (
        "data: a\u2028b\u0085c\x0bd\x0ce\n\n".encode(),
        [("a\u2028b\u0085c\x0bd\x0ce", None)],
    ),
    "letters of two to four bytes": ("data: é€😀\n\n".encode(), [("é€😀", None)]),
    "not UTF-8": (b"data: a\xff\xc3(b\n\n", [("a\ufffd\ufffd(b", None)]),
    "cut in a letter": (b"data: a\xe2\x82", [("a\ufffd", None)]),
    "no framing at all": (b'{"error":\n "x"}\n', [('{"error":\n "x"}', None)]),
    "nothing": (b"", []),
    "blank lines": (b"\n\n\r\n\r", []),
}


@pytest.mark.parametrize(("data", "events"), CASES.values(), ids=CASES)
def test_events_are_the_same_however_the_bytes_are_cut(data, events):
    for pieces in ([data], byte_by_byte(data), *every_split(data)):
        assert [(event.data, event.name) for event in decode(pieces)] == events


def test_an_event_is_given_as_soon_as_its_blank_line_is_there():
    decoder = SseDecoder()
    assert [event.data for event in decoder.feed(b"data: a\r\n\r")] == ["a"]
    assert decoder.feed(b"\ndata") == []


def test_lines_that_are_no_field_are_marked_as_stray():
    assert [event.stray for event in decode([b"<html>\n\ndata: a\n\n"])] == [True, False]


def test_a_stray_object_before_a_field_is_an_event_of_its_own():
    assert [event.data for event in decode([b'{"error": 1}\ndata: a\n\n'])] == ['{"error": 1}', "a"]


@pytest.mark.parametrize("unit", [b"x", b"data: " + b"x" * 90 + b"\n", b"data\n", b"stray\n"])
def test_what_never_ends_is_not_kept(unit):
    decoder = SseDecoder(max_event_chars=10_000)
    for _ in range(11_000):
        decoder.feed(unit)
    assert decoder.overflowed
    assert decoder.feed(b"\n\ndata: a\n\n") == []
    assert decoder.finish() == []


def test_events_before_an_overflow_are_kept():
    decoder = SseDecoder(max_event_chars=100)
    assert [event.data for event in decoder.feed(b"data: a\n\ndata: " + b"x" * 200)] == ["a"]
    assert decoder.overflowed


def test_comments_do_not_add_up():
    decoder = SseDecoder(max_event_chars=100)
    for _ in range(1000):
        decoder.feed(b": keep-alive\n")
    assert not decoder.overflowed


_BYTES = st.lists(
    st.sampled_from([b"data", b": ", b"\r", b"\n", b":", b"event", b"a", b"\xc3", b"\xa9", b"\xef\xbb\xbf"])
)


@given(_BYTES, st.integers(1, 4))
def test_any_bytes_in_any_cuts_give_the_same_events(parts, size):
    data = b"".join(parts)
    cut = [data[at : at + size] for at in range(0, len(data), size)]
    assert decode(cut) == decode([data])
