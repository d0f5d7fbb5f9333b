"""Kill: POST forms that work without script, and answer scripts with what replaces the thing on the page.

A repeated kill, or one that comes after the end, gets the same kind of answer: where the turn is now.
"""

from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from streamhub.console.board import cards_of
from streamhub.console.people import person
from streamhub.console.replies import say, see
from streamhub.console.returning import back_to
from streamhub.servers.access import can_operate, visible_servers
from streamhub.servers.models import Channel, Server
from streamhub.turns import selectors, services
from streamhub.turns.models import Turn
from streamhub.turns.state import Status


@require_POST
def turn_kill(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Kill one turn."""
    get_object_or_404(Turn, pk=pk, server__in=_servers(request))
    outcome = services.request_kill(pk, actor=person(request), reason=_reason(request))
    return _answer(request, outcome.turn, kill_words(outcome.turn))


@require_POST
def channel_kill(request: HttpRequest, pk: int) -> HttpResponse:
    """Kill the running turn of a channel; the next in line starts."""
    channel = get_object_or_404(Channel, pk=pk, server__in=_servers(request))
    turn = selectors.current_turn(channel)
    if turn is None or turn.status != Status.RUNNING:
        return _answer(request, turn, f"Nothing runs in {channel}.", channel)
    outcome = services.request_kill(turn.pk, actor=person(request), reason=_reason(request))
    return _answer(request, outcome.turn, kill_words(outcome.turn))


@require_POST
def channel_clear(request: HttpRequest, pk: int) -> HttpResponse:
    """Kill the running turn of a channel and every turn that waits behind it."""
    channel = get_object_or_404(Channel, pk=pk, server__in=_servers(request))
    killed = services.kill_channel(channel, actor=person(request), reason=_reason(request))
    words = f"{_turns(killed)} of {channel} killed." if killed else f"Nothing runs or waits in {channel}."
    return _answer(request, selectors.current_turn(channel), words, channel)


@require_POST
def server_kill(request: HttpRequest, slug: str) -> HttpResponse:
    """Kill every running and waiting turn of a server."""
    server = get_object_or_404(_servers(request), slug=slug)
    killed = services.kill_server(server, actor=person(request), reason=_reason(request))
    words = f"{_turns(killed)} killed on {server}." if killed else f"Nothing runs or waits on {server}."
    if request.headers.get("HX-Request"):
        return say(HttpResponse(status=204), words, "killed")
    return see(request, back_to(request, "/"), words, "killed")


def kill_words(turn: Turn) -> str:
    """Say where a turn is after a kill was asked for. "Killed" is said only once it has ended so."""
    if turn.status == Status.KILLED:
        return f"{turn.channel} killed."
    if turn.is_stopping:
        return f"{turn.channel}: stopping, the upstream connection is being closed."
    return f"{turn.channel} had ended before: {turn.get_status_display().replace('_', ' ')}."


def _answer(
    request: HttpRequest, turn: Turn | None, words: str, channel: Channel | None = None
) -> HttpResponse:
    channel = channel or (turn.channel if turn else None)
    if not request.headers.get("HX-Request"):
        fallback = channel.get_absolute_url() if channel else "/"
        return see(request, back_to(request, fallback), words, "stopping")
    if turn is None:
        return say(HttpResponse(status=204), words, "info")
    now = timezone.now()
    cards = cards_of([turn.server], [turn.pk], now, person(request))
    return say(render(request, "live/wall.html#cards", {"cards": cards, "now": now}), words, "stopping")


def _servers(request: HttpRequest) -> QuerySet[Server]:
    """Return the servers whose turns the person may kill; the others do not exist for them."""
    user = person(request)
    operated = [server.pk for server in visible_servers(user) if can_operate(user, server)]
    return Server.objects.filter(pk__in=operated)


def _reason(request: HttpRequest) -> str:
    return request.POST.get("reason", "").strip()[:200]


def _turns(count: int) -> str:
    return f"{count} turn{'' if count == 1 else 's'}"
