"""How an action answers: words for the status line, or a redirect to a page that says them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django_htmx.http import trigger_client_event


def say(response: HttpResponse, text: str, sign: str = "completed") -> HttpResponse:
    """Have the page that made this request say `text` in its status line, with a sign of the sprite."""
    return trigger_client_event(response, "hub:say", {"text": text, "sign": sign})


def see(request: HttpRequest, url: str, text: str, sign: str = "completed") -> HttpResponse:
    """Redirect to `url`, which says `text`."""
    messages.success(request, text, extra_tags=sign)
    return HttpResponseRedirect(url)
