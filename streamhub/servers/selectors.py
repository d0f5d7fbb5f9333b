"""What the settings pages read: each capability with its value, its default and who changed it last."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, QuerySet

from streamhub.audit.models import AuditEntry
from streamhub.servers.capabilities import BY_NAME, CAPABILITIES, Capability, Group
from streamhub.servers.models import Server, ServerCapabilities, ThoughtLogLevel


@dataclass(frozen=True, slots=True)
class Change:
    """The last change of a capability: when, by whom, and the value before it, to which undo goes back."""

    at: datetime
    actor_id: int | None
    actor_label: str
    before: bool | str


@dataclass(frozen=True, slots=True)
class Setting:
    """A capability of one server, as the page shows it."""

    capability: Capability
    value: bool | str
    change: Change | None

    @property
    def differs(self) -> bool:
        """Whether the value is not the default."""
        return self.value != self.capability.default

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off, rather than one of several."""
        return isinstance(self.capability.default, bool)

    @property
    def word(self) -> str:
        """The value as a word."""
        return word_of(self.value)

    @property
    def default_word(self) -> str:
        """The default as a word."""
        return word_of(self.capability.default)

    @property
    def undo_word(self) -> str:
        """The value that undo goes back to as a word, or nothing where there is nothing to undo."""
        return word_of(self.change.before) if self.change and self.change.before != self.value else ""

    @property
    def undo_value(self) -> str:
        """The value that undo goes back to, as its form sends it."""
        before = self.change.before if self.change else ""
        return before if isinstance(before, str) else "on" if before else ""


def word_of(value: bool | str) -> str:
    """Return a capability's value as a word: on, off, or the name of the choice."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ThoughtLogLevel(value).label.lower()


def settings_of(server: Server) -> dict[Group, list[Setting]]:
    """Return every capability of a server by the part of the page it stands in."""
    changes = _last_changes(server.capabilities, BY_NAME)
    grouped: dict[Group, list[Setting]] = {}
    for capability in CAPABILITIES:
        value = getattr(server.capabilities, capability.name)
        setting = Setting(capability, value, changes.get(capability.name))
        grouped.setdefault(capability.group, []).append(setting)
    return grouped


def setting_of(server: Server, name: str) -> Setting:
    """Return one capability of a server. Raises KeyError."""
    changes = _last_changes(server.capabilities, [name])
    return Setting(BY_NAME[name], getattr(server.capabilities, name), changes.get(name))


def differing(server: Server) -> int:
    """Return how many capabilities of a server are not at their default."""
    row = server.capabilities
    return sum(getattr(row, capability.name) != capability.default for capability in CAPABILITIES)


def with_channel_counts(servers: QuerySet[Server]) -> QuerySet[Server]:
    """Annotate servers with `channel_count`."""
    return servers.annotate(channel_count=Count("channels"))


def _last_changes(row: ServerCapabilities, names: Iterable[str]) -> dict[str, Change]:
    """One look at the audit index for all of them: the newest entry of each action on this row."""
    target = f"{row._meta.label_lower}:{row.pk}"
    actions = {f"switched {name}": name for name in names}
    entries = AuditEntry.objects.filter(target=target, action__in=actions).order_by()
    newest = entries.values("action").annotate(newest=Max("pk")).values("newest")
    return {actions[entry.action]: _change(entry) for entry in AuditEntry.objects.filter(pk__in=newest)}


def _change(entry: AuditEntry) -> Change:
    before = next(iter((entry.before or {}).values()), False)
    return Change(entry.at, entry.actor_id, entry.actor_label, before)
