"""What a server's settings come to: which model answers, and which clock limit holds and why."""

from dataclasses import dataclass

from django.conf import settings
from django.forms import BaseForm, BoundField

from streamhub.catalog.models import LanguageModel
from streamhub.catalog.selectors import ClockLimit, ClockLimits, clock_limits
from streamhub.servers.capabilities import BY_NAME, Group, family_of, is_exposed
from streamhub.servers.models import Server, ServerCapabilities
from streamhub.servers.selectors import Setting, settings_of


@dataclass(frozen=True, slots=True)
class ClockRow:
    """A clock on the settings page: its field, the limit without the server's own, and the one in force."""

    field: BoundField
    words: str
    inherited: ClockLimit
    in_force: ClockLimit

    @property
    def inherited_from(self) -> str:
        """Whose limit the inherited one is, in words."""
        source = self.inherited.source
        return "default" if source.startswith("setting ") else source


@dataclass(frozen=True, slots=True)
class Part:
    """A panel of switches; tool families stand in a block of their own below the tools."""

    key: Group
    label: str
    what: str
    settings: list[Setting]
    families: list[Setting]


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool of the server, and which switch hides it from turns, if one does."""

    name: str
    hidden_by: str

    @property
    def exposed(self) -> bool:
        """Whether a turn may see it."""
        return not self.hidden_by


PARTS: tuple[tuple[Group, str, str], ...] = (
    ("guards", "Guards on the text", "What may reach the chat"),
    ("tools", "Tools", "What a turn may call"),
    ("record", "Thoughts", "What is kept of the model's side"),
    ("prompt", "Manners", "How the bot behaves in chat"),
)


def parts_of(server: Server) -> list[Part]:
    """Return the switches of a server by panel; a panel without any is left out."""
    groups = settings_of(server)
    families = groups.get("families", [])
    return [
        Part(key, label, what, groups[key], families if key == "tools" else [])
        for key, label, what in PARTS
        if key in groups
    ]


def tool_views(server: Server) -> list[ToolView]:
    """Return the server's tools with what its switches make of them."""
    names = [tool["function"]["name"] for tool in server.tools]
    return [ToolView(name, _hidden_by(name, server.capabilities)) for name in names]


def _hidden_by(tool: str, capabilities: ServerCapabilities) -> str:
    if is_exposed(tool, capabilities):
        return ""
    switch = family_of(tool) if capabilities.tool_use else "tool_use"
    return BY_NAME[switch or "tool_use"].label


def answering_model(server: Server) -> LanguageModel | None:
    """Return the server's first choice, whether it can answer or not."""
    routes = server.routes.filter(channel=None, position=0).select_related("model__endpoint")
    route = routes.first()
    return route.model if route else None


def clock_rows(server: Server, model: LanguageModel | None, form: BaseForm) -> list[ClockRow]:
    """Return the clocks of a server as its page shows them."""
    inherited = clock_limits(model, None) if model else _installation()
    first, idle = server.first_token_seconds, server.idle_seconds
    return [
        ClockRow(
            form["first_token_seconds"],
            "From sending the request to the first text, thought or tool call.",
            inherited.first_token,
            _own(first) or inherited.first_token,
        ),
        ClockRow(
            form["idle_seconds"],
            "Between two pieces of progress. Keep-alives do not count.",
            inherited.idle,
            _own(idle) or inherited.idle,
        ),
    ]


def _own(seconds: int | None) -> ClockLimit | None:
    return ClockLimit(float(seconds), "set here") if seconds is not None else None


def _installation() -> ClockLimits:
    return ClockLimits(
        first_token=ClockLimit(settings.STREAM_FIRST_TOKEN_TIMEOUT_MS / 1000, "default"),
        idle=ClockLimit(settings.STREAM_SDK_CALL_TIMEOUT_MS / 1000, "default"),
    )
