"""Testing a connection from the console: one tiny request to the provider, with values that need not be saved yet."""

import asyncio
import time
from dataclasses import dataclass

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
                return adapter.handle_provider_error(failure), ""
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


def _title(error: ProviderError) -> str:
    return {
        "rate_limit": "Throttled",
        "timeout": "Too slow",
        "provider_overloaded": "Provider overloaded",
        "model_error": "The model is the problem",
    }.get(error.type, "Refused")
