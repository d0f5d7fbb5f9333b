"""What people do to a server: create, rename, delete, its channels, its switches and its settings.

Each act is audited in its own transaction. All raise ValidationError with messages by field. Whether turns
still run is asked above, in `turns.removal`, since this package knows nothing of turns.
"""

from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import IntegrityError, models, transaction
from django.utils.text import slugify

from streamhub.accounts.models import User
from streamhub.audit.services import record
from streamhub.servers.capabilities import BY_NAME
from streamhub.servers.models import Channel, Server, ServerCapabilities, ThoughtLogLevel

RESERVED_SLUGS = frozenset({"new"})  # /servers/new/ is the page that makes one


@transaction.atomic
def create_server(*, name: str, actor: User | None, **fields: Any) -> Server:
    """Return a new server with every capability at its default. Its address is made from its name, once."""
    server = Server(name=name.strip(), slug=_free_slug(name), **fields)
    _save(server, telling="name")
    ServerCapabilities.objects.create(server=server)
    record(actor, "created", server, server_id=server.pk, after={"name": server.name})
    return server


def rename_server(server: Server, *, name: str, actor: User | None) -> bool:
    """Change a server's name, not its address; return whether it differed."""
    return _change(server, {"name": name.strip()}, actor, action="renamed", server_id=server.pk)


@transaction.atomic
def delete_server(server: Server, *, actor: User | None) -> None:
    """Delete a server with its channels and all that was recorded of them. Its audit entries stay."""
    record(actor, "deleted", server, server_id=server.pk, before={"name": server.name, "slug": server.slug})
    server.delete()


@transaction.atomic
def create_channel(server: Server, *, name: str, actor: User | None) -> Channel:
    """Return a new channel; a leading # is how people write it, not part of its name."""
    channel = Channel(server=server, name=_channel_name(name))
    _save(channel, telling="name")
    record(actor, "created", channel, server_id=server.pk, after={"name": channel.name})
    return channel


def rename_channel(channel: Channel, *, name: str, actor: User | None) -> bool:
    """Change a channel's name; return whether it differed."""
    values = {"name": _channel_name(name)}
    return _change(channel, values, actor, action="renamed", server_id=channel.server_id)


@transaction.atomic
def delete_channel(channel: Channel, *, actor: User | None) -> None:
    """Delete a channel and all that was recorded of it."""
    record(actor, "deleted", channel, server_id=channel.server_id, before={"name": channel.name})
    channel.delete()


def set_capability(server: Server, name: str, value: bool | str, *, actor: User | None) -> bool:
    """Set a switch or choice of a server from its next turn on; return whether that was a change.

    Raises KeyError for a capability that the table does not have.
    """
    capability = BY_NAME[name]
    if isinstance(capability.default, bool):
        value = bool(value)
    elif value not in ThoughtLogLevel.values:
        raise ValidationError({name: f"{capability.label} is one of {', '.join(ThoughtLogLevel.values)}."})
    row = server.capabilities
    return _change(row, {name: value}, actor, action=f"switched {name}", server_id=server.pk)


def update_server(server: Server, *, actor: User | None, action: str = "changed", **values: Any) -> bool:
    """Change persona, instructions, tools or clocks of a server; return whether anything differed."""
    return _change(server, values, actor, action=action, server_id=server.pk)


@transaction.atomic
def _change(
    row: models.Model, values: dict[str, Any], actor: User | None, *, action: str, server_id: int
) -> bool:
    """Write only what differs from the stored row, which is locked: two people may switch at once."""
    stored = type(row)._default_manager.select_for_update().get(pk=row.pk)
    before = {name: getattr(stored, name) for name in values}
    changed = [name for name in values if before[name] != values[name]]
    _assign(row, before | {name: values[name] for name in changed})
    if not changed:
        return False
    try:
        _save(row, telling=changed[0], only=changed)
    except ValidationError:
        _assign(row, before)
        raise
    was, now = {name: before[name] for name in changed}, {name: values[name] for name in changed}
    record(actor, action, row, server_id=server_id, before=was, after=now)
    return True


def _assign(row: models.Model, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _save(row: models.Model, *, telling: str, only: list[str] | None = None) -> None:
    """Check and save; an error of the whole row is shown beside the field `telling`."""
    try:
        row.full_clean()
        with transaction.atomic():
            row.save(update_fields=only)
    except ValidationError as error:
        errors = error.message_dict
        for message in errors.pop(NON_FIELD_ERRORS, []):
            errors.setdefault(telling, []).append(message)
        raise ValidationError(errors) from None
    except IntegrityError:
        raise ValidationError({telling: "Somebody saved one of this name a moment ago."}) from None


def _channel_name(name: str) -> str:
    return name.strip().removeprefix("#").strip()


def _free_slug(name: str) -> str:
    """Return an address that no server has: from the name, with a number where that one is taken."""
    stem = slugify(name)[:70] or "server"
    taken = {*RESERVED_SLUGS, *Server.objects.filter(slug__startswith=stem).values_list("slug", flat=True)}
    free = (slug for slug in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if slug not in taken)
    return next(free)
