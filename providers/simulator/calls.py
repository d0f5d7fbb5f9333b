"""Scripts that call tools: structured, written as text, and cut off in the middle of the arguments."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

import msgspec

from providers.simulator.arguments import DEFAULT_SCHEMA, plausible_arguments
from providers.simulator.dialect import ChatRequest, ToolOffer
from providers.simulator.options import Options
from providers.simulator.prose import NARRATION, slices
from providers.simulator.speech import Delivery, answered, delivery, ending, spoken
from providers.simulator.steps import CallArguments, CallStart, Open, Step, Text

MAX_CALLS = 64
DEFAULT_TOOL = ToolOffer(name="look_up_lore", parameters=DEFAULT_SCHEMA)
WRAPS = {"none": ("", ""), "code": ("`", "`"), "fence": ("```\n", "\n```")}


@dataclass(frozen=True, slots=True)
class Call:
    """One call to make: a name and its arguments as JSON text."""

    name: str
    arguments: str


def tool(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Structured calls: calls, name, args, size (characters a fragment), mix (in turn), say, loop."""
    calls = _wanted_calls(request, options, options.count("calls", 1, low=1, high=MAX_CALLS))
    how = delivery(options)
    size = options.count("size", 6, low=1, high=1_000_000)
    mixed = options.switch("mix", default=False)
    preface = options.text("say", "")
    if (answer := _answer_to_result(request, options, how)) is not None:
        return answer
    return _structured(preface, how, _call_steps(calls, size, mixed=mixed))


def verbatim(request: ChatRequest, options: Options) -> Iterator[Step]:
    """A call written as text after some narration: name, args, say, after, wrap (none, code, fence), loop."""
    call = _wanted_calls(request, options, 1)[0]
    before, behind = WRAPS[options.choice("wrap", "none", {name: name for name in WRAPS})]
    preface, afterword = options.text("say", NARRATION), options.text("after", "")
    how = delivery(options)
    if (answer := _answer_to_result(request, options, how)) is not None:
        return answer
    return answered(
        how.say(preface + before), how.paced(map(Text, _torn_call(call))), how.say(behind + afterword)
    )


def cut_call(request: ChatRequest, options: Options) -> Iterator[Step]:
    """A structured call whose arguments the token limit cuts: name, args, at (characters kept), size."""
    call = _wanted_calls(request, options, 1)[0]
    kept = options.count("at", max(1, len(call.arguments) * 2 // 3))
    size = options.count("size", 6, low=1, high=1_000_000)
    how = delivery(options)
    return _cut(Call(call.name, call.arguments[:kept]), size, how)


def _wanted_calls(request: ChatRequest, options: Options, count: int) -> list[Call]:
    """Return `count` calls of the request's tools in turn, unless `name` and `args` say what to call."""
    offers = request.tools or (DEFAULT_TOOL,)
    name, arguments = options.text("name", ""), options.text("args", "")
    calls = []
    for number in range(count):
        offer = offers[number % len(offers)]
        if name:
            offer = next(
                (one for one in offers if one.name == name), ToolOffer(name=name, parameters=DEFAULT_SCHEMA)
            )
        json = msgspec.json.format(msgspec.json.encode(plausible_arguments(offer.parameters)), indent=0)
        calls.append(Call(offer.name, arguments or json.decode()))
    return calls


def _answer_to_result(request: ChatRequest, options: Options, how: Delivery) -> Iterator[Step] | None:
    """Return a spoken answer when the request brings a tool's result, so that a tool loop comes to an end."""
    loop = options.switch("loop", default=False)
    if loop or request.tool_result is None:
        return None
    return spoken(f"Here is what the records say: {request.tool_result}", how)


def _call_steps(calls: list[Call], size: int, *, mixed: bool) -> Iterator[Step]:
    """Yield the fragments of all calls, one call after the other or one fragment of each in turn."""
    rows = [list(_fragments(index, call, size)) for index, call in enumerate(calls)]
    if mixed:
        return (step for row in zip_longest(*rows) for step in row if step is not None)
    return (step for row in rows for step in row)


def _fragments(index: int, call: Call, size: int) -> Iterator[Step]:
    yield CallStart(index, f"call_sim_{index}", call.name)
    for fragment in slices(call.arguments, size):
        yield CallArguments(index, fragment)


def _structured(preface: str, how: Delivery, calls: Iterator[Step]) -> Iterator[Step]:
    yield Open()
    yield from how.say(preface)
    yield from how.paced(calls)
    yield from ending("tool_calls")


def _cut(call: Call, size: int, how: Delivery) -> Iterator[Step]:
    yield Open()
    yield from how.paced(_fragments(0, call, size))
    yield from ending("length")


def _torn_call(call: Call) -> list[str]:
    """Cut a written call where a parser has to wait: in the name, at the brackets, in the JSON."""
    half, middle = len(call.name) // 2, len(call.arguments) // 2
    pieces = (
        call.name[:half],
        call.name[half:],
        "(" + call.arguments[:1],
        call.arguments[1:middle],
        call.arguments[middle:],
        ")",
    )
    return [piece for piece in pieces if piece]
