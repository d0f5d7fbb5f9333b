"""The adapter every relative of the OpenAI dialect shares; a variant is a subclass with its `kind`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import msgspec

from providers.adapter import BaseStreamAdapter, Decoder
from providers.arguments import read_arguments
from providers.chunks import ChunkMetadata, FinishReason, FunctionCall, ProcessedChunk, RawStreamChunk
from providers.error_payload import find_error
from providers.errors import Failure, InBandFailure, ProviderError
from providers.failure_texts import describe
from providers.failures import classify
from providers.openai_family.decoder import ChatDecoder
from providers.openai_family.reading import (
    first_choice,
    read_content,
    read_finish,
    read_thoughts,
    read_usage,
)
from providers.openai_family.request import build_chat_request
from providers.request import EndpointConfig, GenerationRequest, HttpRequest


class OpenAIFamilyAdapter(BaseStreamAdapter):
    """Chat completions.

    A raw chunk is a provider's own chunk, or one the decoder assembled in the same shape.
    """

    replays_reasoning: ClassVar[bool] = False

    def build_request(self, request: GenerationRequest, endpoint: EndpointConfig) -> HttpRequest:
        """Return the streaming HTTP request. Raises ValueError for an address that cannot be used."""
        return build_chat_request(request, endpoint)

    def decoder(self) -> Decoder:
        """Return a fresh decoder for one response body."""
        return ChatDecoder(self.kind, replays_reasoning=self.replays_reasoning)

    def process_chunk(self, raw: RawStreamChunk) -> ProcessedChunk:
        """Return exactly one processed chunk: an error, a call, what was said, or the end. Pure."""
        data = raw.data
        if not isinstance(data, dict):
            return ProcessedChunk(type="text")
        if "error" in data or "choices" not in data:
            error = find_error(data)
            if error is not None:
                failure = self.handle_provider_error(InBandFailure(payload=error))
                return ProcessedChunk(type="error", error=failure, metadata=_metadata(data))
        choice = first_choice(data) or {}
        delta = choice.get("delta")
        delta = delta if isinstance(delta, dict) else {}
        if calls := delta.get("tool_calls"):
            return ProcessedChunk(type="function_call", function_call=_function_call(calls[0]))
        said = _said(data, delta)
        if said.content or said.thoughts or not (choice.get("finish_reason") or "stream_end" in data):
            return said
        return self._ended(data)

    def handle_provider_error(self, failure: Failure) -> ProviderError:
        """Classify by status, then by exact code."""
        return classify(failure)

    def create_error_description(self, error: ProviderError) -> str:
        """Say in plain words what happened and what to do."""
        return describe(error)

    def _ended(self, data: Mapping[str, Any]) -> ProcessedChunk:
        """The end, unless the finish reason says that the provider failed or filtered the answer."""
        end = data.get("stream_end")
        end = end if isinstance(end, dict) else {}
        metadata = _metadata(data)
        finish = metadata.finish_reason
        failure = _failure_of(finish, metadata.raw_finish_reason or "", str(end.get("refusal") or ""))
        if failure is not None:
            return ProcessedChunk(type="error", error=failure, metadata=metadata)
        if finish is None or (end.get("calls") and finish is FinishReason.STOP):
            finish = FinishReason.TOOL_CALLS if end.get("calls") else FinishReason.STOP
            metadata = replace(metadata, finish_reason=finish)
        provider = data.get("provider")
        serving = provider if isinstance(provider, str) and provider else None
        return ProcessedChunk(type="done", metadata=metadata, serving_provider=serving)


def _said(data: Mapping[str, Any], delta: Mapping[str, Any]) -> ProcessedChunk:
    provider = data.get("provider")
    content = delta.get("content")
    return ProcessedChunk(
        type="text",
        content=content if isinstance(content, str) else read_content(content),
        thoughts=read_thoughts(delta),
        serving_provider=provider if isinstance(provider, str) and provider else None,
    )


def _metadata(data: Mapping[str, Any]) -> ChunkMetadata:
    choice = first_choice(data) or {}
    word = choice.get("finish_reason")
    word = word if isinstance(word, str) and word else None
    usage = data.get("usage")
    texts = {key: data[key] for key in ("id", "model") if isinstance(data.get(key), str) and data[key]}
    return ChunkMetadata(
        finish_reason=read_finish(word),
        raw_finish_reason=word,
        usage=read_usage(usage) if isinstance(usage, dict) else None,
        response_id=texts.get("id"),
        response_model=texts.get("model"),
    )


def _failure_of(finish: FinishReason | None, word: str, refusal: str) -> ProviderError | None:
    if refusal:
        return ProviderError(type="content_blocked", code="refusal", message=refusal[:2000])
    if finish is FinishReason.CONTENT_FILTER:
        text = "The provider's content filter stopped the answer."
        return ProviderError(type="content_blocked", code=word, message=text)
    if finish is not FinishReason.ERROR:
        return None
    if word == "error":
        return ProviderError(
            type="api_error", code=word, message="The provider ended the answer with an error."
        )
    text = f"The provider ran out of resources and ended the answer ({word})."
    return ProviderError(type="provider_overloaded", code=word, message=text, retryable=True)


def _function_call(entry: Mapping[str, Any]) -> FunctionCall:
    function = entry.get("function") or {}
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        arguments = msgspec.json.encode(arguments).decode()
    raw = arguments if isinstance(arguments, str) else ""
    args, truncated = read_arguments(raw)
    details = entry.get("reasoning_details")
    return FunctionCall(
        name=function.get("name") or "",
        args=args,
        id=entry.get("id") or "",
        args_raw=raw,
        args_truncated=truncated or bool(entry.get("truncated")),
        thought_signature=_signature(entry),
        reasoning_details=tuple(details) if isinstance(details, list) else (),
        deepseek_reasoning_content=entry.get("reasoning_content") or None,
    )


def _signature(entry: Mapping[str, Any]) -> str | None:
    extra = entry.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    value = google.get("thought_signature") if isinstance(google, dict) else entry.get("thought_signature")
    return value if isinstance(value, str) and value else None
