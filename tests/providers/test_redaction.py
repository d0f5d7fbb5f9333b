"""What counts as a secret in a provider's words and in our log, and what stays readable."""

import pytest

from providers.errors import ProviderError
from providers.redaction import hide, redact, without_secret


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Incorrect API key provided: sk-proj-4711abcd9", "Incorrect API key provided: [redacted]"),
        ("Authorization: Bearer abc.def.ghi", "Authorization: Bearer [redacted]"),
        ("basic dXNlcjpwYXNz0w==", "basic [redacted]"),
        ('{"api_key": "lantern"}', '{"api_key": "[redacted]"}'),
        ("x-goog-api-key: quay", "x-goog-api-key: [redacted]"),
        ("GET /v1?key=quay&a=b", "GET /v1?key=[redacted]&a=b"),
        ("access_token=quay", "access_token=[redacted]"),
        ("password: hunter", "password: [redacted]"),
        ("token: 4711abcd", "token: [redacted]"),
        ("redis://:hunter2@db:6379/0", "redis://:[redacted]@db:6379/0"),
        ("postgresql://hub:hunter2@db/hub", "postgresql://hub:[redacted]@db/hub"),
        ("hf_AbCdEfGhIjKl", "[redacted]"),
        ("nvapi-AbCdEfGhIjKl", "[redacted]"),
        ("AIzaSyA1234567890abcdefg", "[redacted]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln", "[redacted]"),
        ("key-4711abcd9", "[redacted]"),
    ],
)
def test_what_looks_like_a_secret_is_gone(text, left):
    assert redact(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "unknown key: temperature",
        "Your basic plan has no basic authentication",
        "skeleton_keys and skipped-frames",
        "key-value-pairs are fine",
        "http://127.0.0.1:8000/servers/@home",
        "unexpected token: <eos>",
    ],
)
def test_what_does_not_stays_readable(text):
    assert redact(text) == text


@pytest.mark.timeout(20)
@pytest.mark.parametrize("part", ["key:", "key=", "://a:", "sk-", "bearer ", "x_", "a-", "basic a", "eyJ"])
def test_long_text_full_of_beginnings_is_read_in_linear_time(part):
    redact(part * 50_000)


def test_a_key_of_any_shape_is_hidden_where_we_know_it():
    error = ProviderError(
        type="api_error",
        message="no such key abcd.efgh",
        code="abcd.efgh",
        original="<abcd.efgh>",
        retry_after=3,
    )
    clean = without_secret(error, "abcd.efgh")
    assert (clean.message, clean.code, clean.original) == (
        "no such key [redacted]",
        "[redacted]",
        "<[redacted]>",
    )
    assert (clean.type, clean.retry_after) == ("api_error", 3)


@pytest.mark.parametrize("placeholder", ["", "x", "no"])
def test_a_placeholder_garbles_no_message(placeholder):
    assert hide("no model of xai exists", placeholder) == "no model of xai exists"
