import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.guards.stop_strings import StopStringGuard
from tests.providers.streams import through, visible


def cut(strings, deltas):
    pieces = through(StopStringGuard(tuple(strings)), deltas)
    stops = [piece.text for piece in pieces if piece.kind == "stop"]
    return visible(pieces), stops


@pytest.mark.parametrize(
    ("strings", "deltas", "shown", "stops"),
    [
        (["<end>"], ["It is 12<e", "nd>tail"], "It is 12", ["<end>"]),
        (["<end>"], ["It is 12<e", "mpty>"], "It is 12<empty>", []),
        (["<end>"], ["cut at <en"], "cut at <en", []),
        (["b", "abcd"], list("xabcd"), "xa", ["b"]),
        (["abc", "bc"], ["xabc"], "x", ["abc"]),
        (["aab"], ["a", "a", "a", "b", "c"], "a", ["aab"]),
        (["\nMika:"], ["Hi.\nMi", "ka: hello"], "Hi.", ["\nMika:"]),
        (["\nMika:"], ["\nMika: hello\nMika: again"], "\nMika: hello", ["\nMika:"]),
        ([""], ["all"], "all", []),
    ],
)
def test_text_ends_before_the_string_that_is_complete_first(strings, deltas, shown, stops):
    assert cut(strings, deltas) == (shown, stops)


def test_nothing_comes_after_a_match():
    guard = StopStringGuard(("END",))
    guard.feed("aEND")
    assert guard.feed("more") == []
    assert guard.flush() == []


def test_plain_text_is_not_delayed():
    assert visible(StopStringGuard(("</s>",)).feed("at once")) == "at once"


@given(
    st.lists(st.text(alphabet="ab\n", min_size=1, max_size=4), min_size=1, max_size=4),
    st.text(alphabet="abc\n", max_size=60),
    st.integers(1, 6),
)
def test_cuts_change_nothing(strings, text, size):
    assert cut(strings, [text[at : at + size] for at in range(0, len(text), size)]) == cut(strings, [text])
