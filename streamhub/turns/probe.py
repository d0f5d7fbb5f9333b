"""Testing a connection from the console: one tiny request to the provider, with values that need not be saved yet."""

import asyncio
import time
from dataclasses import dataclass, replace

from asgiref.sync import async_to_sync

from providers.errors import HttpFailure, ProviderError
from providers.normalizer import Normalizer
from providers.policy import GuardPolicy
from providers.registry import adapter_for
from providers.request import EndpointConfig, GenerationRequest, Message, TextPart
from streamhub.core.crypto import SecretStr
from streamhub.turns.engine.ports import TransportError
from streamhub.turns.transport import HttpTransport

PROBE_SECONDS = 20.0
PROBE_TOKENS = 16
ERROR_BODY_LIMIT = 100_000
# What these statuses say about an endpoint does not depend on the provider's word for it.
TELLING_STATUSES = frozenset({401, 403, 404})
_TITLES_BY_TYPE = {
    "rate_limit": "Throttled",
    "timeout": "Too slow",
    "provider_overloaded": "Provider overloaded",
    "model_error": "The model is the problem",
    "incomplete": "The answer broke off",
}
_TITLES_BY_CODE = {
    "401": "The key is the problem",
    "403": "The key is the problem",
    "404": "Nothing at this path",
    "web_page": "Not an API",
    "ECONNREFUSED": "Nothing answers",
    "ENOTFOUND": "No such host",
    "TLS": "No secure connection",
}


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What a test found, in words for the person who pressed the button."""

    ok: bool
    title: str
    detail: str
    elapsed_ms: int


def probe_endpoint(
    *, kind: str, base_url: str, api_key: SecretStr | None, model_id: str | None
) -> ProbeResult:
    """Ask the provider for a few tokens and say what came back. Never raises for what a provider does."""
    started = time.monotonic()
    ok, title, detail = async_to_sync(_probe)(kind, base_url, api_key, model_id or "")
    return ProbeResult(ok, title, detail, round((time.monotonic() - started) * 1000))


async def _probe(kind: str, base_url: str, api_key: SecretStr | None, model_id: str) -> tuple[bool, str, str]:
    adapter = adapter_for(kind)
    config = EndpointConfig(base_url=base_url, api_key=api_key.reveal() if api_key else "")
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            error, text = await _ask(kind, config, model_id)
    except TimeoutError:
        return False, "No answer", f"The provider did not answer within {PROBE_SECONDS:g} s."
    except ValueError as problem:
        return False, "Cannot be asked", str(problem)
    if error:
        return False, _title(error), adapter.create_error_description(error)
    return True, "It answers", f"The model said: {text[:200]}" if text else "The model answered without text."


async def _ask(kind: str, config: EndpointConfig, model_id: str) -> tuple[ProviderError | None, str]:
    adapter = adapter_for(kind)
    hello = Message(role="user", parts=(TextPart(text="Say hello in one word."),))
    request = GenerationRequest(model=model_id, messages=(hello,), max_output_tokens=PROBE_TOKENS)
    normalizer = Normalizer(adapter, GuardPolicy())
    transport = HttpTransport()
    chunks = []
    try:
        async with transport.stream(adapter.build_request(request, config)) as answer:
            if not 200 <= answer.status < 300:
                body = await answer.read(ERROR_BODY_LIMIT)
                failure = HttpFailure(status=answer.status, headers=answer.headers, body=body)
                return _telling(adapter.handle_provider_error(failure), answer.status), ""
            if answer.headers.get("content-type", "").startswith("text/html"):
                return ProviderError(type="api_error", code="web_page", message=""), ""
            async for data in answer.chunks():
                chunks += normalizer.feed(data)
                if normalizer.ended or any(chunk.content for chunk in chunks):
                    break
            else:
                chunks += normalizer.finish()
    except TransportError as error:
        return adapter.handle_provider_error(error.failure), ""
    finally:
        await transport.aclose()
    return next((chunk.error for chunk in chunks if chunk.error), None), "".join(c.content for c in chunks)


def _telling(error: ProviderError, status: int) -> ProviderError:
    """Name an error by its status where that says more than the provider's own code."""
    if error.type == "api_error" and status in TELLING_STATUSES:
        return replace(error, code=str(status))
    return error


def _title(error: ProviderError) -> str:
    if error.type == "api_error":
        return _TITLES_BY_CODE.get(error.code, "Refused")
    return _TITLES_BY_TYPE.get(error.type, "Refused")
