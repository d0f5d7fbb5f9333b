"""What may be typed about keys, models and rules, and what is said about the rest."""

import json

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from streamhub.catalog import validators


def refusal(check, text: str) -> str:
    with pytest.raises(ValidationError) as caught:
        check(text)
    return caught.value.messages[0]


def test_blanks_around_a_key_are_cut_off():
    assert validators.clean_secret("  sk-abc123\n").reveal() == "sk-abc123"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Enter the key"),
        (" \n", "Enter the key"),
        ("sk-abc 123", "a space in this key, at position 7"),
        ("sk-abc\n123", "a line break in this key"),
        ("sk-abc\t123", "a tab in this key"),
        ("sk-abc\u200b123", "the invisible character U+200B"),
        ("sk-abc\x07123", "the invisible character U+0007"),
        ("sk–abc123", "a character that keys do not have"),
        ('"sk-abc123"', "quotation mark"),
        ("Bearer sk-abc123", "the word Bearer"),
        ("k" * 4001, "at most 4000"),
    ],
)
def test_a_bad_key_gets_a_reason_that_does_not_repeat_it(typed, said):
    message = refusal(validators.clean_secret, typed)
    assert said in message
    assert "abc" not in message


@pytest.mark.parametrize("typed", ["gpt-5-mini", " deepseek/deepseek-v3.2 ", "llama3:70b@q4", "модель 7"])
def test_a_model_id_is_kept_as_the_provider_writes_it(typed):
    assert validators.clean_model_id(typed) == typed.strip()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("  ", "Enter the model's id"),
        ("a\nb", "a line break"),
        ("a\u202eb", "U+202E"),
        ("m" * 301, "at most 300"),
    ],
)
def test_a_bad_model_id_gets_a_reason(typed, said):
    assert said in refusal(validators.clean_model_id, typed)


def test_tag_names_are_split_and_taken_once():
    assert validators.parse_reasoning_tags(" think, seed:think\nthink ") == ["think", "seed:think"]
    assert validators.parse_reasoning_tags("") == []


@pytest.mark.parametrize("typed", ["<think>", "</think>", "9lives", "a$b", "a" * 41])
def test_a_bad_tag_name_gets_a_reason(typed):
    assert "is not a tag name" in refusal(validators.parse_reasoning_tags, typed)


def test_names_of_parameters_are_split_and_taken_once():
    assert validators.parse_parameter_names("temperature top_p,temperature") == ["temperature", "top_p"]


@pytest.mark.parametrize("name", ["messages", "model", "stream"])
def test_what_a_call_needs_cannot_be_left_out(name):
    assert "cannot be left out" in refusal(validators.parse_parameter_names, name)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ('{"a": 1\n "b": 2}', "Line 2, column 2: a comma or a closing bracket is missing here."),
        ("{'a': 1}", 'Line 1, column 2: a name in "double quotes" is missing here.'),
        ('{"a": }', "Line 1, column 7: a value is missing here."),
        ('{"a" 1}', "Line 1, column 6: a colon is missing here."),
        ('{"a": "b', "Line 1, column 7: this text has no closing quote."),
        ('{"a": 1} x', "there is something after the end of the object"),
        ('{"a": 1,}', "Line 1, column 8: a comma stands before the closing bracket."),
        ("[1]", "this is a list"),
        ("7", "this is a number"),
        ("null", "this is null"),
        ('{"a": 1, "a": 2}', '"a" is set twice'),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": 1e999}', "too large a number"),
        ('{"a": ' + "9" * 5000 + "}", "too many digits"),
        ('{"a": "\\u0000"}', "cannot be stored"),
        ('{"a": "\\ud800"}', "cannot be stored"),
        ('{"a": ' + "[" * 30 + "]" * 30 + "}", "nested deeper"),
        ('{"a": ' + "[" * 9000 + "]" * 9000 + "}", "nested"),
        ('{"a": "' + "x" * 20_000 + '"}', "at most 20,000"),
        ('{"messages": []}', "messages cannot be set here"),
        ('{"api_key": "x"}', "belongs to the endpoint"),
    ],
)
def test_bad_parameters_get_a_reason_with_its_place(typed, said):
    assert said in refusal(validators.parse_parameters, typed)


def test_nothing_typed_is_an_empty_object():
    assert validators.parse_parameters(" \n") == {}


@given(st.text(max_size=200))
def test_any_text_gives_a_storable_object_or_a_reason(text):
    try:
        value = validators.parse_parameters(text)
    except ValidationError:
        return
    json.dumps(value, allow_nan=False).encode()


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (r"\nMira:", "\nMira:"),
        ("<|user|>", "<|user|>"),
        (r"a\\n", r"a\n"),
        (" END ", "END"),
        (r"\t|\r", "\t|\r"),
    ],
)
def test_escapes_of_a_stop_string_are_read(typed, text):
    assert validators.decode_stop_string(typed) == text
    assert validators.decode_stop_string(validators.encode_stop_string(text)) == text


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (r"\q", r"\q is not an escape"),
        ("end\\", "is not an escape"),
        ("", "at least one character"),
        ("x" * 201, "at most 200"),
        ("a\x00b", "U+0000"),
    ],
)
def test_a_bad_stop_string_gets_a_reason(typed, said):
    assert said in refusal(validators.decode_stop_string, typed)


@given(st.text(alphabet="ab\\\n\r\t ", min_size=1, max_size=20).filter(lambda text: text == text.strip(" ")))
def test_a_stop_string_reads_back_as_it_is_shown(text):
    assert validators.decode_stop_string(validators.encode_stop_string(text)) == text
