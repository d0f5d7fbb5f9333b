import pytest

from providers.retry_hints import may_retry, retry_after_seconds

NOW = "Tue, 04 Aug 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e300"}, 31 * 86400),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Tue, 04 Aug 2026 10:01:30 GMT", "date": NOW}, 90),
        ({"retry-after": "Tue, 04 Aug 2026 09:00:00 GMT", "date": NOW}, 0),
        ({"retry-after": "Tue, 04 Aug 2026 10:01:30 GMT"}, None),
        ({"retry-after": "Tue, 99 Aug 2026 10:01:30 GMT", "date": NOW}, None),
        ({"retry-after": "Tue, 04 Xxx 2026 10:01:30 GMT", "date": NOW}, None),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"x-ratelimit-reset-requests": "12ms"}, 0.012),
        ({"x-ratelimit-reset-requests": "1m0s", "x-ratelimit-reset-tokens": "6s"}, 60),
        (
            {
                "x-ratelimit-reset-requests": "1m0s",
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-tokens": "6s",
                "x-ratelimit-remaining-tokens": "0",
            },
            6,
        ),
        ({"x-ratelimit-reset-tokens": "7.66s"}, 7.66),
        ({"x-ratelimit-reset-tokens": "2h1m3.5s"}, 7263.5),
        ({"x-ratelimit-reset-tokens": "1m nonsense"}, None),
    ],
)
def test_the_wait_is_read_from_headers(headers, seconds):
    assert retry_after_seconds(headers) == (pytest.approx(seconds) if seconds is not None else None)


def test_the_wait_is_read_from_google_details():
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}
    assert retry_after_seconds({}, ({"@type": "other"}, info)) == pytest.approx(34.4)


def test_the_wait_is_read_from_limits_hidden_in_metadata():
    reset = {"headers": {"X-RateLimit-Reset": "1785837660000"}}
    assert retry_after_seconds({"date": NOW}, (), reset) == pytest.approx(60)
    assert retry_after_seconds({}, (), reset) is None
    assert retry_after_seconds({}, (), {"headers": {"Retry-After": 4}}) == 4
    assert retry_after_seconds({}, (), {"headers": "x"}) is None


def test_only_false_forbids_a_retry():
    assert may_retry({})
    assert may_retry({"x-should-retry": "true"})
    assert not may_retry({"x-should-retry": " False "})
