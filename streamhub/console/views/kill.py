"""Kill: POST forms that work without script, and answer scripts with what replaces the thing on the page.

A repeated kill, or one that comes after the end, gets the same kind of answer: where the turn is now.
"""

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST

from streamhub.console.access import channel_or_404, server_or_404, turn_or_404
from streamhub.console.board import cards_of
from streamhub.console.people import person
from streamhub.console.replies import say, see
from streamhub.console.returning import back_to
from streamhub.console.typed import one_line
from streamhub.servers.access import can_operate
from streamhub.servers.models import Channel, Server
from streamhub.turns import selectors, services
from streamhub.turns.models import Turn
from streamhub.turns.state import Status

MAX_REASON = 200


@require_POST
def turn_kill(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Kill one turn."""
    _check(request, turn_or_404(request, pk).server)
    outcome = services.request_kill(pk, actor=person(request), reason=_reason(request))
    return _answer(request, outcome.turn, kill_words(outcome.turn))


@require_POST
def channel_kill(request: HttpRequest, pk: int) -> HttpResponse:
    """Kill the running turn of a channel; the next in line starts."""
    channel = channel_or_404(request, pk)
    _check(request, channel.server)
    turn = selectors.current_turn(channel)
    if turn is None or turn.status != Status.RUNNING:
        return _answer(request, turn, f"Nothing runs in {channel}.", channel)
    outcome = services.request_kill(turn.pk, actor=person(request), reason=_reason(request))
    return _answer(request, outcome.turn, kill_words(outcome.turn))


@require_POST
def channel_clear(request: HttpRequest, pk: int) -> HttpResponse:
    """Kill the running turn of a channel and every turn that waits behind it."""
    channel = channel_or_404(request, pk)
    _check(request, channel.server)
    killed = services.kill_channel(channel, actor=person(request), reason=_reason(request))
    words = f"{_turns(killed)} of {channel} killed." if killed else f"Nothing runs or waits in {channel}."
    return _answer(request, selectors.current_turn(channel), words, channel)


@require_POST
def server_kill(request: HttpRequest, slug: str) -> HttpResponse:
    """Kill every running and waiting turn of a server."""
    server = server_or_404(request, slug)
    _check(request, server)
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


def _check(request: HttpRequest, server: Server) -> None:
    """Raise PermissionDenied for somebody who may look but not kill."""
    if not can_operate(request.user, server):
        raise PermissionDenied("You may look at this server, but not kill its turns.")


def _reason(request: HttpRequest) -> str:
    """Never in the way of the kill, whatever was typed."""
    return one_line(request.POST.get("reason", ""), MAX_REASON)


def _turns(count: int) -> str:
    return f"{count} turn{'' if count == 1 else 's'}"
