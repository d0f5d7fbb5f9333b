"""What each capability is called, what it does and where it stands on the page: the one table of them.

A capability that no code honours yet has no row here, so the console never shows a switch that does nothing.
"""

from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import Field

from streamhub.servers.models import ServerCapabilities

type Group = Literal["guards", "tools", "families", "prompt", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """A switch of a server: the column's name and the words an admin reads."""

    name: str
    label: str
    help: str
    group: Group

    @property
    def default(self) -> bool | str:
        """The value of a server that never changed it."""
        field: Field[Any, Any] = ServerCapabilities._meta.get_field(self.name)  # type: ignore[assignment]
        value: bool | str = field.get_default()
        return value


CAPABILITIES: tuple[Capability, ...] = (
    Capability(
        name="think_tag_guard",
        label="Think-tag guard",
        help="Moves <think> blocks and stray closing tags out of the reply, into the thought log.",
        group="guards",
    ),
    Capability(
        name="tool_use",
        label="Tool use",
        help="Master switch. Off hides every tool from the model, whatever is set below.",
        group="tools",
    ),
    Capability(
        name="verbatim_tool_calling",
        label="Verbatim tool calls",
        help='Recovers a call that the model writes as text, such as look_up_lore({"topic": "bridge"}).',
        group="tools",
    ),
    Capability(name="web_search", label="Web search", help="Tools that search the web.", group="families"),
    Capability(name="image_generation", label="Images", help="Tools that make images.", group="families"),
    Capability(name="video_generation", label="Video", help="Tools that make videos.", group="families"),
    Capability(name="voice_message", label="Voice messages", help="Tools that speak.", group="families"),
    Capability(name="sticker", label="Stickers", help="Tools that send stickers.", group="families"),
    Capability(
        name="message_management",
        label="Messages: edit, pin, delete",
        help="Tools that change messages.",
        group="families",
    ),
    Capability(name="thread_creation", label="Threads", help="Tools that open threads.", group="families"),
    Capability(
        name="user_blocking",
        label="Block users",
        help="Tools that block or unblock people.",
        group="families",
    ),
    Capability(
        name="emoji_usage",
        label="Emoji",
        help="Off asks the model to answer without emoji.",
        group="prompt",
    ),
    Capability(
        name="time_awareness",
        label="Time awareness",
        help="Tells the model the date and time at which the turn starts.",
        group="prompt",
    ),
    Capability(
        name="thought_log",
        label="Thought log",
        help="How much of the model's reasoning is kept and shown: nothing, summaries, or everything.",
        group="record",
    ),
)
BY_NAME = {capability.name: capability for capability in CAPABILITIES}

# Which words in a tool's name put it in a family. A tool that matches none is governed by `tool_use` alone.
TOOL_FAMILIES: dict[str, tuple[str, ...]] = {
    "web_search": ("web_search", "search_web", "browse"),
    "image_generation": ("image", "draw", "picture"),
    "video_generation": ("video",),
    "voice_message": ("voice", "speak"),
    "sticker": ("sticker",),
    "message_management": ("pin_message", "edit_message", "delete_message", "manage_message"),
    "thread_creation": ("thread",),
    "user_blocking": ("block_user", "unblock_user", "block_member"),
}


def family_of(tool_name: str) -> str | None:
    """Return the capability that governs a tool beside `tool_use`, or None."""
    lowered = tool_name.lower()
    for family, words in TOOL_FAMILIES.items():
        if any(word in lowered for word in words):
            return family
    return None


def is_exposed(tool_name: str, capabilities: ServerCapabilities) -> bool:
    """Tell whether a turn of this server may see the tool."""
    family = family_of(tool_name)
    return bool(capabilities.tool_use and (family is None or getattr(capabilities, family)))
