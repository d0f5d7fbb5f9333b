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
_BY_CODE: Mapping[str, str] = {
    "429_balance": "The account at the provider has no credit left. Recharge it, or use another key.",
    "429_plan_access": "The plan of this account does not include the model.",
    "ECONNREFUSED": "Nothing answers at the address. Is the server running, and is the port right?",
    "ENOTFOUND": "The host name cannot be found. Check the address of this endpoint.",
    "TLS": "The secure connection failed. Check the certificate and whether the address should be http.",
}


def describe(error: ProviderError) -> str:
    """Return plain words; a model error keeps up to 1 200 characters of the provider's own, others 500."""
    limit = _MAX_MODEL_DETAIL_CHARS if error.type == "model_error" else _MAX_DETAIL_CHARS
    text = _BY_CODE.get(error.code) or _WHAT[error.type]
    if error.retry_after is not None:
        text += f" It asks to wait {error.retry_after:g} s."
    detail = error.message.strip()[:limit]
    return f"{text} The provider says: {detail}" if detail and detail not in text else text
