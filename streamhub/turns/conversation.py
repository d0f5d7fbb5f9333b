"""From a turn's stored request to what a model gets: instructions, history, the tools that are switched on."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from providers.request import ImagePart, Message, Part, TextPart, Tool, ToolCallPart
from streamhub.servers.capabilities import is_exposed
from streamhub.servers.models import Server, ServerCapabilities
from streamhub.turns.models import Source, Turn, TurnChunk
from streamhub.turns.state import Status

HISTORY_TURNS = 10
HISTORY_CHARS = 20_000
_ANSWERED = (Status.COMPLETED, Status.KILLED)


def messages_of(turn: Turn) -> tuple[Message, ...]:
    """Return what the model reads: the server's instructions, earlier turns of the channel, then the request.

    An API client sends its own history; only turns from the console are given the channel's.
    """
    earlier = history_of(turn) if turn.source == Source.CONSOLE else []
    asked = [message_of(raw) for raw in turn.request.get("messages", [])]
    system = system_text(turn.server, turn.server.capabilities, now=turn.claimed_at or turn.created_at)
    lead = [Message(role="system", parts=(TextPart(text=system),))] if system else []
    return (*lead, *earlier, *asked)


def system_text(server: Server, capabilities: ServerCapabilities, *, now: datetime) -> str:
    """Return the server's instructions with what its capabilities add to them."""
    lines = [server.instructions.strip()]
    if server.persona:
        lines.append(f"You answer as {server.persona}.")
    if capabilities.time_awareness:
        lines.append(f"It is {timezone.localtime(now):%A, %d %B %Y, %H:%M (%Z)}.")
    if not capabilities.emoji_usage:
        lines.append("Answer without emoji.")
    return "\n".join(line for line in lines if line)


def history_of(turn: Turn) -> list[Message]:
    """Return the last turns of the channel as user and assistant messages, newest last, within `HISTORY_CHARS`."""
    before = Turn.objects.filter(
        channel_id=turn.channel_id, status__in=_ANSWERED, created_at__lt=turn.created_at, text_chars__gt=0
    )
    recent = _within(HISTORY_CHARS, before.order_by("-created_at")[:HISTORY_TURNS])
    texts = _texts_of(earlier.pk for earlier in recent)
    messages: list[Message] = []
    for earlier in reversed(recent):
        messages += [message_of(raw) for raw in earlier.request.get("messages", [])]
        messages.append(Message(role="assistant", parts=(TextPart(text=texts.get(earlier.pk, "")),)))
    return messages


def _within(room: int, turns: Iterable[Turn]) -> list[Turn]:
    """Return the first turns whose questions and answers fit into `room` characters, before any text is read."""
    fitting: list[Turn] = []
    for turn in turns:
        asked = (raw.get("content") for raw in turn.request.get("messages", []))
        room -= turn.text_chars + sum(len(content) for content in asked if isinstance(content, str))
        if room < 0:
            break
        fitting.append(turn)
    return fitting


def tools_of(turn: Turn, *, model_has_tools: bool) -> tuple[Tool, ...]:
    """Return the tools a turn may call: the request's and the server's, as far as the capabilities expose them."""
    if not model_has_tools:
        return ()
    offered = [*turn.request.get("tools", []), *turn.server.tools]
    tools = {tool.name: tool for tool in map(tool_of, reversed(offered))}
    return tuple(tool for tool in reversed(tools.values()) if is_exposed(tool.name, turn.server.capabilities))


def tool_of(raw: Mapping[str, Any]) -> Tool:
    """Read a tool in the OpenAI shape."""
    function = raw["function"]
    return Tool(
        name=function["name"],
        description=function.get("description") or "",
        parameters=function.get("parameters") or {"type": "object", "properties": {}},
    )


def message_of(raw: Mapping[str, Any]) -> Message:
    """Read a message in the OpenAI shape."""
    return Message(
        role=raw["role"],
        parts=tuple(_parts_of(raw.get("content"))),
        tool_calls=tuple(_call_of(call) for call in raw.get("tool_calls") or ()),
        tool_call_id=raw.get("tool_call_id") or "",
        name=raw.get("name") or "",
    )


def _parts_of(content: str | Sequence[Mapping[str, Any]] | None) -> Iterable[Part]:
    if isinstance(content, str):
        return [TextPart(text=content)]
    return [
        ImagePart(url=part["image_url"]["url"])
        if part["type"] == "image_url"
        else TextPart(text=part["text"])
        for part in content or ()
    ]


def _call_of(call: Mapping[str, Any]) -> ToolCallPart:
    return ToolCallPart(id=call["id"], name=call["function"]["name"], args_json=call["function"]["arguments"])


def _texts_of(turn_ids: Iterable[Any]) -> dict[Any, str]:
    """Return the visible text of some turns, in one query."""
    texts: dict[Any, str] = {}
    spans = TurnChunk.objects.filter(turn_id__in=list(turn_ids)).order_by("turn_id", "first_seq")
    for turn_id, chunks in spans.values_list("turn_id", "chunks"):
        texts[turn_id] = texts.get(turn_id, "") + "".join(chunk.get("content", "") for _, chunk in chunks)
    return texts
