"""What the scripts say and how it becomes bytes; nothing here opens a socket."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.simulator.arguments import plausible_arguments
from providers.simulator.control import manual
from providers.simulator.dialect import BadRequest, ChatRequest, ToolOffer
from providers.simulator.dialect_openai import OpenAIDialect
from providers.simulator.options import BadScript, UnknownScript, split_selector
from providers.simulator.prose import HOSTILE, counted, fitted, slices, tokens
from providers.simulator.replay import Recordings
from providers.simulator.scripts import SCRIPTS, find_script
from providers.simulator.steps import (
    CallArguments,
    CallStart,
    Cut,
    EndMarker,
    Finish,
    Open,
    Reasoning,
    Refuse,
    Split,
    Step,
    Text,
    Wait,
)

NO_RECORDINGS = Recordings(None)
PLENTY = 20_000


def played(selector: str, request: ChatRequest | None = None) -> list[Step]:
    request = request or ChatRequest(model=selector)
    return list(islice(find_script(selector, request, NO_RECORDINGS).steps, PLENTY))


def text_of(steps: list[Step]) -> str:
    inner = (step.step if isinstance(step, Split) else step for step in steps)
    return "".join(step.text for step in inner if isinstance(step, Text))


def events_of(steps: list[Step], request: ChatRequest) -> Iterator[dict[str, Any]]:
    reply = OpenAIDialect().reply(request, number=1, created=1)
    body = b"".join(reply.encode(step) for step in steps)
    for line in body.split(b"\n\n"):
        if line.startswith(b"data: {"):
            yield msgspec.json.decode(line[6:])


# The model id


def test_a_selector_without_options_is_a_name() -> None:
    assert split_selector("talk") == ("talk", {})


def test_option_values_are_percent_decoded() -> None:
    assert split_selector("talk:text=a%2Cb%3Dc%20d,pace=5") == ("talk", {"text": "a,b=c d", "pace": "5"})


@pytest.mark.parametrize(
    ("selector", "says"),
    [
        ("talk:pace=fast", "is not a number"),
        ("talk:pace=-1", "is not between"),
        ("talk:pace=nan", "is not between"),
        ("talk:chars=1.5", "is not a whole number"),
        ("talk:pace", "needs a value"),
        ("talk:pase=3", "no option pase"),
        ("talk:finish=bored", "is not one of"),
        ("tool:mix=maybe", "is not 1 or 0"),
        ("http_error:status=200", "is not between"),
        ("http_error:retry_after=1%0d%0aX: y", "cannot stand in a header"),
        ("talk:text=" + "x" * 70_000, "at most"),
    ],
)
def test_an_option_that_makes_no_sense_is_explained_before_the_first_step(selector: str, says: str) -> None:
    with pytest.raises(BadScript, match=says):
        find_script(selector, ChatRequest(model=selector), NO_RECORDINGS)


@pytest.mark.parametrize("selector", ["", "gpt-5", "Talk", ":", "replay/", "replay/a.sse"])
def test_an_unknown_name_is_told_apart_from_a_bad_option(selector: str) -> None:
    with pytest.raises(UnknownScript):
        find_script(selector, ChatRequest(model=selector), NO_RECORDINGS)


@given(st.text(max_size=200), st.sampled_from([*SCRIPTS, "replay/x"]))
def test_any_model_id_gives_a_script_or_one_of_the_two_refusals(tail: str, name: str) -> None:
    for selector in (tail, f"{name}:{tail}", f"{name}:text={tail},after={tail}"):
        try:
            script = find_script(selector, ChatRequest(model=selector), NO_RECORDINGS)
        except (BadScript, UnknownScript):
            continue
        assert list(islice(script.steps, 50))


def test_the_manual_names_every_script() -> None:
    assert all(name in manual() for name in SCRIPTS)


# What is said


@given(st.text(max_size=300), st.integers(0, 9))
def test_slices_lose_nothing(text: str, size: int) -> None:
    assert "".join(slices(text, size)) == text


@given(st.text(min_size=1, max_size=40), st.integers(0, 200))
def test_fitted_text_has_exactly_the_length_asked_for(text: str, length: int) -> None:
    assert len(fitted(text, length)) == length


def test_counted_text_has_exactly_the_words_asked_for() -> None:
    assert counted("one two\n\nthree", 7).split() == ["one", "two", "three", "one", "two", "three", "one"]


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name not in ("hold", "reset", "http_error")])
def test_every_script_but_the_silent_ones_opens_first(name: str) -> None:
    assert played(name)[0] == Open()


@pytest.mark.parametrize("selector", [*SCRIPTS, "silent:seconds=1", "hold:seconds=1", "keepalive:seconds=2"])
def test_no_script_opens_twice(selector: str) -> None:
    assert played(selector).count(Open()) <= 1


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != "burst"])
def test_scripts_say_the_same_every_time(name: str) -> None:
    assert played(name) == played(name)


def test_talk_at_pace_20_lasts_longer_than_a_minute() -> None:
    seconds = sum(step.seconds or 0 for step in played("talk:pace=20") if isinstance(step, Wait))
    assert 60 < seconds < 90


def test_another_seed_tells_the_same_story_in_another_order() -> None:
    plain, shuffled = text_of(played("talk")), text_of(played("talk:seed=7"))
    assert plain != shuffled
    assert sorted(plain.split("\n\n")) == sorted(shuffled.split("\n\n"))


def test_length_and_words_and_text_and_repeat_choose_what_is_said() -> None:
    assert len(text_of(played("talk:length=5000"))) == 5000
    assert len(text_of(played("talk:words=30")).split()) == 30
    assert text_of(played("talk:text=hello%20there,repeat=2")) == "hello there\n\nhello there"
    assert len(text_of(played("talk:topic=support"))) > 1000


def test_pace_zero_never_waits() -> None:
    assert not any(isinstance(step, Wait) for step in played("talk:pace=0"))


def test_chars_sets_the_size_of_a_chunk() -> None:
    pieces = [step.text for step in played("talk:chars=10,length=35") if isinstance(step, Text)]
    assert [len(piece) for piece in pieces] == [10, 10, 10, 5]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_details", "openrouter"])
def test_think_reasons_in_the_field_asked_for_and_then_answers(field: str) -> None:
    steps = played(f"think:field={field},think_length=50,text=Yes.")
    reasoning = [step for step in steps if isinstance(step, Reasoning)]
    assert len("".join(step.text for step in reasoning)) == 50
    assert {step.field for step in reasoning} == {field}
    assert steps.index(reasoning[-1]) < steps.index(Text("Yes."))


def test_leaked_tags_are_never_whole_in_a_chunk() -> None:
    steps = played("leaked:tag=mm:think,thoughts=hm,text=Yes.")
    assert text_of(steps) == "<mm:think>hm</mm:think>\n\nYes."
    assert not any(isinstance(step, Text) and "think>" in step.text for step in steps)


def test_leaked_may_start_inside_the_reasoning() -> None:
    assert text_of(played("leaked:open=0,thoughts=hm,text=Yes.")) == "hm</think>\n\nYes."


def test_echo_says_the_last_user_message() -> None:
    assert text_of(played("echo", ChatRequest(model="echo", last_user_text="Hello you"))) == "Hello you"


def test_hostile_text_is_split_inside_characters_and_grows_on_request() -> None:
    steps = played("hostile:size=1000000")
    assert text_of(steps) == HOSTILE + "W" * 1_000_000
    assert any(isinstance(step, Split) for step in steps)


@pytest.mark.parametrize(
    ("name", "reason"), [("talk", "stop"), ("length", "length"), ("filtered", "content_filter")]
)
def test_an_answer_ends_with_its_reason_and_the_end_marker(name: str, reason: str) -> None:
    finish, marker = played(name)[-2:]
    assert isinstance(finish, Finish)
    assert finish.reason == reason
    assert marker == EndMarker()


# Calls


OFFERS = (
    ToolOffer(
        name="roll_dice",
        parameters={
            "type": "object",
            "properties": {"sides": {"type": "integer", "minimum": 2}, "note": {"type": "string"}},
            "required": ["sides"],
        },
    ),
    ToolOffer(
        name="pin_notice", parameters={"type": "object", "properties": {"where": {"enum": ["door", "wall"]}}}
    ),
)


def test_tool_calls_the_tools_of_the_request_in_turn() -> None:
    steps = played("tool:calls=2", ChatRequest(model="tool", tools=OFFERS))
    starts = [step for step in steps if isinstance(step, CallStart)]
    assert [(step.index, step.name) for step in starts] == [(0, "roll_dice"), (1, "pin_notice")]
    arguments = ["", ""]
    for step in steps:
        if isinstance(step, CallArguments):
            arguments[step.index] += step.fragment
    assert [msgspec.json.decode(one) for one in arguments] == [{"sides": 2}, {"where": "door"}]
    assert steps[-2] == Finish("tool_calls")


def test_mixed_calls_take_turns() -> None:
    steps = played("tool:calls=2,mix=1,size=4")
    indexes = [step.index for step in steps if isinstance(step, CallArguments)]
    assert indexes[:4] == [0, 1, 0, 1]


def test_name_and_args_say_what_to_call() -> None:
    steps = played("tool:name=brew,args=%7B%22cups%22%3A2%7D,size=100")
    assert CallStart(0, "call_sim_0", "brew") in steps
    assert CallArguments(0, '{"cups":2}') in steps


@pytest.mark.parametrize("script", ["tool", "verbatim"])
def test_a_tool_result_is_talked_about_and_not_asked_for_again(script: str) -> None:
    request = ChatRequest(model=script, tool_result="the drake is called Pim")
    assert "the drake is called Pim" in text_of(played(script, request))
    looped = played(f"{script}:loop=1", request)
    assert "Pim" not in text_of(looped)


def test_verbatim_writes_the_call_after_narration_in_awkward_pieces() -> None:
    steps = played("verbatim")
    call = 'look_up_lore({"topic": "north bridge"})'
    assert text_of(steps).endswith(" " + call)
    assert not any(isinstance(step, Text) and "look_up_lore" in step.text for step in steps)
    assert steps[-2] == Finish("stop")


@pytest.mark.parametrize(
    ("wrap", "written"), [("code", '`brew({"cups": 2})`'), ("fence", '```\nbrew({"cups": 2})\n```')]
)
def test_verbatim_can_wrap_the_call(wrap: str, written: str) -> None:
    steps = played(f"verbatim:wrap={wrap},name=brew,args=%7B%22cups%22: 2%7D,say=,after=.")
    assert text_of(steps) == written + "."


def test_a_cut_call_ends_inside_its_json_for_length() -> None:
    steps = played("cut_call")
    arguments = "".join(step.fragment for step in steps if isinstance(step, CallArguments))
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(arguments)
    assert steps[-2] == Finish("length")


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["type", "properties", "items", "required", "enum", "a", "default"]), inner
            )
        ),
    )
)
def test_any_schema_gives_arguments(schema: object) -> None:
    if isinstance(schema, dict):
        assert isinstance(plausible_arguments(schema), dict)


def test_arguments_fit_the_types_of_the_schema() -> None:
    properties = {
        "count": {"type": "integer"},
        "loud": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "where": {"type": "object", "properties": {"topic": {"type": "string"}}},
        "nothing": {"type": "null"},
        "maybe": {"type": ["number", "null"], "minimum": 1.5},
        "fixed": {"const": "yes"},
        "usual": {"type": "string", "default": "door"},
    }
    assert plausible_arguments({"properties": properties, "required": list(properties)}) == {
        "count": 3,
        "loud": True,
        "names": ["north bridge"],
        "where": {"topic": "north bridge"},
        "nothing": None,
        "maybe": 1.5,
        "fixed": "yes",
        "usual": "door",
    }


# Faults


def test_a_stall_waits_for_ever_after_its_text() -> None:
    steps = played("stall:after=30")
    assert len(text_of(steps)) == 30
    assert steps[-1] == Wait(None)


def test_an_http_error_never_opens_a_stream() -> None:
    (refuse,) = played("http_error:status=429,retry_after=7")
    assert isinstance(refuse, Refuse)
    assert (refuse.status, refuse.retry_after, refuse.code) == (429, "7", "rate_limit_exceeded")


def test_reset_and_cut_end_in_the_middle() -> None:
    assert played("reset")[-1] == Cut("reset")
    assert played("reset:headers=0") == [Cut("reset")]
    assert played("eof:cut=1")[-1] == Cut("close")
    assert not any(isinstance(step, Finish) for step in played("eof"))


def test_silence_can_end_in_talk() -> None:
    assert played("silent")[1] == Wait(None)
    assert played("silent:seconds=2,words=1")[1:3] == [Wait(2.0), Text("The")]
    assert played("hold:seconds=2,words=1")[:2] == [Wait(2.0), Open()]


@pytest.mark.parametrize("name", ["trickle", "keepalive"])
def test_endless_scripts_do_not_end(name: str) -> None:
    assert len(played(name)) == PLENTY


def test_linger_keeps_the_body_open_after_the_finish() -> None:
    assert played("linger")[-3:] == [Finish(), Wait(None), EndMarker()]
    assert played("linger:done=1")[-3:] == [Finish(), EndMarker(), Wait(None)]


# The dialect


def test_every_event_of_a_stream_is_json_of_one_answer() -> None:
    request = ChatRequest(model="think", include_usage=True)
    events = list(events_of(played("think:words=9"), request))
    assert {event["id"] for event in events} == {"chatcmpl-sim-1"}
    assert events[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert events[-1]["choices"] == []
    assert events[-1]["usage"]["completion_tokens_details"]["reasoning_tokens"] > 0


def test_usage_comes_only_when_asked_for() -> None:
    events = list(events_of(played("talk:words=9"), ChatRequest(model="talk")))
    assert not any("usage" in event for event in events)


def test_openrouter_reasoning_is_in_two_fields_at_once() -> None:
    events = list(events_of([Reasoning("hm", "openrouter")], ChatRequest(model="think")))
    delta = events[-1]["choices"][0]["delta"]
    assert delta["reasoning"] == "hm"
    assert delta["reasoning_details"][0]["text"] == "hm"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"model": 3}',
        b'{"model": "talk"}',
        b'{"model": "talk", "messages": [1]}',
        b"\xff",
        b"[" * 99_999,
    ],
)
def test_a_body_that_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        OpenAIDialect().parse(body)


@given(st.binary(max_size=300))
def test_any_body_is_a_request_or_refused(body: bytes) -> None:
    try:
        OpenAIDialect().parse(body)
    except BadRequest:
        pass


def test_a_request_is_understood_in_all_its_parts() -> None:
    body = {
        "model": "talk",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]},
            {"role": "tool", "tool_call_id": "x", "content": "found"},
        ],
        "tools": [{"type": "function", "function": {"name": "brew", "parameters": {"type": "object"}}}, 7],
    }
    assert OpenAIDialect().parse(msgspec.json.encode(body)) == ChatRequest(
        model="talk",
        stream=True,
        include_usage=True,
        tools=(ToolOffer(name="brew", parameters={"type": "object"}),),
        last_user_text="Hello",
        tool_result="found",
    )


def test_tokens_are_small_like_a_models() -> None:
    assert max(map(len, tokens("An unconscionably long word"))) <= 5


# Recordings


@pytest.mark.parametrize(
    "name", ["../secret", "sub/../../secret", "/etc/passwd", "link", "a%00b", "x" * 5000, "", "sub"]
)
def test_nothing_outside_the_replay_directory_is_found(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (inside / "link").symlink_to(tmp_path / "secret")
    recordings = Recordings(inside)
    with pytest.raises(UnknownScript):
        find_script(f"replay/{name}", ChatRequest(model="replay"), recordings)


def test_a_replay_directory_has_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError):
        Recordings(tmp_path / "absent")


def test_listed_recordings_can_be_asked_for_as_they_are_listed(tmp_path: Path) -> None:
    (tmp_path / "odd: name,1%.sse").write_bytes(b"data: [DONE]\n\n")
    recordings = Recordings(tmp_path)
    (name,) = recordings.names()
    assert find_script(name, ChatRequest(model=name), recordings).name == "replay/odd: name,1%.sse"
