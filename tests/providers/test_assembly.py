"""Fragments of tool calls, in every way servers were seen to split them (DIALECTS 5.4)."""

import pytest

from providers import assembly
from providers.assembly import ToolCallAssembler
from tests.providers.streams import fragment


def assemble(*fragments):
    assembler = ToolCallAssembler()
    for entry in fragments:
        assembler.add(entry)
    return [
        (call.id, call.name, call.arguments if call.arguments is not None else call.raw)
        for call in assembler.calls
    ]


CASES = {
    "name first, then arguments by index": (
        [
            fragment(0, id="a", name="f", arguments=""),
            fragment(0, arguments='{"x"'),
            fragment(0, arguments=":1}"),
        ],
        [("a", "f", '{"x":1}')],
    ),
    "two calls whose fragments mix": (
        [
            fragment(0, id="a", name="f", arguments="{"),
            fragment(1, id="b", name="g", arguments="{"),
            fragment(0, arguments="}"),
            fragment(1, arguments="} "),
        ],
        [("a", "f", "{}"), ("b", "g", "{} ")],
    ),
    "a new id under the same index": (
        [fragment(0, id="a", name="f", arguments="{}"), fragment(0, id="b", name="g", arguments="{}")],
        [("a", "f", "{}"), ("b", "g", "{}")],
    ),
    "an id that is repeated in every fragment": (
        [fragment(0, id="a", name="f", arguments="{"), fragment(0, id="a", name="f", arguments="}")],
        [("a", "f", "{}")],
    ),
    "no ids, one index, whole calls": (
        [fragment(0, name="f", arguments='{"u":1}'), fragment(0, name="f", arguments='{"u":2}')],
        [("", "f", '{"u":1}'), ("", "f", '{"u":2}')],
    ),
    "a name that is repeated in every fragment": (
        [
            fragment(0, name="f", arguments='{"u"'),
            fragment(0, name="f", arguments=":{"),
            fragment(0, name="f", arguments="}}"),
        ],
        [("", "f", '{"u":{}}')],
    ),
    "a repeated name after the end": (
        [fragment(0, id="a", name="f", arguments="{}"), fragment(0, name="f", arguments="")],
        [("a", "f", "{}")],
    ),
    "another name after whole arguments": (
        [
            fragment(0, name="f", arguments="{}"),
            fragment(0, name="g", arguments=""),
            fragment(0, arguments="{}"),
        ],
        [("", "f", "{}"), ("", "g", "{}")],
    ),
    "a name in pieces": ([fragment(0, name="get_"), fragment(0, name="page")], [("", "get_page", "")]),
    "a name that grows": ([fragment(0, name="get_"), fragment(0, name="get_page")], [("", "get_page", "")]),
    "no index, told apart by id": (
        [
            fragment(None, id="a", name="f", arguments="{"),
            fragment(None, id="b", name="g", arguments="{}"),
            fragment(None, id="a", arguments="}"),
        ],
        [("a", "f", "{}"), ("b", "g", "{}")],
    ),
    "no index and no id": (
        [
            fragment(None, name="f", arguments="{"),
            fragment(None, arguments="}"),
            fragment(None, name="g", arguments="{}"),
        ],
        [("", "f", "{}"), ("", "g", "{}")],
    ),
    "arguments as an object that grows": (
        [fragment(0, id="a", name="f", arguments={"x": 1}), fragment(0, arguments={"y": 2})],
        [("a", "f", {"x": 1, "y": 2})],
    ),
    "arguments null": ([fragment(0, id="a", name="f", arguments=None)], [("a", "f", "")]),
    "an id that comes late": (
        [fragment(0, name="f"), fragment(0, id="a", arguments="{}")],
        [("a", "f", "{}")],
    ),
    "no function around it": ([{"index": 0, "id": "a", "name": "f", "arguments": "{}"}], [("a", "f", "{}")]),
    "an empty entry is no call": (
        [{"index": 0, "id": "", "type": "function"}, fragment(0, name="", arguments="")],
        [],
    ),
    "nonsense is no call": ([None, 7, [], {"index": "x"}, {"function": 3}], []),
    "nonsense in the fields": ([fragment(0, id=7, name=["f"], arguments=3.5)], [("", "", "")]),
}


@pytest.mark.parametrize(("fragments", "calls"), CASES.values(), ids=CASES)
def test_calls_are_put_together(fragments, calls):
    assert assemble(*fragments) == calls


def test_fields_that_must_go_back_are_kept():
    assembler = ToolCallAssembler()
    signature = {"google": {"thought_signature": "AAA"}}
    assembler.add(fragment(0, id="a", name="f", arguments="{}", extra_content=signature))
    assert assembler.calls[0].opaque == {"extra_content": signature}


def test_calls_are_bounded(monkeypatch):
    monkeypatch.setattr(assembly, "MAX_ARGUMENT_CHARS", 100)
    assembler = ToolCallAssembler()
    for _ in range(200):
        assembler.add(fragment(0, arguments="x"))
    assert assembler.overflowed
    assert len(assembler.calls[0].raw) <= 101
    many = ToolCallAssembler()
    for number in range(1000):
        many.add(fragment(number, name="f"))
    assert many.overflowed
    assert len(many.calls) <= assembly.MAX_CALLS + 1
