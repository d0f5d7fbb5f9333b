"""The page that asks before something is deleted: it names the thing and what goes with it."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def confirm_deletion(
    request: HttpRequest,
    *,
    what: str,
    back: str,
    place: str,
    losses: Sequence[str] = (),
    users: Sequence[str] = (),
) -> HttpResponse:
    """Ask. `users` are the servers and channels left without a model, `back` is where "Keep it" goes."""
    context = {"what": what, "losses": losses, "users": users, "back": back, "place": place}
    return render(request, "catalog/confirm_delete.html", context)
