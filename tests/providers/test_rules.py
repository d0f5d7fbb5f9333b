"""The table of DOMAIN 4.5 in sentences of our own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.policy import GuardPolicy
from providers.rules import (
    ModelRuleValue,
    StopStringValue,
    effective_rules,
    parse_stop_list,
    persona_stop,
)

BEGIN = "<\uff5cbegin\u2581of\u2581sentence\uff5c>"


def stops(*texts, mode="send"):
    return tuple(StopStringValue(text=text, mode=mode) for text in texts)


def test_nothing_set_gives_nothing():
    got = effective_rules("openai_compatible", "gpt-x")
    assert (got.stop_sent, got.stop_local, got.extra, got.drop) == ((), (), {}, frozenset())
    assert got.reasoning_tags == GuardPolicy().reasoning_tags
    assert got.starts_in_reasoning is False


def test_deepseek_models_get_their_token_wherever_they_are_served():
    assert effective_rules("custom", "DeepSeek-V4").stop_sent == (BEGIN,)
    assert effective_rules("openrouter", "deepseek/deepseek-r1").stop_sent == (BEGIN,)


def test_the_shipped_rule_fits_trimmed_and_in_any_case():
    got = effective_rules(
        " NovelAI", "GLM-4-6 ", server_stops=stops("</think>", "END", ""), persona="Mira\n the  Fox"
    )
    assert got.stop_sent == ("<|user|>", "<|observation|>", "<|system|>", "</think>")
    assert got.stop_local == ("END", "\nMira the Fox:")
    assert effective_rules("openrouter", "glm-4-6").stop_sent == ()


def test_the_order_is_request_rules_server_persona_and_doubles_are_dropped():
    rule = ModelRuleValue(stop_strings=stops("R"))
    got = effective_rules(
        "zai", "m", rules=[rule], server_stops=stops("END", "X"), request_stops=["END"], persona=" "
    )
    assert got.stop_sent == ("END", "R", "X")
    assert got.stop_local == ()


def test_what_is_over_the_providers_cap_is_enforced_here():
    got = effective_rules("openai_compatible", "m", server_stops=stops(*"abcdef"))
    assert (got.stop_sent, got.stop_local) == (tuple("abcd"), ("e", "f"))
    assert len(effective_rules("deepseek", "m", server_stops=stops(*"abcdef")).stop_sent) == 6


def test_each_string_says_who_sees_to_it_and_a_later_word_wins():
    rules = [
        ModelRuleValue(priority=2, stop_strings=stops("a", mode="local")),
        ModelRuleValue(priority=1, stop_strings=stops("a", "b")),
    ]
    got = effective_rules("custom", "m", rules=rules)
    assert (got.stop_sent, got.stop_local) == (("b",), ("a",))


def test_a_rule_can_switch_off_a_string_of_the_server():
    rule = ModelRuleValue(model_pattern="r1*", stop_strings=stops("</think>", mode="drop"))
    for model, sent in (("r1-mini", ("END",)), ("other", ("</think>", "END"))):
        got = effective_rules("custom", model, rules=[rule], server_stops=stops("</think>", "END"))
        assert (got.stop_sent, got.stop_local) == (sent, ())


def test_a_model_that_rejects_the_parameter_gets_its_strings_enforced_here():
    rule = ModelRuleValue(model_pattern="o?-*", drop=("stop",))
    got = effective_rules("openai_compatible", "o3-mini", rules=[rule], server_stops=stops("END"))
    assert (got.stop_sent, got.stop_local, got.drop) == ((), ("END",), {"stop"})


def test_later_rules_win_over_earlier_ones():
    rules = [
        ModelRuleValue(
            name="all",
            priority=1,
            reasoning_tags=("a",),
            starts_in_reasoning=True,
            extra={"x": 1, "y": 1},
            drop=("top_k",),
        ),
        ModelRuleValue(
            name="m",
            priority=5,
            model_pattern="m*",
            reasoning_tags=("b",),
            extra={"x": 2, "top_k": 3},
            drop=("y",),
        ),
        ModelRuleValue(name="not", priority=9, model_pattern="z*", starts_in_reasoning=False),
    ]
    got = effective_rules("custom", "m1", rules=reversed(rules))
    assert (got.reasoning_tags, got.starts_in_reasoning) == (("b",), True)
    assert (got.extra, got.drop) == ({"x": 2, "top_k": 3}, {"y"})
    assert got.applied == ("all", "m")


@pytest.mark.parametrize(
    ("pattern", "model", "fits"),
    [
        ("*", "anything", True),
        ("GPT-*", "gpt-5", True),
        ("gpt-?", "gpt-5", True),
        ("gpt-?", "gpt-55", False),
        ("gpt", "gpt-5", False),
        ("a[bc]", "a[bc]", True),
        ("a[bc]", "ab", False),
        ("*a*a*a*a*a*a*a*a*a*a*b", "a" * 300, False),
    ],
)
def test_patterns_know_star_and_question_mark_only(pattern, model, fits):
    assert ModelRuleValue(model_pattern=pattern).fits("custom", model) is fits


@pytest.mark.parametrize(
    ("typed", "strings"),
    [
        ("", ()),
        (" , ,\n", ()),
        ("END, </s>", ("END", "</s>")),
        ("END\n</s>\r\nEND", ("END", "</s>")),
        (r"\nMika:, \t|, \r", ("\nMika:", "\t|", "\r")),
        (r"\n", ("\n",)),
        (r"a\,b, c\\n", ("a,b", r"c\n")),
        (r"\x, C:\dir, tail" + "\\", (r"\x", r"C:\dir", "tail\\")),
    ],
)
def test_a_typed_list_is_read(typed, strings):
    assert parse_stop_list(typed) == strings


def test_a_list_that_is_too_long_is_refused_in_plain_words():
    with pytest.raises(ValueError, match=r"There are 41 stop strings; the limit is 40\."):
        parse_stop_list(",".join(map(str, range(41))))
    with pytest.raises(ValueError, match=r"Stop string 2 is 201 characters long; the limit is 200\."):
        parse_stop_list("a," + "x" * 201)


@given(
    st.lists(
        st.text(min_size=1, max_size=20).filter(
            lambda text: text == text.strip() or set(text) <= set("\n\r\t")
        ),
        max_size=20,
        unique=True,
    )
)
def test_every_list_can_be_written_with_escapes(strings):
    spelled = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t", ",": "\\,", "\\": "\\\\"})
    assert parse_stop_list(", ".join(string.translate(spelled) for string in strings)) == tuple(strings)


def test_a_persona_without_a_name_has_no_label():
    assert persona_stop("  ") == ""
