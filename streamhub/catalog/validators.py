"""What a person may type about endpoints, keys, models and rules.

Each `clean_` or `parse_` function returns the value in its usual form and raises ValidationError, saying what
is wrong, where, and what to write instead. Messages never repeat a key.
"""

import json
import math
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError

from providers.rules import MAX_STOP_CHARS, MAX_STOP_ENTRIES
from streamhub.core.crypto import SecretStr

MAX_MODEL_ID = 300
MAX_SECRET = 4_000
MAX_JSON = 20_000
MAX_JSON_DEPTH = 20
MAX_STOP_STRINGS = MAX_STOP_ENTRIES
MAX_STOP_LENGTH = MAX_STOP_CHARS
MAX_NAMES = 40

_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,39}")
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,79}")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}
_INVISIBLE = {"Cc", "Cf", "Zl", "Zp", "Cs"}
_QUOTES = "\"'`"

# Parameters that a rule may not set, and why.
RESERVED = {
    "model": "the model id is set on the endpoint",
    "messages": "the turn's own messages are sent",
    "stream": "StreamHub always streams",
    "tools": "tools are set on the server",
    "stop": "stop strings have rows of their own",
    "api_key": "a key belongs to the endpoint, where it is encrypted",
    "authorization": "a key belongs to the endpoint, where it is encrypted",
}
# Without these there is no call.
UNDROPPABLE = frozenset({"model", "messages", "stream"})

_JSON_WORDS = {
    "Expecting value": "a value is missing here",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing here",
    "Expecting ':' delimiter": "a colon is missing here",
    "Expecting property name enclosed in double quotes": 'a name in "double quotes" is missing here',
    "Unterminated string starting at": "this text has no closing quote",
    "Invalid control character at": "a text may not hold a raw line break; write \\n",
    "Extra data": "there is something after the end of the object",
    "Illegal trailing comma before end of object": "a comma stands before the closing bracket",
    "Illegal trailing comma before end of array": "a comma stands before the closing bracket",
}


def clean_model_id(text: str) -> str:
    """Return the provider's own name of a model, without blanks around it."""
    text = text.strip()
    if not text:
        raise ValidationError("Enter the model's id as the provider writes it, such as gpt-5-mini.")
    if len(text) > MAX_MODEL_ID:
        raise ValidationError(
            f"This model id has {len(text)} characters; at most {MAX_MODEL_ID} are allowed."
        )
    refuse_invisible(text, "this model id")
    return text


def clean_label(text: str) -> str:
    """Return a name that people give to a thing. Emptiness and length are the field's own rules."""
    text = text.strip()
    refuse_invisible(text, "this name")
    return text


def clean_secret(text: str) -> SecretStr:
    """Return a key, without blanks around it. The messages give positions, never the key's own characters."""
    key = text.strip()
    if not key:
        raise ValidationError("Enter the key.")
    if len(key) > MAX_SECRET:
        raise ValidationError(f"This key has {len(key)} characters; at most {MAX_SECRET} are allowed.")
    if key.lower().startswith("bearer "):
        raise ValidationError("Leave out the word Bearer; StreamHub adds it. Paste the key alone.")
    if key[0] in _QUOTES or key[-1] in _QUOTES:
        raise ValidationError("There is a quotation mark at an end of this key. Paste it again without.")
    for position, character in enumerate(key, start=1):
        if not "!" <= character <= "~":
            what = _name_of_odd(character)
            raise ValidationError(
                f"There is {what} in this key, at position {position}. Paste the key alone, again."
            )
    return SecretStr(key)


def clean_pattern(text: str) -> str:
    """Return a pattern with `*` and `?` as wildcards."""
    text = text.strip()
    if not text:
        raise ValidationError("Enter a pattern; * alone fits everything.")
    refuse_invisible(text, "this pattern")
    return text


def parse_reasoning_tags(text: str) -> list[str]:
    """Return tag names typed with commas, blanks or line breaks between them; none twice."""
    return check_reasoning_tags(re.split(r"[\s,]+", text))


def check_reasoning_tags(tags: Iterable[str]) -> list[str]:
    """Return names of reasoning tags, each once. A namespace is part of the name."""
    names = _unique(tags)
    for name in names:
        if not _TAG.fullmatch(name):
            hint = ", without < and >" if {"<", ">", "/"} & set(name) else ""
            raise ValidationError(
                f"{name[:60]!r} is not a tag name. Write the name alone{hint}: "
                "letters, digits, and . _ : - after the first letter."
            )
    return _at_most(names, "tag names")


def parse_parameter_names(text: str) -> list[str]:
    """Return names of request parameters to leave out, typed with commas, blanks or line breaks between."""
    return check_parameter_names(re.split(r"[\s,]+", text))


def check_parameter_names(parameters: Iterable[str]) -> list[str]:
    """Return names of request parameters that a rule may leave out, each once."""
    names = _unique(parameters)
    for name in names:
        if not _PARAMETER.fullmatch(name):
            raise ValidationError(f"{name[:60]!r} is not the name of a parameter, such as temperature.")
        if name in UNDROPPABLE:
            raise ValidationError(f"{name} cannot be left out: without it there is no call.")
    return _at_most(names, "names")


def parse_parameters(text: str) -> dict[str, Any]:
    """Return a JSON object of request parameters that a rule sets; nothing typed is an empty object."""
    return check_parameters(parse_json_object(text))


def check_parameters(value: dict[str, Any]) -> dict[str, Any]:
    """Return request parameters as they are, if a rule may set them."""
    for name in value:
        if name.lower() in RESERVED:
            raise ValidationError(f"{name} cannot be set here: {RESERVED[name.lower()]}.")
    return value


def parse_json_object(text: str) -> dict[str, Any]:
    """Return a JSON object that every database can hold. Errors name line and column."""
    if len(text) > MAX_JSON:
        raise ValidationError(f"This has {len(text):,} characters; at most {MAX_JSON:,} are allowed.")
    if not text.strip():
        return {}
    try:
        value = json.loads(
            text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        words = _JSON_WORDS.get(error.msg, error.msg)
        raise ValidationError(f"Line {error.lineno}, column {error.colno}: {words}.") from None
    except RecursionError:
        raise ValidationError("This is nested too deeply.") from None
    except ValueError:
        raise ValidationError("A number in this has too many digits.") from None
    if not isinstance(value, dict):
        raise ValidationError(
            f'Write an object in curly brackets, such as {{"top_k": 40}}; this is {_kind_of(value)}.'
        )
    _check_depth(value)
    return value


def decode_stop_string(typed: str) -> str:
    r"""Return the text of a stop string typed with the escapes \n, \r, \t and \\."""
    pieces: list[str] = []
    characters = iter(typed.strip(" "))
    for character in characters:
        if character != "\\":
            pieces.append(character)
            continue
        letter = next(characters, "")
        if letter not in _ESCAPES:
            raise ValidationError(f"\\{letter} is not an escape. Use \\n, \\r, \\t or \\\\.")
        pieces.append(_ESCAPES[letter])
    return clean_stop_string("".join(pieces))


def clean_stop_string(text: str) -> str:
    """Return a stop string as it is, if it may be one."""
    if not text:
        raise ValidationError("A stop string has at least one character.")
    if len(text) > MAX_STOP_LENGTH:
        raise ValidationError(f"This has {len(text)} characters; at most {MAX_STOP_LENGTH} are allowed.")
    refuse_invisible(text.translate({10: "x", 13: "x", 9: "x"}), "this stop string")
    return text


def encode_stop_string(text: str) -> str:
    r"""Return a stop string as it is typed: the inverse of `decode_stop_string`."""
    for letter, character in (("\\", "\\"), ("n", "\n"), ("r", "\r"), ("t", "\t")):
        text = text.replace(character, f"\\{letter}")
    return text


def refuse_invisible(text: str, what: str) -> None:
    """Raise ValidationError if `text` holds a control or formatting character, which nobody sees."""
    for position, character in enumerate(text, start=1):
        if unicodedata.category(character) in _INVISIBLE:
            raise ValidationError(f"There is {_name_of_odd(character)} in {what}, at position {position}.")


def _name_of_odd(character: str) -> str:
    if character == " ":
        return "a space"
    if character in "\r\n":
        return "a line break"
    if character == "\t":
        return "a tab"
    if unicodedata.category(character) in _INVISIBLE or character.isspace():
        return f"the invisible character U+{ord(character):04X}"
    return "a character that keys do not have"


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))


def _at_most(names: list[str], what: str) -> list[str]:
    if len(names) > MAX_NAMES:
        raise ValidationError(f"These are {len(names)} {what}; at most {MAX_NAMES} are allowed.")
    return names


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValidationError(f'"{repeated[:60]}" is set twice.')
    return value


def _refuse_constant(word: str) -> None:
    raise ValidationError(f"{word} is not JSON.")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValidationError(f"{digits[:20]} is too large a number.")
    return number


def _check_depth(value: Any, depth: int = 1) -> None:
    """Refuse what PostgreSQL cannot store (NUL, lone surrogates) and depth that would trip later readers."""
    if depth > MAX_JSON_DEPTH:
        raise ValidationError(f"This is nested deeper than {MAX_JSON_DEPTH} levels.")
    if isinstance(value, str) and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
        raise ValidationError("A text in this holds a NUL or half a character, which cannot be stored.")
    if isinstance(value, dict):
        for name, item in value.items():
            _check_depth(name, depth)
            _check_depth(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check_depth(item, depth + 1)


def _kind_of(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")
