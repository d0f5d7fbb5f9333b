"""Tools as people type them: what is right passes unchanged, what is wrong says where."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamhub.servers.tools import ToolsInvalid, format_tools, parse_tools

GOOD = {
    "type": "function",
    "function": {
        "name": "look_up_lore",
        "description": "Looks something up.",
        "strict": False,
        "parameters": {"type": "object", "properties": {"topic": {"type": "string"}}},
    },
}


def tool(**function):
    return {"type": "function", "function": {"name": "f", **function}}


def test_a_list_of_tools_passes_unchanged_and_shows_as_it_is_read():
    assert parse_tools(json.dumps([GOOD])) == [GOOD]
    assert parse_tools(format_tools([GOOD])) == [GOOD]


@pytest.mark.parametrize("text", ["", "  \n", "[]"])
def test_nothing_is_no_tools(text):
    assert parse_tools(text) == []


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ('[\n{"type": }]', "Line 2, column 10"),
        ("[1, 2", "Line 1, column 6"),
        ("{}", "Write a list, [ ... ], not an object."),
        ("[3]", "Tool 1: write an object"),
        ("[NaN]", "NaN is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('["\\u0000"]', "\\u0000"),
        ('["\\ud800"]', "lone surrogate"),
        (json.dumps([GOOD, {"type": "web"}]), 'Tool 2: "type" must be "function".'),
        (json.dumps([{"name": "f", "parameters": {}}]), 'Tool 1: put name and parameters inside "function"'),
        (json.dumps([{"type": "function"}]), '"function" must be an object, not nothing'),
        (json.dumps([{**GOOD, "extra": 1}]), "Tool 1: 'extra' is not a field"),
        (json.dumps([{"type": "function", "function": {}}]), "Tool 1: function.name is missing"),
        (json.dumps([tool(name="a b")]), 'Tool 1: function.name is "a b"'),
        (json.dumps([tool(name="x" * 65)]), "1 to 64 letters"),
        (json.dumps([tool(description=3)]), "Tool 1 (f): function.description must be a text, not a number."),
        (json.dumps([tool(strict="yes")]), "function.strict must be true or false"),
        (json.dumps([tool(parameters=[])]), "function.parameters must be an object, not a list."),
        (json.dumps([tool(parameters={"type": "array"})]), '"type": "object"'),
        (json.dumps([tool(parameters={"type": "object", "properties": []})]), "properties must be an object"),
        (json.dumps([tool(arguments={})]), "Tool 1 (f): function: 'arguments' is not a field"),
        (json.dumps([GOOD, GOOD]), "2 tools are called look_up_lore"),
        (json.dumps([tool(name=f"f{n}") for n in range(129)]), "129 tools; at most 128"),
        ("[" + " " * 200_000 + "]", "200,002 characters"),
    ],
)
def test_a_message_says_where_and_why(typed, message):
    with pytest.raises(ToolsInvalid) as refusal:
        parse_tools(typed)
    assert message in str(refusal.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["type", "function", "name", "parameters"]), inner)
    ),
)


@given(st.text() | JSON.map(json.dumps))
def test_whatever_is_typed_gives_tools_or_a_message(typed):
    tools = []
    with suppress(ToolsInvalid):
        tools = parse_tools(typed)
    assert parse_tools(format_tools(tools)) == tools
