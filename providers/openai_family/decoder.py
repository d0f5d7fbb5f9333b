"""One streamed chat completion: bytes to raw chunks.

A chunk with text or reasoning passes at once. Tool-call fragments are held until the turn has ended, because
only the finish reason tells whether the last call is whole. The end is one raw chunk with the finish reason
and the last usage, however many chunks the provider spread them over.
"""

from collections.abc import Mapping
from typing import Any

from providers.assembly import PartialCall, ToolCallAssembler
from providers.chunks import FinishReason, RawStreamChunk
from providers.error_payload import find_error
from providers.errors import ProviderError
from providers.failures import ended_without_a_word
from providers.openai_family.reading import REASONING_KEYS, find_usage, first_choice, read_finish
from providers.openai_family.replay import ReplayFields
from providers.wire.payload import UNREADABLE, parse_event
from providers.wire.sse import MAX_EVENT_CHARS, SseDecoder, SseEvent

_MAX_MARKER_CHARS = 32
_IDENTITY_KEYS = ("id", "model")
_MAX_REFUSAL_CHARS = 64 * 1024
_SPOKEN_KEYS = ("content", *REASONING_KEYS)


class ChatDecoder:
    """See `providers.adapter.Decoder`.

    `replays_reasoning` keeps reasoning_content for the replay of a tool call.
    """

    def __init__(
        self, provider: str, *, replays_reasoning: bool = False, max_event_chars: int = MAX_EVENT_CHARS
    ) -> None:
        self.progress = 0
        self.finishing = False
        self._provider = provider
        self._sse = SseDecoder(max_event_chars)
        self._calls = ToolCallAssembler()
        self._replay = ReplayFields(replays_reasoning)
        self._ended = False
        self._saw_delta = False
        self._malformed = 0
        self._finish: str | None = None
        self._usage: Mapping[str, Any] | None = None
        self._refusal = ""
        self._identity: dict[str, Any] = {}

    def feed(self, data: bytes) -> list[RawStreamChunk]:
        """Return the raw chunks that `data` completed; nothing after the end."""
        return [] if self._ended else self._take(self._sse.feed(data))

    def finish(self) -> list[RawStreamChunk]:
        """The body ended. Without a finish reason or an end marker the turn is incomplete."""
        if self._ended:
            return []
        out = self._take(self._sse.finish())
        if not self._ended:
            if self._finish is None:
                self._fail(ended_without_a_word(), out)
            else:
                self._end(out)
        return out

    def _take(self, events: list[SseEvent]) -> list[RawStreamChunk]:
        out: list[RawStreamChunk] = []
        for event in events:
            self._event(event, out)
            if self._ended:
                return out
        if self._sse.overflowed or self._calls.overflowed:
            self._fail(_too_large(), out)
        return out

    def _event(self, event: SseEvent, out: list[RawStreamChunk]) -> None:
        text = event.data
        if len(text) < _MAX_MARKER_CHARS and text.removeprefix("data:").strip() == "[DONE]":
            self._end(out)
            return
        for payload in parse_event(text):
            if payload is UNREADABLE:
                self._unreadable(event)
            elif isinstance(payload, dict):
                self._payload(payload, event.name == "error", out)
            elif (error := find_error(payload, is_error_event=event.name == "error")) is not None:
                self._fail(error, out)
            if self._ended:
                return

    def _unreadable(self, event: SseEvent) -> None:
        """Plain words are somebody's heartbeat; a broken object may have carried text."""
        if not event.stray and event.data.lstrip()[:1] in ("{", "["):
            self._malformed += 1

    def _payload(self, payload: dict[str, Any], is_error_event: bool, out: list[RawStreamChunk]) -> None:
        error = find_error(payload, is_error_event=is_error_event)
        self._note(payload)
        choice = first_choice(payload)
        if choice is not None:
            self._choice(payload, choice, out)
        if error is not None:
            self._fail(error, out)

    def _note(self, payload: Mapping[str, Any]) -> None:
        if len(self._identity) < len(_IDENTITY_KEYS):
            for key in _IDENTITY_KEYS:
                value = payload.get(key)
                if value and isinstance(value, str):
                    self._identity.setdefault(key, value)
        if payload.get("usage") or "x_groq" in payload:
            self._usage = find_usage(payload) or self._usage

    def _choice(
        self, payload: Mapping[str, Any], choice: Mapping[str, Any], out: list[RawStreamChunk]
    ) -> None:
        delta = self._delta_of(choice, payload)
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish
            self.finishing = True
        if "usage" in choice:
            self._usage = find_usage(payload) or self._usage
        if not delta:
            return
        if "tool_calls" in delta or "function_call" in delta:
            self._tool_fragments(delta)
        if (refusal := delta.get("refusal")) and isinstance(refusal, str):
            self._refusal = (self._refusal + refusal)[:_MAX_REFUSAL_CHARS]
            self.progress += 1
        reasons = any(map(delta.get, REASONING_KEYS))
        if reasons or delta.get("content"):
            self.progress += 1
            if reasons:
                self._replay.note(delta)
            out.append(RawStreamChunk(provider=self._provider, data=_spoken(payload, delta)))

    def _delta_of(self, choice: Mapping[str, Any], payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """A server that ignores `stream` sends `message`; beside deltas it is a running total, skipped."""
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._saw_delta = True
            return delta
        if self._saw_delta:
            return None
        message = choice.get("message")
        if isinstance(message, dict):
            return message
        return {"content": choice["text"]} if isinstance(choice.get("text"), str) else None

    def _tool_fragments(self, delta: Mapping[str, Any]) -> None:
        fragments = delta.get("tool_calls")
        if isinstance(fragments, list):
            for fragment in fragments:
                self.progress += self._calls.add(fragment)
        legacy = delta.get("function_call")
        if isinstance(legacy, dict):
            self.progress += self._calls.add({"index": 0, "function": legacy})

    def _end(self, out: list[RawStreamChunk]) -> None:
        if self._malformed:
            self._fail(_malformed(), out)
            return
        finish = read_finish(self._finish)
        cut = finish not in (None, FinishReason.STOP, FinishReason.TOOL_CALLS, FinishReason.OTHER)
        given = self._hand_out_calls(out, cut)
        self._close({"stream_end": {"calls": given, "refusal": self._refusal}}, out)

    def _fail(self, error: object, out: list[RawStreamChunk]) -> None:
        self._hand_out_calls(out, cut=True)
        self._close({"error": error or {"message": ""}}, out)

    def _close(self, data: dict[str, Any], out: list[RawStreamChunk]) -> None:
        self._ended = True
        choice = {"index": 0, "delta": {}, "finish_reason": self._finish}
        data = {**self._identity, "choices": [choice], "usage": self._usage, **data}
        out.append(RawStreamChunk(provider=self._provider, data=data))

    def _hand_out_calls(self, out: list[RawStreamChunk], cut: bool) -> int:
        """Append one raw chunk a call.

        Where the turn was cut, its last call is never handed out as complete.
        """
        calls = [call for call in self._calls.calls if call.name or call.pieces]
        seen: dict[str, int] = {}
        for number, call in enumerate(calls, start=1):
            truncated = not call.name or (cut and number == len(calls))
            entry = _entry(call, _unique(call.id, seen), truncated, self._replay.fields(first=number == 1))
            choice = {"index": 0, "delta": {"tool_calls": [entry]}, "finish_reason": None}
            out.append(RawStreamChunk(provider=self._provider, data={"choices": [choice]}))
        self._calls = ToolCallAssembler()
        return len(calls)


def _spoken(payload: Mapping[str, Any], delta: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the payload with nothing but what was said; most payloads are that already."""
    choices = payload["choices"]
    choice = choices[0]
    is_bare = len(choices) == 1 and choice.get("delta") is delta and not choice.get("finish_reason")
    if is_bare and "error" not in payload and "tool_calls" not in delta and "function_call" not in delta:
        return payload
    said = {key: delta[key] for key in _SPOKEN_KEYS if key in delta}
    return {
        "provider": payload.get("provider"),
        "choices": [{"index": 0, "delta": said, "finish_reason": None}],
    }


def _entry(call: PartialCall, call_id: str, truncated: bool, replay: Mapping[str, Any]) -> dict[str, Any]:
    arguments: Any = call.raw if call.arguments is None else call.arguments
    function = {"name": call.name.partition("<|")[0].strip(), "arguments": arguments}
    return {
        "id": call_id,
        "type": "function",
        "function": function,
        "truncated": truncated,
        **call.opaque,
        **replay,
    }


def _unique(call_id: str, seen: dict[str, int]) -> str:
    """Parallel calls that share an id (Z.ai) are told apart, or their results could not be."""
    seen[call_id] = count = seen.get(call_id, 0) + 1
    return f"{call_id}_{count}" if call_id and count > 1 else call_id


def _malformed() -> ProviderError:
    return ProviderError(
        type="incomplete",
        code="malformed_event",
        message="The provider sent an event that is not valid JSON; part of the answer may be missing.",
        retryable=True,
    )


def _too_large() -> ProviderError:
    return ProviderError(
        type="api_error",
        code="event_too_large",
        message="The provider sent more in one event or one tool call than StreamHub accepts.",
    )
