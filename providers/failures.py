"""Failures to ProviderError: by status, then by the provider's exact code (DOMAIN 3.3, weak spots mended).

Words inside a message decide in three documented places only, each tied to its statuses: a wrong model (400,
404, 422), an empty balance and a plan without access (429). Digits inside a message never decide.
"""

import re
from collections.abc import Mapping

from providers.error_payload import ErrorFacts, read_body, read_error
from providers.errors import ErrorType, Failure, HttpFailure, InBandFailure, ProviderError, TransportFailure
from providers.redaction import redact
from providers.retry_hints import may_retry, retry_after_seconds
from providers.wire.payload import without_nul

_MAX_MESSAGE_CHARS = 1200
_MAX_ORIGINAL_CHARS = 4096
_RETRYABLE: frozenset[ErrorType] = frozenset({"rate_limit", "timeout", "provider_overloaded", "incomplete"})

_BY_STATUS: Mapping[int, ErrorType] = {
    408: "timeout",
    429: "rate_limit",
    500: "provider_overloaded",
    502: "provider_overloaded",
    503: "provider_overloaded",
    504: "timeout",
    520: "provider_overloaded",
    521: "provider_overloaded",
    522: "timeout",
    523: "provider_overloaded",
    524: "timeout",
    529: "provider_overloaded",
}

_MODEL_CODES = frozenset({"model_not_found", "model_not_supported", "model_not_available", "unknown_model"})
_MODEL_CODES |= {"invalid_model", "model_deprecated", "deploymentnotfound", "not_found_model"}
_BLOCKED_CODES = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation", "1301"}
)
_BLOCKED_CODES |= {"data_inspection_failed", "content_blocked", "moderation_blocked", "content_filter_error"}
_BALANCE_CODES = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "insufficient_balance", "1113"}
)
_BALANCE_CODES |= {"billing_not_active", "insufficient_credits", "exceeded_current_quota_error"}

# Where an error in a stream names no status, its exact type or code stands for one.
_STATUS_OF_WORD: Mapping[str, int] = {
    **dict.fromkeys(("invalid_request_error", "invalid_request", "bad_request", "invalid_argument"), 400),
    **dict.fromkeys(("tool_use_failed", "context_length_exceeded", "exceed_context_size_error"), 400),
    **dict.fromkeys(("authentication_error", "invalid_api_key", "unauthorized", "unauthenticated"), 401),
    **dict.fromkeys(("permission_error", "permission_denied", "forbidden"), 403),
    **dict.fromkeys(("not_found_error", "not_found"), 404),
    **dict.fromkeys(
        ("timeout", "timeout_error", "request_timeout", "deadline_exceeded", "gateway_timeout"), 504
    ),
    **dict.fromkeys(("rate_limit", "rate_limit_error", "rate_limit_exceeded", "too_many_requests"), 429),
    **dict.fromkeys(("resource_exhausted", "rate_limit_reached", "tokens", "requests"), 429),
    **dict.fromkeys(
        ("server_error", "internal_server_error", "internal_error", "internal", "server error"), 500
    ),
    **dict.fromkeys(("overloaded", "overloaded_error", "engine_overloaded", "engine_overloaded_error"), 503),
    **dict.fromkeys(
        ("service_unavailable", "service_unavailable_error", "unavailable", "server_overloaded"), 503
    ),
    **dict.fromkeys(
        ("insufficient_system_resource", "network_error", "provider_error", "upstream_error"), 503
    ),
    **dict.fromkeys(("1002", "1305", "1302"), 429),  # MiniMax and Z.ai say it in numbers of their own
    **dict.fromkeys(("1001",), 504),
    **dict.fromkeys(("1000", "1013", "1024", "1033"), 500),
    **dict.fromkeys(("1004", "2049"), 401),
}

_MODEL_WORDS = re.compile(
    r"unsupported model|(?:invalid|unknown|unrecogni[sz]ed) model|no such model|model_not_found"
    r"|\bdeprecated\b|\bmodel\b[^.\n]{0,120}?\b(?:not supported|not found|not available|unsupported)\b"
    r"|\bmodel\b[^.\n]{0,120}?\b(?:unavailable|does not exist)\b"
    r"|\bmodel\b[^.\n]{0,60}?\bis invalid\b|supported (?:api )?model names? (?:are|is)|is not a valid model",
    re.IGNORECASE,
)
_FEATURE_WORDS = re.compile(r"not (?:support|supported) (?:with|by|for|in) (?:this|the) model", re.IGNORECASE)
_BALANCE_WORDS = re.compile(
    r"insufficient (?:balance|credits)|not enough credits|no resource package|please recharge", re.IGNORECASE
)
_PLAN_WORDS = re.compile(
    r"subscription plan|does not yet include access|plan does not include", re.IGNORECASE
)

_TRANSPORT: Mapping[str, tuple[ErrorType, str, str]] = {
    "connect": ("api_error", "ECONNREFUSED", "Nothing answers at the address of this endpoint."),
    "dns": ("api_error", "ENOTFOUND", "The host name of this endpoint cannot be found."),
    "forbidden": (
        "api_error",
        "FORBIDDEN",
        "This endpoint leads to a link-local or metadata address, to which nothing is ever sent.",
    ),
    "tls": ("api_error", "TLS", "The secure connection to this endpoint could not be set up."),
    "reset": ("incomplete", "ECONNRESET", "The provider closed the connection before the answer was done."),
    "read": ("incomplete", "READ", "The connection broke before the answer was done."),
    "protocol": ("incomplete", "PROTOCOL", "The provider did not answer in valid HTTP."),
}


def classify(failure: Failure) -> ProviderError:
    """Return the failure in the one shape. Never raises."""
    if isinstance(failure, TransportFailure):
        return _transport(failure)
    if isinstance(failure, HttpFailure):
        payload = read_body(failure.body)
        headers = {name.lower(): value for name, value in failure.headers.items()}
        return _classified(
            read_error(payload), failure.status, headers, failure.body.decode("utf-8", "replace")
        )
    return classify_in_band(failure)


def ended_without_a_word() -> ProviderError:
    """The body ended before the provider said that the answer was done."""
    return ProviderError(
        type="incomplete",
        code="unexpected_end",
        message="The connection closed before the provider said the answer was done.",
        retryable=True,
    )


def classify_in_band(failure: InBandFailure) -> ProviderError:
    """An error object inside a 200 stream; a ProviderError found by the decoder itself is passed on."""
    if isinstance(failure.payload, ProviderError):
        return failure.payload
    facts = read_error(failure.payload)
    return _classified(facts, facts.status, {}, str(failure.payload))


def _transport(failure: TransportFailure) -> ProviderError:
    kind, code, message = _TRANSPORT[failure.kind]
    original = redact(without_nul(failure.message[:_MAX_ORIGINAL_CHARS]))
    return ProviderError(
        type=kind, code=code, message=message, retryable=kind in _RETRYABLE, original=original
    )


def _classified(
    facts: ErrorFacts, status: int | None, headers: Mapping[str, str], original: str
) -> ProviderError:
    words = [word.lower() for word in (facts.code, facts.kind) if word]
    if status is None:
        status = next((_STATUS_OF_WORD[word] for word in words if word in _STATUS_OF_WORD), None)
    kind, code = _verdict(facts, status, words)
    retryable = kind in _RETRYABLE and may_retry(headers)
    return ProviderError(
        type=kind,
        code=code,
        message=_message(facts, status),
        retryable=retryable,
        retry_after=retry_after_seconds(headers, facts.details, facts.metadata) if retryable else None,
        original=redact(without_nul(original[:_MAX_ORIGINAL_CHARS])),
    )


def _verdict(facts: ErrorFacts, status: int | None, words: list[str]) -> tuple[ErrorType, str]:
    code = facts.code or facts.kind or str(status or "unknown")
    if _is_blocked(facts, status, words):
        return "content_blocked", code
    if _BALANCE_CODES.intersection(words):
        return "api_error", "429_balance" if status in (429, None) else code
    if status == 429:
        return _too_many(facts)
    if _is_wrong_model(facts, status, words):
        return (
            "model_error",
            code if facts.code and not facts.code.isdigit() else f"{status or 'model'}_model",
        )
    if status is None:
        return "unknown", code
    return _BY_STATUS.get(status, "api_error"), code


def _too_many(facts: ErrorFacts) -> tuple[ErrorType, str]:
    if _BALANCE_WORDS.search(facts.message):
        return "api_error", "429_balance"
    if _PLAN_WORDS.search(facts.message):
        return "api_error", "429_plan_access"
    return "rate_limit", facts.code or "429"


def _is_blocked(facts: ErrorFacts, status: int | None, words: list[str]) -> bool:
    if _BLOCKED_CODES.intersection(words):
        return True
    return status == 403 and ("flagged_input" in facts.metadata or "reasons" in facts.metadata)


def _is_wrong_model(facts: ErrorFacts, status: int | None, words: list[str]) -> bool:
    if _MODEL_CODES.intersection(words):
        return True
    if status not in (400, 404, 422, None) or _FEATURE_WORDS.search(facts.message):
        return False
    return _MODEL_WORDS.search(facts.message[:_MAX_MESSAGE_CHARS]) is not None


def _message(facts: ErrorFacts, status: int | None) -> str:
    if _is_web_page(facts.message):
        return f"It answered with a web page, not an API{f' (HTTP status {status})' if status else ''}."
    if text := redact(facts.message[:_MAX_MESSAGE_CHARS]).strip():
        return text
    return (
        f"The provider answered with HTTP status {status}." if status else "The provider reported an error."
    )


def _is_web_page(text: str) -> bool:
    start = text[:200].lstrip().lower()
    return start.startswith(("<!doctype", "<html")) or (start.startswith("<") and text.rstrip().endswith(">"))
