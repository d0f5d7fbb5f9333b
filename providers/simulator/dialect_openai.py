"""OpenAI chat completions: server-sent events, one JSON object each, `[DONE]` at the end."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from providers.simulator.dialect import BadRequest, ChatRequest, ToolOffer
from providers.simulator.steps import (
    CallArguments,
    CallStart,
    Comment,
    EndMarker,
    Finish,
    InBandError,
    Raw,
    Reasoning,
    Refuse,
    Step,
    Text,
)

CHARS_PER_TOKEN: Final = 4  # a rule of thumb is enough: nobody is billed here
to_json = msgspec.json.Encoder().encode


class OpenAIDialect:
    """The dialect of POST /chat/completions."""

    stream_type: str = "text/event-stream; charset=utf-8"

    def parse(self, body: bytes) -> ChatRequest:
        """Return the request. Raises BadRequest for anything that is not a chat completion request."""
        try:
            payload = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadRequest(f"the body is not JSON: {error}") from None
        if not isinstance(payload, dict) or not isinstance(payload.get("model"), str):
            raise BadRequest("you must provide a model parameter")
        messages = payload.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            raise BadRequest("messages must be a list of objects")
        return _chat_request(payload, messages)

    def reply(self, request: ChatRequest, *, number: int, created: int) -> "OpenAIReply":
        """Return a fresh answer to `request`."""
        return OpenAIReply(request, number=number, created=created)

    def refusal(self, refuse: Refuse) -> bytes:
        """Return the error object that goes with a status of 400 or above."""
        return to_json({"error": _error(refuse.message, refuse.type, refuse.code)})

    def models(self, ids: Sequence[str]) -> bytes:
        """Return the list of models, in the order given."""
        rows = [{"id": name, "object": "model", "created": 0, "owned_by": "simulator"} for name in ids]
        return to_json({"object": "list", "data": rows})


class OpenAIReply:
    """One answer: its id, its model, and how much it has said, for the usage at the end."""

    def __init__(self, request: ChatRequest, *, number: int, created: int) -> None:
        self._request = request
        self._head = {"id": f"chatcmpl-sim-{number}", "created": created, "model": request.model}
        self._text_chars = 0
        self._reasoning_chars = 0
        self._greeted = False

    def encode(self, step: Step) -> bytes:
        """Return the events of one step."""
        self._count(step)
        match step:
            case Comment(text):
                return f": {text}\n\n".encode()
            case Raw(data):
                return data
            case Finish(reason):
                return self._greeting() + self._choice({}, reason)
            case EndMarker():
                return self._usage_event() + b"data: [DONE]\n\n"
            case InBandError(message, code, kind):
                return _event({"error": _error(message, kind, code)})
        delta = _delta(step)
        return b"" if delta is None else self._greeting() + self._choice(delta, None)

    def whole(self, steps: Sequence[Step]) -> bytes:
        """Return a chat completion that says all of `steps` at once, or the error object among them."""
        for step in steps:
            self._count(step)
            if isinstance(step, InBandError):
                return to_json({"error": _error(step.message, step.type, step.code)})
        choice = {"index": 0, "message": _message(steps), "finish_reason": _finish_reason(steps)}
        return to_json(
            {**self._head, "object": "chat.completion", "choices": [choice], "usage": self._usage()}
        )

    def _greeting(self) -> bytes:
        """Return the first delta, which has the role and nothing else, once."""
        if self._greeted:
            return b""
        self._greeted = True
        return self._choice({"role": "assistant", "content": ""}, None)

    def _choice(self, delta: Mapping[str, Any], reason: str | None) -> bytes:
        return self._chunk([{"index": 0, "delta": delta, "finish_reason": reason}])

    def _chunk(self, choices: list[dict[str, Any]], **more: Any) -> bytes:
        return _event({**self._head, "object": "chat.completion.chunk", "choices": choices, **more})

    def _usage_event(self) -> bytes:
        return self._chunk([], usage=self._usage()) if self._request.include_usage else b""

    def _count(self, step: Step) -> None:
        match step:
            case Text(text) | CallArguments(_, text):
                self._text_chars += len(text)
            case Reasoning(text, _):
                self._reasoning_chars += len(text)

    def _usage(self) -> dict[str, Any]:
        prompt = _tokens(len(self._request.last_user_text))
        reasoning = _tokens(self._reasoning_chars)
        completion = _tokens(self._text_chars) + reasoning
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "completion_tokens_details": {"reasoning_tokens": reasoning},
        }


def _event(payload: Mapping[str, Any]) -> bytes:
    return b"data: " + to_json(payload) + b"\n\n"


def _error(message: str, kind: str, code: str) -> dict[str, Any]:
    return {"message": message, "type": kind, "param": None, "code": code or None}


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def _delta(step: Step) -> dict[str, Any] | None:
    match step:
        case Text(text):
            return {"content": text}
        case Reasoning(text, "reasoning_details"):
            return {"content": "", "reasoning_details": [_detail(text)]}
        case Reasoning(text, "openrouter"):
            return {"content": "", "reasoning": text, "reasoning_details": [_detail(text)]}
        case Reasoning(text, name):
            return {"content": None, name: text}
        case CallStart(index, call_id, name):
            function = {"name": name, "arguments": ""}
            return {"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]}
        case CallArguments(index, fragment):
            return {"tool_calls": [{"index": index, "function": {"arguments": fragment}}]}
    return None


def _detail(text: str) -> dict[str, Any]:
    return {"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}


def _message(steps: Sequence[Step]) -> dict[str, Any]:
    """Put the deltas of `steps` together into the message of a whole answer."""
    text = "".join(step.text for step in steps if isinstance(step, Text))
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    for step in steps:
        match step:
            case Reasoning(text, "reasoning_details" | "openrouter"):
                message["reasoning"] = message.get("reasoning", "") + text
            case Reasoning(text, name):
                message[name] = message.get(name, "") + text
            case CallStart(_, call_id, name):
                call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
                message.setdefault("tool_calls", []).append(call)
            case CallArguments(index, fragment):
                message["tool_calls"][index]["function"]["arguments"] += fragment
    return message


def _finish_reason(steps: Sequence[Step]) -> str | None:
    return next((step.reason for step in steps if isinstance(step, Finish)), None)


def _chat_request(payload: dict[str, Any], messages: list[dict[str, Any]]) -> ChatRequest:
    options = payload.get("stream_options")
    last = messages[-1] if messages else {}
    asked = [message for message in messages if message.get("role") == "user"]
    return ChatRequest(
        model=payload["model"],
        stream=payload.get("stream") is True,
        include_usage=isinstance(options, dict) and options.get("include_usage") is True,
        tools=_tools(payload.get("tools")),
        last_user_text=_plain(asked[-1].get("content")) if asked else "",
        tool_result=_plain(last.get("content")) if last.get("role") == "tool" else None,
    )


def _tools(value: object) -> tuple[ToolOffer, ...]:
    offers: list[ToolOffer] = []
    for tool in value if isinstance(value, list) else ():
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            schema = function.get("parameters")
            offers.append(
                ToolOffer(name=function["name"], parameters=schema if isinstance(schema, dict) else {})
            )
    return tuple(offers)


def _plain(content: object) -> str:
    """Return the text of a message's content, which is a string or a list of typed parts."""
    if isinstance(content, list):
        return "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return content if isinstance(content, str) else ""
