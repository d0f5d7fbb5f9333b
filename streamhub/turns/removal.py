"""Deleting a server or channel. A person kills its live turns first: a deletion is never a hidden kill."""

from django.db import transaction
from django.db.models import QuerySet

from streamhub.accounts.models import User
from streamhub.servers import services
from streamhub.servers.models import Channel, Server
from streamhub.turns.models import Turn
from streamhub.turns.state import LIVE


class StillLive(Exception):
    """Turns run or wait there; the message says how many and what to do."""


@transaction.atomic
def remove_server(server: Server, *, actor: User | None) -> None:
    """Delete a server and its record. Raises StillLive. The row lock keeps a turn from starting meanwhile."""
    Server.objects.select_for_update().get(pk=server.pk)
    _refuse_live(Turn.objects.filter(server=server), str(server))
    services.delete_server(server, actor=actor)


@transaction.atomic
def remove_channel(channel: Channel, *, actor: User | None) -> None:
    """Delete a channel and its record. Raises StillLive."""
    Channel.objects.select_for_update().get(pk=channel.pk)
    _refuse_live(Turn.objects.filter(channel=channel), str(channel))
    services.delete_channel(channel, actor=actor)


def _refuse_live(turns: QuerySet[Turn], where: str) -> None:
    live = turns.filter(status__in=LIVE).count()
    if live:
        words = "1 turn runs or waits" if live == 1 else f"{live} turns run or wait"
        raise StillLive(f"{words} in {where}. Kill {'it' if live == 1 else 'them'} first, then delete.")
