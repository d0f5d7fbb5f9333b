"""The live wall: every stream as a card, the ones that need somebody first."""

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from streamhub.console.board import SORTS, Asked, board_of, cards_of
from streamhub.console.people import person
from streamhub.console.typed import asked
from streamhub.servers.access import visible_servers
from streamhub.servers.models import Server

MAX_IDS = 200
IDS_CHARS = MAX_IDS * 37


@require_GET
@never_cache
def wall(request: HttpRequest) -> HttpResponse:
    """Show the wall of one server or of all."""
    servers = list(visible_servers(person(request)))
    chosen = next((server for server in servers if server.slug == asked(request, "server")), None)
    filtered = Asked(
        show=asked(request, "show", "all"),
        text=asked(request, "q"),
        sort=asked(request, "sort", "attention"),
    )
    now = timezone.now()
    board = board_of([chosen] if chosen else servers, filtered, now, person(request))
    context = {
        "servers": servers,
        "chosen": chosen,
        "demo": next((server for server in servers if server.is_demo and chosen in (None, server)), None),
        "killable_server": chosen or (servers[0] if len(servers) == 1 else None),
        "asked": filtered,
        "sorts": SORTS,
        "board": board,
        "now": now,
    }
    return render(request, "live/wall.html", context)


@require_GET
@never_cache
def wall_cards(request: HttpRequest) -> HttpResponse:
    """Return the cards of changed turns (`?ids=a,b`) and of their channels' live turns, to be put in."""
    try:
        ids = [UUID(text) for text in asked(request, "ids", limit=IDS_CHARS).split(",")[:MAX_IDS]]
    except ValueError:
        return HttpResponseBadRequest("ids takes turn ids with commas between them.")
    now = timezone.now()
    context = {"cards": cards_of(_shown(request), ids, now, person(request)), "now": now}
    return render(request, "live/wall.html#cards", context)


def _shown(request: HttpRequest) -> Sequence[Server]:
    servers = visible_servers(person(request))
    slug = asked(request, "server")
    return list(servers.filter(slug=slug) if slug else servers)
