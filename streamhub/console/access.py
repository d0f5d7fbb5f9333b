"""The console's doors: what a person may not see is a 404, what they may not do is a 403."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from streamhub.servers.access import is_owner, visible_servers
from streamhub.servers.models import Channel, Server
from streamhub.turns.models import Turn

type View = Callable[..., HttpResponse]


def owner_only(view: View) -> View:
    """Refuse everybody but owners; for pages about what all servers share."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_owner(request.user):
            raise PermissionDenied("Only an owner may open this page.")
        return view(request, *args, **kwargs)

    return checked


def server_or_404(request: HttpRequest, slug: str) -> Server:
    """Return a server that the person may see. Raises Http404."""
    return get_object_or_404(visible_servers(request.user), slug=slug)


def channel_or_404(request: HttpRequest, channel_id: int) -> Channel:
    """Return a channel of a server that the person may see, with the server. Raises Http404."""
    channels = Channel.objects.select_related("server").filter(server__in=visible_servers(request.user))
    return get_object_or_404(channels, pk=channel_id)


def turn_or_404(request: HttpRequest, turn_id: UUID) -> Turn:
    """Return a turn of a server that the person may see, with its channel and server. Raises Http404."""
    turns = Turn.objects.select_related("channel", "server").filter(server__in=visible_servers(request.user))
    return get_object_or_404(turns, pk=turn_id)
