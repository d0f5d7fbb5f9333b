"""Endpoints: the list with their states, connecting a provider, changing and deleting one."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from streamhub.catalog import services
from streamhub.catalog.addresses import plain_http_warning
from streamhub.catalog.models import Endpoint
from streamhub.catalog.selectors import endpoint_overview, endpoints_overview, users_of
from streamhub.catalog.states import EndpointState
from streamhub.console.access import owner_only
from streamhub.console.forms.catalog import ConnectForm, EndpointForm, secret_of
from streamhub.console.people import person
from streamhub.console.views.deletion import confirm_deletion
from streamhub.console.views.form_pages import form_page, saved, show_errors

GET_POST = ["GET", "HEAD", "POST"]
KEYS_ARE_OFF = "Its keys were stored for another address and are disabled: enter them anew, or enable them."


@owner_only
@require_GET
@never_cache
def endpoints(request: HttpRequest) -> HttpResponse:
    """List every endpoint, those that cannot answer first."""
    states = endpoints_overview()
    return render(request, "catalog/endpoints.html", {"states": states, "summary": _summary(states)})


@owner_only
@never_cache
@sensitive_post_parameters("key")
@require_http_methods(GET_POST)
def endpoint_create(request: HttpRequest) -> HttpResponse:
    """Connect a provider: an endpoint with its first key and model."""
    form = ConnectForm(request.POST or None)
    if form.is_valid():
        endpoint = _connect(request, form)
        if endpoint is not None:
            words = _saved_words(endpoint, f"{endpoint} is connected.")
            return saved(request, reverse("endpoint", args=[endpoint.pk]), words)
    return form_page(request, "catalog/endpoint_new.html", {"form": form})


@owner_only
@never_cache
@require_http_methods(GET_POST)
def endpoint(request: HttpRequest, pk: int) -> HttpResponse:
    """Show and change one endpoint."""
    row = get_object_or_404(Endpoint, pk=pk)
    form = EndpointForm(request.POST or None, initial=EndpointForm.initial_of(row))
    if form.is_valid():
        keys = row.keys.filter(is_enabled=True).count()
        try:
            services.update_endpoint(row, actor=person(request), **form.cleaned_data)
        except ValidationError as error:
            show_errors(form, error)
        else:
            are_off = keys > row.keys.filter(is_enabled=True).count()
            words = f"{row} is saved. {KEYS_ARE_OFF}" if are_off else f"{row} is saved."
            return saved(request, row.get_absolute_url(), _saved_words(row, words))
    return form_page(request, "catalog/endpoint.html", endpoint_context(row, form))


@owner_only
@never_cache
@require_http_methods(GET_POST)
def endpoint_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask, then delete an endpoint with its keys and models."""
    row = get_object_or_404(Endpoint, pk=pk)
    if request.method == "POST":
        services.delete_endpoint(row, actor=person(request))
        return saved(request, reverse("endpoints"), f"{row} is deleted.", "trash")
    losses = [f"{row.keys.count()} keys and {row.models.count()} models are deleted with it."]
    return confirm_deletion(
        request,
        what=f"endpoint {row}",
        losses=losses,
        users=users_of(row.models.all()),
        back=row.get_absolute_url(),
        place="Endpoints",
    )


def endpoint_context(row: Endpoint, form: EndpointForm, **more: Any) -> dict[str, Any]:
    """Return what the page of one endpoint shows."""
    return {"endpoint": row, "form": form, "state": endpoint_overview(row), **more}


def _connect(request: HttpRequest, form: ConnectForm) -> Endpoint | None:
    values = form.cleaned_data
    secret = secret_of(form, "key")
    try:
        return services.connect_provider(
            actor=person(request),
            key=services.NewKey(secret=secret) if secret else None,
            model_id=values["model_id"],
            name=values["name"],
            kind=values["kind"],
            base_url=values["base_url"],
        )
    except ValidationError as error:
        show_errors(form, error)
        return None


def _saved_words(row: Endpoint, words: str) -> str:
    warning = plain_http_warning(row.base_url)
    return f"{words} {warning}" if warning else words


def _summary(states: list[EndpointState]) -> dict[str, int]:
    """How many endpoints are in which shape; those switched off on purpose count for themselves."""
    names = {"failed": "broken", "late": "short", "completed": "well", "queued": "untried", "killed": "off"}
    counts = dict.fromkeys(names.values(), 0)
    for state in states:
        counts[names[state.phase]] += 1
    return counts
