"""What a person reads about a failure: what happened, what to do, and the provider's own details."""

from collections.abc import Mapping

from providers.errors import ErrorType, ProviderError

_MAX_DETAIL_CHARS = 500
_MAX_MODEL_DETAIL_CHARS = 1200

_WHAT: Mapping[ErrorType, str] = {
    "api_error": "The provider refused the request. Check key, address and parameters of this endpoint.",
    "model_error": "The provider does not offer this model. Choose one of those it names.",
    "content_blocked": "The provider's content filter blocked the prompt or the answer.",
    "rate_limit": "The provider's rate limit is reached. Try later, or add another key.",
    "timeout": "The provider took too long.",
    "provider_overloaded": "The provider is overloaded or at fault. Try later, or add a fallback model.",
    "incomplete": "The answer broke off before the provider said it was done.",
    "unknown": "The provider reported an error that StreamHub does not know.",
}
_KEY = "The key was not accepted."
_API_CODES: Mapping[str, str] = {
    **dict.fromkeys(("401", "403", "invalid_api_key", "authentication_error", "unauthorized"), _KEY),
    "404": "Nothing is at this path. Does the address need /v1 at its end?",
    "web_page": "It answered with a web page, not an API. Does the address need /v1 at its end?",
}
_BY_CODE: Mapping[str, str] = {
    "429_balance": "The account at the provider has no credit left. Recharge it, or use another key.",
    "429_plan_access": "The plan of this account does not include the model.",
    "ECONNREFUSED": "Nothing answers at the address. Is the server running, and is the port right?",
    "ENOTFOUND": "The host name cannot be found. Check the address of this endpoint.",
    "TLS": "The secure connection failed. Check the certificate and whether the address should be http.",
}
# No provider said anything where the connection itself failed: the message is StreamHub's.
_TRANSPORT_CODES = frozenset(
    {"ECONNREFUSED", "ENOTFOUND", "TLS", "FORBIDDEN", "ECONNRESET", "READ", "PROTOCOL", "unexpected_end"}
)
# How the sentences begin that stand in for a body without words.
_OWN_WORDS = (
    "The provider answered with HTTP status",
    "The provider reported an error",
    "It answered with a web",
)


def describe(error: ProviderError) -> str:
    """Return plain words; a model error keeps up to 1 200 characters of the provider's own, others 500."""
    limit = _MAX_MODEL_DETAIL_CHARS if error.type == "model_error" else _MAX_DETAIL_CHARS
    text = _headline(error)
    if error.retry_after is not None:
        text += f" It asks to wait {error.retry_after:g} s."
    detail = error.message.strip()[:limit]
    if not detail or detail in text or error.code in _TRANSPORT_CODES or error.code == "web_page":
        return text
    return f"{text} {detail}" if detail.startswith(_OWN_WORDS) else f"{text} The provider says: {detail}"


def _headline(error: ProviderError) -> str:
    known = _BY_CODE.get(error.code) or (_API_CODES.get(error.code) if error.type == "api_error" else None)
    own = error.message if error.code in _TRANSPORT_CODES else ""
    return known or own or _WHAT[error.type]
