"""A server's settings page: its switches, which save at once, and its forms, each saved on its own."""

from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from streamhub.catalog.models import LanguageModel
from streamhub.catalog.selectors import own_models
from streamhub.catalog.services import set_server_stop_strings
from streamhub.console.access import server_or_404
from streamhub.console.counts import Live, live_by_channel
from streamhub.console.forms.servers import SECTIONS, ChannelForm
from streamhub.console.forms.stop_strings import StopRows
from streamhub.console.people import person
from streamhub.console.replies import say, see
from streamhub.console.rule_preview import preview_of
from streamhub.console.server_facts import answering_model, clock_rows, parts_of, tool_views
from streamhub.servers import selectors, services
from streamhub.servers.access import can_operate
from streamhub.servers.capabilities import BY_NAME
from streamhub.servers.models import Server, ThoughtLogLevel


@require_safe
def server_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all settings of a server."""
    return settings_page(request, server_or_404(request, slug))


@require_POST
def capability_set(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Set one switch or choice; it holds from the next turn on."""
    server = operable(request, slug)
    if name not in BY_NAME:
        raise Http404
    capability = BY_NAME[name]
    typed = request.POST.get("value", "")
    value = typed == "on" if isinstance(capability.default, bool) else typed
    try:
        services.set_capability(server, name, value, actor=person(request))
    except ValidationError as error:
        return HttpResponse(error.messages[0], status=400, content_type="text/plain")
    setting = selectors.setting_of(server, name)
    text = f"{capability.label}: {setting.word}. Saved."
    if not request.headers.get("HX-Request"):
        return see(request, f"{server.get_absolute_url()}#cap-{name}", text)
    context = {
        "server": server,
        "setting": setting,
        "differing": selectors.differing(server),
        "swapped": True,
    }
    context["levels"] = ThoughtLogLevel.choices
    return say(render(request, "servers/settings.html#setting", context), text)


@require_POST
def section_save(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Save one of the page's forms. An error brings the page back with what was typed."""
    server = operable(request, slug)
    if section not in SECTIONS:
        raise Http404
    form = SECTIONS[section](server, request.POST)
    if form.save(person(request)):
        return see(request, f"{server.get_absolute_url()}#{form.key}", form.said)
    return settings_page(request, server, {form.key: form}, status=422)


@require_POST
def server_stops(request: HttpRequest, slug: str) -> HttpResponse:
    """Save the server's own stop strings."""
    server = operable(request, slug)
    rows = StopRows(request.POST)
    if not rows.is_valid():
        return settings_page(request, server, {"stops": rows}, status=422)
    set_server_stop_strings(server, rows.values, actor=person(request))
    return see(
        request, f"{server.get_absolute_url()}#stops", "Stop strings saved. They hold from the next turn on."
    )


def operable(request: HttpRequest, slug: str) -> Server:
    """Return a server that the person may change. Raises Http404, PermissionDenied if they may only look."""
    server = server_or_404(request, slug)
    if not can_operate(request.user, server):
        raise PermissionDenied
    return server


def settings_page(
    request: HttpRequest, server: Server, typed: dict[str, Any] | None = None, *, status: int = 200
) -> HttpResponse:
    """Draw the page; `typed` holds the forms that were sent and are not right yet."""
    live, own = live_by_channel(server), own_models(server)
    context: dict[str, Any] = {key: form(server) for key, form in SECTIONS.items()}
    context |= {
        "server": server,
        "parts": parts_of(server),
        "tool_views": tool_views(server),
        "differing": selectors.differing(server),
        "levels": ThoughtLogLevel.choices,
        "channels": [
            (channel, live.get(channel.pk, Live()), own.get(channel.pk)) for channel in server.channels.all()
        ],
        "models": LanguageModel.objects.select_related("endpoint").order_by("endpoint__name", "model_id"),
        "live_total": sum(channel.total for channel in live.values()),
        "new_channel": ChannelForm(auto_id="channel-%s"),
        "stops": StopRows(stored=server.stop_strings.all()),
        "answering": answering_model(server),
        **(typed or {}),
    }
    channels = context["channels"]
    context["all_own"] = bool(channels) and all(own_model for _channel, _live, own_model in channels)
    if context["all_own"]:
        context["model"].fields["model"].empty_label = "None: every channel has its own model"
    model = context["answering"]
    context["preview"] = preview_of(model, server) if model else None
    context["clock_rows"] = clock_rows(server, model, context["clocks"])
    return render(request, "servers/settings.html", context, status=status)
