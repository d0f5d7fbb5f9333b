"""The table of DOMAIN 4.3 in sentences of our own, and what its weak spots should do instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.guards.verbatim_tools import MAX_BUFFER_CHARS, MAX_CALLS, VerbatimToolGuard
from tests.providers.streams import through, tool, visible

TOOLS = (
    tool("read_page", ["page_id"], page_id="string"),
    tool("paint", ["prompt"], prompt="string", style="string"),
    tool("paint_wall", ["prompt", "wall"], prompt="string", wall="integer"),
    tool("list_rooms"),
    tool("find_many", ["query", "filters"], query="string", filters="object"),
)


def recover(deltas):
    pieces = through(VerbatimToolGuard(TOOLS), deltas)
    calls = [(piece.call.name, dict(piece.call.args)) for piece in pieces if piece.kind == "call"]
    return visible(pieces), calls


PAGE = ("read_page", {"page_id": "p7"})
CASES = [
    ('`read_page("p7")`', "", [PAGE]),
    ('read_page("p7")', "", [PAGE]),
    (
        '```json\npaint({"prompt": "a fox", "style": "ink"})\n```',
        "",
        [("paint", {"prompt": "a fox", "style": "ink"})],
    ),
    (
        'find_many({"query": "q", "filters": {"tags": ["a", {"b": 1}]}})',
        "",
        [("find_many", {"query": "q", "filters": {"tags": ["a", {"b": 1}]}})],
    ),
    ("`list_rooms()`", "", [("list_rooms", {})]),
    ('`no_such({"a": 1})`', '`no_such({"a": 1})`', []),
    ('`paint_wall("fox")`', '`paint_wall("fox")`', []),
    ('I shall open it: `read_page("p7")`', "I shall open it: ", [PAGE]),
    ('Fine.\n\nread_page("p7")\n\nThere it is.', "Fine.\n\n\n\nThere it is.", [PAGE]),
    ('paint({"prompt": "a (small) one :)"})', "", [("paint", {"prompt": "a (small) one :)"})]),
    ("You may use paint (it makes pictures) later.", "You may use paint (it makes pictures) later.", []),
    ("paint({", "paint({", []),
    ('read_page ("p7")', "", [PAGE]),
    ("read_page()", "read_page()", []),
    ('xread_page("p7")', 'xread_page("p7")', []),
    ('_read_page("p7")', '_read_page("p7")', []),
    (r'read_page("a\") b") done', " done", [("read_page", {"page_id": 'a") b'})]),
    ("the list_ro", "the list_ro", []),
    ('paint(prompt="x")', 'paint(prompt="x")', []),
    ('paint({"style": "ink"})', 'paint({"style": "ink"})', []),
    ('read_page("p7") and list_rooms()', " and ", [PAGE, ("list_rooms", {})]),
    ("paint (as said) or list_rooms()", "paint (as said) or ", [("list_rooms", {})]),
    ('paint({"bad) then list_rooms()', 'paint({"bad) then list_rooms()', []),
    ("paint({bad}) then list_rooms()", "paint({bad}) then ", [("list_rooms", {})]),
    ('```\nlist_rooms()\nread_page("p7")\n```\nok', "\n\nok", [("list_rooms", {}), PAGE]),
    ("`a` list_rooms() `b`", "`a`  `b`", [("list_rooms", {})]),
    ('Use `code`, then `read_page("p7")`.', "Use `code`, then .", [PAGE]),
    ("`list_rooms", "`list_rooms", []),
    ("list_rooms()", "", [("list_rooms", {})]),
    ("```list_rooms()list_rooms```", "list_rooms```", [("list_rooms", {})]),
    ("`list_rooms()``", "`", [("list_rooms", {})]),
    ("`list_rooms()`" + " " * 20 + "`", " " * 20 + "`", [("list_rooms", {})]),
    ("No call in `here`, nor ```py\nthere\n```.", "No call in `here`, nor ```py\nthere\n```.", []),
]


@pytest.mark.parametrize(("text", "shown", "calls"), CASES)
@pytest.mark.parametrize("size", [1, 2, 5, 10_000])
def test_calls_are_recovered_and_mentions_are_shown(text, shown, calls, size):
    assert recover([text[at : at + size] for at in range(0, len(text), size)]) == (shown, calls)


@pytest.mark.parametrize(("text", "shown", "calls"), CASES)
def test_the_place_of_the_cut_does_not_matter(text, shown, calls):
    for at in range(1, len(text)):
        assert recover([text[:at], text[at:]]) == (shown, calls)


def test_plain_talk_is_not_delayed():
    guard = VerbatimToolGuard(TOOLS)
    assert visible(guard.feed("Nothing to do here. ")) == "Nothing to do here. "


def test_a_call_longer_than_the_buffer_is_shown():
    text = 'paint({"prompt": "' + "x" * (MAX_BUFFER_CHARS + 10) + '"})'
    deltas = [text[at : at + 50] for at in range(0, len(text), 50)]
    assert recover(deltas) == (text, [])


def test_a_recovered_call_is_recorded_with_its_literal_text():
    pieces = through(VerbatimToolGuard(TOOLS), ['`read_page("p7")`'])
    call = next(piece for piece in pieces if piece.kind == "call")
    assert call.firing is not None
    assert call.firing.text == '`read_page("p7")'
    assert call.call is not None
    assert call.call.args_raw == '"p7"'


def test_without_tools_everything_passes():
    assert visible(through(VerbatimToolGuard(()), ["paint({})"])) == "paint({})"


_PARTS = st.sampled_from(
    [
        "list_rooms",
        "paint",
        "(",
        ")",
        '"',
        "\\",
        "{",
        "}",
        "`",
        "```",
        "\n",
        " ",
        "x",
        "list_rooms()",
        "json\n",
    ]
)


@given(st.lists(_PARTS, max_size=25), st.integers(1, 5))
def test_cuts_change_nothing_and_only_calls_and_their_fences_go(parts, size):
    text = "".join(parts)
    whole = recover([text])
    assert recover([text[at : at + size] for at in range(0, len(text), size)]) == whole
    if not whole[1]:
        assert whole[0] == text


@pytest.mark.parametrize("mention", ["list_rooms(", "list_rooms({", 'list_rooms( "'])
def test_a_megabyte_of_mentions_in_one_delta_is_read_in_linear_time(mention):
    text = mention * 100_000
    assert recover([text]) == (text, [])


def test_a_turn_can_write_only_so_many_calls_and_the_rest_stays_text():
    text, calls = recover(["list_rooms() " * (MAX_CALLS + 2)])
    assert len(calls) == MAX_CALLS
    assert text.count("list_rooms()") == 2
