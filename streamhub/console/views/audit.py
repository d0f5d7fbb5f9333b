"""The record of who did what."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from streamhub.audit.selectors import entries
from streamhub.console.access import owner_only
from streamhub.console.acts import acts_of
from streamhub.console.typed import asked
from streamhub.servers.access import visible_servers

PAGE_SIZE = 50


@owner_only
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """List the entries, of one server if `?server=` names one, and only those that mention `?q=`."""
    servers = list(visible_servers(request.user))
    chosen = next((server for server in servers if server.slug == asked(request, "server")), None)
    text = asked(request, "q", limit=80)
    found = entries(server_id=chosen.pk if chosen else None, text=text)
    page = Paginator(found, PAGE_SIZE).get_page(asked(request, "page"))
    acts = acts_of(page, {server.pk: server for server in servers})
    context = {"page": page, "acts": acts, "servers": servers, "chosen": chosen, "text": text}
    return render(request, "audit/audit.html", context)
