"""The two buttons of the demo. Plain POST forms; both lead back to the wall."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from streamhub.accounts.models import User
from streamhub.ops.demo.door import DemoUnavailable, remove_demo, start_demo
from streamhub.servers.access import is_owner


@require_POST
def demo_start(request: HttpRequest) -> HttpResponse:
    """Start the demo; a second click changes nothing."""
    owner = _owner(request)
    try:
        start_demo(owner)
    except DemoUnavailable as reason:
        messages.error(request, str(reason))
    return _to_wall(request)


@require_POST
def demo_remove(request: HttpRequest) -> HttpResponse:
    """Remove the demo with everything in it; a second click changes nothing."""
    owner = _owner(request)
    try:
        if remove_demo(owner):
            messages.success(request, "The demo is gone: its server, its endpoint and its turns.")
    except DemoUnavailable as reason:
        messages.error(request, str(reason))
    return _to_wall(request)


def _owner(request: HttpRequest) -> User:
    """Return the person who asks. Raises PermissionDenied unless it is an owner."""
    if not (isinstance(request.user, User) and is_owner(request.user)):
        raise PermissionDenied
    return request.user


def _to_wall(request: HttpRequest) -> HttpResponse:
    return (
        HttpResponseClientRedirect(reverse("wall")) if request.headers.get("HX-Request") else redirect("wall")
    )
