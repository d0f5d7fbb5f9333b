"""A channel: what its stream does now, who waits behind it, how to stop it, how to start another."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from streamhub.accounts.models import User
from streamhub.console.access import channel_or_404
from streamhub.console.cards import card_of
from streamhub.console.forms.turns import ComposerForm
from streamhub.console.people import person
from streamhub.console.replies import see
from streamhub.console.typed import asked
from streamhub.servers.models import Channel
from streamhub.turns import selectors
from streamhub.turns.models import Turn
from streamhub.turns.services import TurnRefused, start_turn
from streamhub.turns.state import Status

# More than this is not sent with the page: the script fetches it in pieces.
SNAPSHOT_CHARS = 200_000
PAGE = 30
FAILED = frozenset({Status.FAILED, Status.TIMED_OUT, Status.LOST})


@require_GET
@never_cache
def channel(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a channel: live (its state alone for a script) or, with `?view=earlier`, its turns of before."""
    shown = channel_or_404(request, pk)
    viewer = person(request)
    if asked(request, "view") == "earlier":
        return render(request, "live/channel.html", _earlier(shown, asked(request, "page"), viewer))
    if request.headers.get("HX-Request"):
        return render(request, "live/channel.html#state", _state(shown, viewer))
    return render(request, "live/channel.html", _live(shown, viewer, ComposerForm(shown)))


@require_POST
def channel_start(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue a turn that answers the message; a refusal is said beside the field and keeps the text."""
    shown = channel_or_404(request, pk)
    form = ComposerForm(shown, request.POST.dict())
    if form.is_valid():
        text, model = form.cleaned_data["text"], form.cleaned_data["model"]
        try:
            start_turn(channel=shown, text=text, actor=person(request), model=model)
        except TurnRefused as refusal:
            form.add_error("text", str(refusal))
        else:
            return _started(request, shown)
    if request.headers.get("HX-Request"):
        return render(request, "live/channel.html#composer", _composer(shown, form), status=422)
    return render(request, "live/channel.html", _live(shown, person(request), form), status=422)


def _started(request: HttpRequest, shown: Channel) -> HttpResponse:
    if request.headers.get("HX-Request"):
        return render(request, "live/channel.html#composer", _composer(shown, ComposerForm(shown)))
    if queue := selectors.queue_of(shown):
        return see(request, shown.get_absolute_url(), f"Sent. {len(queue)} in line in {shown}.", "queued")
    return HttpResponseRedirect(shown.get_absolute_url())


def _composer(shown: Channel, form: ComposerForm) -> dict[str, Any]:
    return {"channel": shown, "form": form}


def _state(shown: Channel, viewer: User) -> dict[str, Any]:
    """What the head and the queue of the page say."""
    now = timezone.now()
    turn = selectors.current_turn(shown)
    queue = selectors.queue_of(shown)
    waiting = [entry for entry in queue if turn is None or entry[1].pk != turn.pk]
    card = card_of(turn, now, viewer=viewer, waiting=len(waiting)) if turn else None
    ended = selectors.earlier_turns(shown).order_by("-created_at").first()
    last = card_of(ended, now, viewer=viewer) if ended else None
    return {
        "channel": shown,
        "card": card,
        "queue": waiting,
        "last": last,
        "failed": turn if turn and turn.status in FAILED else None,
        "provider": _provider(turn) if turn else "",
        "now": now,
    }


def _provider(turn: Turn) -> str:
    """Name the endpoint that was asked last and, where it is a broker, who served behind it."""
    asked_last = turn.attempts.order_by("-number").values_list("endpoint_label", flat=True).first()
    return " via ".join(filter(None, (asked_last, turn.serving_provider)))


def _live(shown: Channel, viewer: User, form: ComposerForm) -> dict[str, Any]:
    state = _state(shown, viewer)
    card = state["card"]
    said = selectors.transcript_of(card.turn, SNAPSHOT_CHARS) if card else selectors.Transcript()
    return {**state, "said": said, **_composer(shown, form), "view": "live"}


def _earlier(shown: Channel, page: str, viewer: User) -> dict[str, Any]:
    now = timezone.now()
    turns = selectors.earlier_turns(shown).prefetch_related("attempts")
    pages = Paginator(turns.order_by("-created_at"), PAGE).get_page(page)
    for turn in pages.object_list:
        turn.channel = shown
    cards = [card_of(turn, now, viewer=viewer) for turn in pages.object_list]
    return {"channel": shown, "pages": pages, "cards": cards, "now": now, "view": "earlier"}
