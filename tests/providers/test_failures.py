"""Errors are told apart by status and exact code; words decide only where DOMAIN 3.3 says so."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.errors import HttpFailure, InBandFailure, ProviderError, TransportFailure
from providers.failure_texts import describe
from providers.failures import classify


def http(status, body="", **headers):
    text = body if isinstance(body, str) else json.dumps(body)
    return classify(
        HttpFailure(
            status=status, body=text.encode(), headers={k.replace("_", "-"): v for k, v in headers.items()}
        )
    )


def error(message, **fields):
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("status", "body", "kind", "code", "retryable"),
    [
        (400, error("bad", type="invalid_request_error"), "api_error", "invalid_request_error", False),
        (401, error("no key", code="invalid_api_key"), "api_error", "invalid_api_key", False),
        (402, error("pay"), "api_error", "402", False),
        (403, error("no"), "api_error", "403", False),
        (
            403,
            error("flagged", code=403, metadata={"reasons": ["x"], "flagged_input": "y"}),
            "content_blocked",
            "403",
            False,
        ),
        (404, error("nothing here"), "api_error", "404", False),
        (404, error("gone", code="model_not_found"), "model_error", "model_not_found", False),
        (404, {"error": "model 'x:latest' not found"}, "model_error", "404_model", False),
        (400, error("m-9 is not a valid model ID", code=400), "model_error", "400_model", False),
        (
            400,
            error("The supported API model names are a or b, but you passed c."),
            "model_error",
            "400_model",
            False,
        ),
        (400, error("temperature is not supported with this model."), "api_error", "400", False),
        (500, error("no such model"), "provider_overloaded", "500", True),
        (429, error("slow down"), "rate_limit", "429", True),
        (429, error("You have insufficient balance, please recharge"), "api_error", "429_balance", False),
        (429, error("over", code="insufficient_quota"), "api_error", "429_balance", False),
        (429, error("your subscription plan has no access"), "api_error", "429_plan_access", False),
        (400, error("blocked", code="content_filter"), "content_blocked", "content_filter", False),
        (408, "", "timeout", "408", True),
        (504, "", "timeout", "504", True),
        (524, "", "timeout", "524", True),
        (500, "", "provider_overloaded", "500", True),
        (502, "<html>bad gateway</html>", "provider_overloaded", "502", True),
        (503, error("busy"), "provider_overloaded", "503", True),
        (529, "", "provider_overloaded", "529", True),
        (413, error("too long"), "api_error", "413", False),
        (418, "", "api_error", "418", False),
        (400, error("timeout after 429 of 503 tokens"), "api_error", "400", False),
        (400, error("the content is odd"), "api_error", "400", False),
    ],
)
def test_status_and_code_decide(status, body, kind, code, retryable):
    got = http(status, body)
    assert (got.type, got.code, got.retryable) == (kind, code, retryable)
    assert got.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "a"}}, "a"),
        ({"error": "a"}, "a"),
        ({"detail": "a"}, "a"),
        ({"detail": [{"msg": "a", "loc": ["body"]}]}, "a"),
        ({"object": "error", "message": "a"}, "a"),
        ([{"error": {"message": "a", "code": 400}}], "a"),
        ({"error": {"error": {"message": "a"}}}, "a"),
        ({"error": {"message": "Provider returned error", "metadata": {"raw": "a"}}}, "a"),
        ({"code": "invalid-argument", "error": "a"}, "a"),
        ({"base_resp": {"status_code": 1004, "status_msg": "a"}}, "a"),
        ({"errors": [{"message": "a"}]}, "a"),
        ("a", "a"),
        ("", "The provider answered with HTTP status 400."),
        ("<html><body>x</body></html>", "It answered with a web page, not an API (HTTP status 400)."),
        ({}, "The provider answered with HTTP status 400."),
        ([], "The provider answered with HTTP status 400."),
        ({"error": {"message": {"deep": 1}}}, '{"deep":1}'),
    ],
)
def test_the_message_is_found_in_every_shape(body, message):
    assert http(400, body).message == message


@pytest.mark.parametrize(
    ("payload", "kind", "retryable"),
    [
        ({"message": "quota"}, "unknown", False),
        ({"message": "m", "type": "server_error"}, "provider_overloaded", True),
        ({"message": "m", "code": "rate_limit_exceeded"}, "rate_limit", True),
        ({"message": "m", "code": 429}, "rate_limit", True),
        ({"message": "m", "code": "502"}, "provider_overloaded", True),
        ({"message": "m", "code": "tool_use_failed", "status_code": 400}, "api_error", False),
        ({"message": "m", "type": "overloaded_error"}, "provider_overloaded", True),
        ({"message": "m", "type": "request_timeout"}, "timeout", True),
        ({"message": "m", "code": "content_filter"}, "content_blocked", False),
        ({"message": "no such model"}, "model_error", False),
        ({"code": 400, "message": "limit"}, "api_error", False),
        ("plain words", "unknown", False),
        (None, "unknown", False),
    ],
)
def test_errors_inside_a_stream_are_told_apart_too(payload, kind, retryable):
    got = classify(InBandFailure(payload=payload))
    assert (got.type, got.retryable) == (kind, retryable)


@pytest.mark.parametrize(
    ("kind", "want", "code", "retryable"),
    [
        ("connect", "api_error", "ECONNREFUSED", False),
        ("dns", "api_error", "ENOTFOUND", False),
        ("tls", "api_error", "TLS", False),
        ("reset", "incomplete", "ECONNRESET", True),
        ("read", "incomplete", "READ", True),
        ("protocol", "incomplete", "PROTOCOL", True),
    ],
)
def test_a_connection_that_fails_says_where(kind, want, code, retryable):
    got = classify(TransportFailure(kind=kind, message="errno 1"))
    assert (got.type, got.code, got.retryable, got.original) == (want, code, retryable, "errno 1")


def test_a_provider_that_says_not_to_retry_is_obeyed():
    assert http(503, "", x_should_retry="false").retryable is False
    assert http(429, "", x_should_retry="false", retry_after="3").retry_after is None


def test_the_wait_comes_along():
    assert http(429, error("slow"), Retry_After="7").retry_after == 7
    assert http(400, error("bad"), retry_after="7").retry_after is None


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdefgh12345678",
        "Bearer abc.def-ghi123",
        "gsk_AAAABBBBCCCC1234",
        "api_key=0123456789abcdef",
        "AIzaSyA1234567890abc",
    ],
)
def test_secrets_do_not_get_through(secret):
    got = http(401, error(f"Incorrect key: {secret} is wrong"))
    value = secret.split("=")[-1].split()[-1]
    for text in (got.message, got.original, str(got), repr(got), describe(got)):
        assert value not in text
    assert "is wrong" in got.message


def test_ordinary_words_are_not_taken_for_secrets():
    for words in ("Unknown key: temperature", "skip this", "rkhunter", "The token: unexpected"):
        assert http(400, error(words)).message == words


def test_the_original_is_kept_but_bounded():
    got = http(500, error("x" * 100_000))
    assert len(got.original) <= 4096
    assert len(got.message) <= 1200


def test_a_description_says_what_to_do_and_keeps_the_names_of_models():
    wrong = http(400, error("The supported API model names are a-1 or a-2, but you passed b."))
    assert "a-1 or a-2" in describe(wrong)
    assert describe(http(429, error("slow"), retry_after="2")).count("wait 2 s") == 1
    assert "credit" in describe(http(429, error("insufficient balance")))
    for kind in ("api_error", "content_blocked", "timeout", "provider_overloaded", "incomplete", "unknown"):
        assert describe(ProviderError(type=kind, message="")).endswith(".")


@pytest.mark.parametrize("kind", ["connect", "dns", "tls", "forbidden", "reset", "read", "protocol"])
def test_where_no_connection_came_about_no_provider_is_quoted(kind):
    text = describe(classify(TransportFailure(kind=kind, message="[Errno -2] odd")))
    assert "The provider says" not in text
    assert "Errno" not in text


def test_a_long_web_page_is_not_repeated():
    page = f"<!DOCTYPE html><html>{'<p>lost</p>' * 500}"
    got = http(404, page)
    assert "<" not in got.message
    assert "It answered with a web page, not an API" in describe(got)


def test_a_refused_key_is_called_so():
    got = http(401, {"error": {"message": "Bad key", "code": "invalid_api_key"}})
    assert describe(got) == "The key was not accepted. The provider says: Bad key"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "error",
                    "errors",
                    "message",
                    "code",
                    "type",
                    "metadata",
                    "detail",
                    "details",
                    "status",
                    "raw",
                    "headers",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
)


@given(_JSON, st.integers(400, 599))
def test_nothing_a_provider_says_raises(payload, status):
    for failure in (
        InBandFailure(payload=payload),
        HttpFailure(status=status, body=json.dumps(payload).encode()),
    ):
        got = classify(failure)
        assert got.message
        describe(got)


@given(
    st.binary(max_size=200),
    st.dictionaries(
        st.sampled_from(["retry-after", "date", "retry-after-ms", "x-ratelimit-reset-tokens"]),
        st.text(max_size=12),
    ),
)
def test_no_bytes_raise(body, headers):
    assert classify(HttpFailure(status=429, body=body, headers=headers)).retryable in (True, False)


def test_words_of_an_error_hold_no_nul_which_no_database_takes():
    broken = classify(HttpFailure(status=500, body=b"\0\0 out of \0 order", headers={}))
    assert "\0" not in broken.message + broken.original
    assert "out of" in broken.message
