"""The table of DOMAIN 4.1 in sentences of our own, and what its weak spots should do instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.guards.think_tags import ThinkTagGuard
from providers.policy import GuardPolicy
from tests.providers.streams import thoughts, through, visible

TAGS = GuardPolicy().reasoning_tags


def split(deltas: list[str], *, starts: bool = False, persona: str = "", tags: tuple[str, ...] = TAGS):
    pieces = through(ThinkTagGuard(tags, starts_in_reasoning=starts, persona=persona), deltas)
    return visible(pieces), thoughts(pieces)


@pytest.mark.parametrize(
    ("deltas", "text", "thought"),
    [
        (["<think>private</thi", "nk>Public"], "Public", "private"),
        (["n this case.</mm:think>Done, sir!"], "Done, sir!", "n this case."),
        (["<mm:think>draft</mm:think>Hello!"], "Hello!", "draft"),
        (["<mm:think>dark</mm:thi", "nk>Light"], "Light", "dark"),
        (["draw <svg:path> please"], "draw <svg:path> please", ""),
        (["<THINK>x</Think>y"], "y", "x"),
        (["<think>x<think>y</think>z</think>w"], "w", "x<think>yz"),
        (["good ", "<thi", "nk>a</think>b"], "good b", "a"),
        (list("<think>q</think>r"), "r", "q"),
        (["older thought ", "end</think>reply"], "older thought reply", "end"),
        (["<think>a", "</think></think>b"], "b", "a"),
        (["if a < b then"], "if a < b then", ""),
        (["score <3 you"], "score <3 you", ""),
        (["<think>never shut"], "", "never shut"),
        (["<think>a</mm:think>b"], "b", "a"),
        (["<thinking>a</thinking>b"], "b", "a"),
        (['<think depth="2">a</think>b'], "b", "a"),
        (["<think >a</think >b"], "b", "a"),
        (["<think>a</think>One. ", "<think>b</think>Two."], "One. Two.", "ab"),
        (["<" + "a" * 70], "<" + "a" * 70, ""),
    ],
)
def test_blocks_become_thoughts_and_the_rest_stays_visible(deltas, text, thought):
    assert split(deltas) == (text, thought)


@pytest.mark.parametrize(
    "deltas",
    [
        ["read List<", "int> now"],
        ["strong</b", ">er"],
        ["a Map<String"],
        ["the end <"],
        ["cut </thi"],
        ["x <think"],
    ],
)
def test_a_partial_tag_that_never_becomes_one_was_text(deltas):
    assert split(deltas) == ("".join(deltas), "")


def test_text_that_may_close_a_block_nobody_opened_waits_for_the_next_delta():
    guard = ThinkTagGuard(TAGS)
    assert guard.feed("as planned.</thi") == []
    assert thoughts(guard.feed("nk>Hello")) == "as planned."


def test_a_possible_opening_tag_holds_only_itself():
    assert visible(ThinkTagGuard(TAGS).feed("shown at once <thi")) == "shown at once "


@pytest.mark.parametrize(
    "text",
    [
        "Write `<think>` and `</think>` around it.",
        "```\n<think>\nhm\n</think>\n```\nThat was an example.",
        "~~~xml\n<think>hm</think>\n~~~\n",
        "Use ``a ` <think>`` here.",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_tags_that_are_shown_as_code_are_left_alone(text, size):
    assert split([text[at : at + size] for at in range(0, len(text), size)]) == (text, "")


def test_a_stray_backtick_protects_its_own_line_only():
    assert split(["it`s late\n<think>hm</think>ok"]) == ("it`s late\nok", "hm")


def test_a_closing_tag_quoted_inside_the_reasoning_does_not_end_it():
    text = "<think>I must not write `</think>` here</think>ok"
    for deltas in ([text], list(text)):
        assert split(deltas) == ("ok", "I must not write `</think>` here")


@pytest.mark.parametrize(
    ("deltas", "text", "thought"),
    [
        (["as agreed.</thi", "nk>Mira: Oh!"], "Mira: Oh!", "as agreed."),
        (["<think>pondering", "\nMira: Oh!"], "\nMira: Oh!", "pondering"),
        (["<think>", "Mira: hi"], "", "Mira: hi"),
        (["<think>so\nMi", "ra", "\uff1a yes"], "\nMira\uff1a yes", "so"),
        (["<think>so\nmira: a</think>b"], "b", "so\nmira: a"),
        (["<think>so</think>\nMira: b"], "\nMira: b", "so"),
        (["<think>so\nMirabel: no</think>b"], "b", "so\nMirabel: no"),
    ],
)
def test_a_persona_that_begins_to_speak_ends_the_reasoning(deltas, text, thought):
    assert split(deltas, persona="Mira") == (text, thought)


@pytest.mark.parametrize(
    ("deltas", "text", "thought"),
    [
        (["They greet me.", "</", "think", ">", "Hello!"], "Hello!", "They greet me."),
        (["<think>", "They greet me.", "</think>Hello!"], "Hello!", "They greet me."),
        (["\n<thi", "nk>so</think>Hello!"], "Hello!", "\nso"),
        (["all of it"], "", "all of it"),
    ],
)
def test_a_model_may_start_inside_its_reasoning(deltas, text, thought):
    assert split(deltas, starts=True) == (text, thought)


def test_reasoning_in_a_field_of_its_own_means_the_content_is_the_answer():
    guard = ThinkTagGuard(TAGS, starts_in_reasoning=True)
    guard.saw_reasoning()
    assert visible(through(guard, ["the answer"])) == "the answer"


@pytest.mark.parametrize("written", ["ponder", "<ponder>", "xy:ponder", " Ponder "])
def test_names_of_tags_are_configured(written):
    assert split(["<ponder>a</z:ponder>b<think>c"], tags=(written,)) == ("b<think>c", "a")


def test_every_removed_tag_is_recorded():
    pieces = through(ThinkTagGuard(TAGS), ["<think>a</think>b", "c</think>d"])
    assert [piece.firing.text for piece in pieces if piece.firing] == ["<think>", "</think>"]


_PARTS = st.sampled_from(
    ["<think>", "</think>", "<mm:think>", "`", "```", "\n", "<", "</", "th", "Mira:", "word ", "é"]
)


@given(st.lists(_PARTS, max_size=30), st.booleans())
def test_nothing_is_lost_but_tags(parts, starts):
    text = "".join(parts)
    guard = ThinkTagGuard(TAGS, starts_in_reasoning=starts, persona="Mira")
    pieces = through(guard, parts)
    kept = "".join(piece.text for piece in pieces)
    for tag in ("<think>", "</think>", "<mm:think>"):
        text, kept = text.replace(tag, ""), kept.replace(tag, "")
    assert sorted(kept) == sorted(text)


@given(st.text(alphabet="<>/think:` \n", max_size=200))
def test_one_delta_or_many_hold_little(text):
    guard = ThinkTagGuard(TAGS)
    given_out = 0
    for number, char in enumerate(text, start=1):
        given_out += sum(
            len(piece.text) + len(piece.firing.text if piece.firing else "") for piece in guard.feed(char)
        )
        assert number - given_out <= 64 + len("</thinking>") * (text.count(">") + 1)
