"""GenerationRequest to the HTTP request of a streamed chat completion."""

from collections.abc import Mapping
from typing import Any

import msgspec

from providers.request import (
    EndpointConfig,
    GenerationRequest,
    HttpRequest,
    ImagePart,
    Message,
    TextPart,
    Tool,
)
from providers.urls import join_url

_PLACEHOLDER_KEYS = frozenset({"", "none", "null", "no-key", "not-needed", "dummy"})


def build_chat_request(request: GenerationRequest, endpoint: EndpointConfig) -> HttpRequest:
    """Return the request. Raises ValueError for an address that cannot be used."""
    return HttpRequest(
        method="POST",
        url=join_url(endpoint.base_url, "chat/completions"),
        headers=request_headers(endpoint),
        body=msgspec.json.encode(build_body(request)),
    )


def request_headers(endpoint: EndpointConfig) -> dict[str, str]:
    """Return the headers; an endpoint's own headers win.

    `identity`, because a compressing proxy buffers streams.
    """
    headers = {
        "Content-Type": "application/json",
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",
    }
    key = endpoint.api_key.strip()
    if key.lower() not in _PLACEHOLDER_KEYS:
        headers["Authorization"] = f"Bearer {key}"
    own = {name.lower() for name in endpoint.headers}
    return {name: value for name, value in headers.items() if name.lower() not in own} | dict(
        endpoint.headers
    )


def build_body(request: GenerationRequest) -> dict[str, Any]:
    """Return the JSON body: what the turn asks for, then `extra` over it, then `drop` out of it."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": build_messages(request),
        "stream": True,
        "stream_options": {"include_usage": True},
        **request.sampling,
    }
    if request.stop:
        body["stop"] = list(request.stop)
    if request.max_output_tokens is not None:
        body["max_tokens"] = request.max_output_tokens
    if request.thinking_level not in (None, "", "auto"):
        body["reasoning_effort"] = request.thinking_level
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if request.tool_choice is not None:
            body["tool_choice"] = request.tool_choice
    body.update(request.extra)
    return {key: value for key, value in body.items() if key not in request.drop}


def build_messages(request: GenerationRequest) -> list[dict[str, Any]]:
    """Return the messages.

    A prefill becomes the last, assistant, message unless the history ends with it already.
    """
    messages = [_message(message) for message in request.messages]
    if request.prefill and not _ends_with(messages, request.prefill):
        messages.append({"role": "assistant", "content": request.prefill})
    return messages


def _ends_with(messages: list[dict[str, Any]], prefill: str) -> bool:
    return (
        bool(messages) and messages[-1].get("role") == "assistant" and messages[-1].get("content") == prefill
    )


def _message(message: Message) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": message.role, "content": _content(message)}
    if message.name:
        entry["name"] = message.name
    if message.tool_call_id:
        entry["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        entry["content"] = entry["content"] or None
        entry["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.args_json or "{}"},
                **call.opaque,
            }
            for call in message.tool_calls
        ]
    return entry | dict(message.opaque)


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Text stays a string, which every server takes; only images need the list form."""
    if not any(isinstance(part, ImagePart) for part in message.parts):
        return "".join(part.text for part in message.parts if isinstance(part, TextPart))
    return [
        {"type": "text", "text": part.text}
        if isinstance(part, TextPart)
        else {"type": "image_url", "image_url": {"url": part.url}}
        for part in message.parts
    ]


def _tool(tool: Tool) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name, "parameters": _schema(tool.parameters)}
    if tool.description:
        function["description"] = tool.description
    return {"type": "function", "function": function}


def _schema(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    return parameters or {"type": "object", "properties": {}}
