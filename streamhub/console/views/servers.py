"""The list of servers, and making and deleting servers and channels."""

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from streamhub.catalog.services import set_channel_model
from streamhub.console.access import channel_or_404, owner_only
from streamhub.console.counts import Live, live_by_server
from streamhub.console.forms.servers import ChannelForm, ChannelRouteForm, NewServerForm
from streamhub.console.people import person
from streamhub.console.replies import see
from streamhub.console.views.server_settings import operable, settings_page
from streamhub.servers import services
from streamhub.servers.access import is_owner, visible_servers
from streamhub.servers.models import Channel
from streamhub.servers.selectors import with_channel_counts
from streamhub.turns.removal import StillLive, remove_channel, remove_server


@require_safe
def servers(request: HttpRequest) -> HttpResponse:
    """List the servers with what runs in them."""
    live = live_by_server()
    rows = [
        {"server": server, "live": live.get(server.pk, Live())}
        for server in with_channel_counts(visible_servers(request.user))
    ]
    return render(request, "servers/list.html", {"rows": rows, "may_create": is_owner(request.user)})


@owner_only
@require_http_methods(["GET", "HEAD", "POST"])
def server_create(request: HttpRequest) -> HttpResponse:
    """Make a server."""
    form = NewServerForm(request.POST or None)
    if form.is_valid():
        try:
            server = services.create_server(name=form.cleaned_data["name"], actor=person(request))
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return see(
                request, server.get_absolute_url(), f"{server} is made. Give it a model and a channel."
            )
    return render(request, "servers/new.html", {"form": form}, status=422 if form.is_bound else 200)


@require_POST
def server_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a server in which nothing runs."""
    server = operable(request, slug)
    try:
        remove_server(server, actor=person(request))
    except StillLive as refusal:
        return settings_page(request, server, {"delete_refusal": str(refusal)}, status=409)
    return see(request, reverse("servers"), f"{server} is deleted, with its channels and turns.", "trash")


@require_POST
def channel_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a channel to a server."""
    server = operable(request, slug)
    form = ChannelForm(request.POST, auto_id="channel-%s")
    if form.is_valid():
        try:
            channel = services.create_channel(server, name=form.cleaned_data["name"], actor=person(request))
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return see(request, f"{server.get_absolute_url()}#channels", f"{channel} is made.")
    return settings_page(request, server, {"new_channel": form}, status=422)


@require_POST
def channel_rename(request: HttpRequest, pk: int) -> HttpResponse:
    """Rename a channel."""
    channel = _channel(request, pk)
    server = channel.server
    form = ChannelForm(request.POST, auto_id=f"channel-{channel.pk}-%s")
    if form.is_valid():
        try:
            services.rename_channel(channel, name=form.cleaned_data["name"], actor=person(request))
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return see(request, f"{server.get_absolute_url()}#channels", f"The channel is now {channel}.")
    return settings_page(request, server, {"renaming": channel.pk, "rename_form": form}, status=422)


@require_POST
def channel_model(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose the model that answers in a channel; none chosen, the server's does."""
    channel = _channel(request, pk)
    form = ChannelRouteForm(request.POST)
    if not form.is_valid():
        refusal = " ".join(map(str, form.errors["model"]))
        return settings_page(request, channel.server, {"channel_refusal": refusal}, status=422)
    model = form.cleaned_data["model"]
    set_channel_model(channel, model, actor=person(request))
    words = f"{model or 'The model of the server'} answers in {channel} from the next turn on."
    return see(request, f"{channel.server.get_absolute_url()}#channels", words)


@require_POST
def channel_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a channel in which nothing runs."""
    channel = _channel(request, pk)
    server = channel.server
    try:
        remove_channel(channel, actor=person(request))
    except StillLive as refusal:
        return settings_page(request, server, {"channel_refusal": str(refusal)}, status=409)
    return see(request, f"{server.get_absolute_url()}#channels", f"{channel} is deleted.", "trash")


def _channel(request: HttpRequest, pk: int) -> Channel:
    channel = channel_or_404(request, pk)
    operable(request, channel.server.slug)
    return channel
