"""Keys of an endpoint. A key goes in and is never shown again; every page names it by its label."""

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from streamhub.catalog import services
from streamhub.catalog.models import ApiKey, Endpoint
from streamhub.console.access import owner_only
from streamhub.console.forms.catalog import KeyForm, ReplaceKeyForm
from streamhub.console.people import person
from streamhub.console.returning import back_to
from streamhub.console.views.deletion import confirm_deletion
from streamhub.console.views.form_pages import form_page, saved, show_errors

GET_POST = ["GET", "HEAD", "POST"]


@owner_only
@never_cache
@sensitive_post_parameters("secret")
@require_http_methods(GET_POST)
def key_create(request: HttpRequest, pk: int) -> HttpResponse:
    """Add a key to an endpoint."""
    endpoint = get_object_or_404(Endpoint, pk=pk)
    form = KeyForm(request.POST or None)
    if form.is_valid():
        try:
            key = services.add_key(endpoint, actor=person(request), **form.cleaned_data)
        except ValidationError as error:
            show_errors(form, error)
        else:
            return saved(request, endpoint.get_absolute_url(), f"{key} is added.")
    return form_page(request, "catalog/key.html", {"form": form, "endpoint": endpoint})


@owner_only
@never_cache
@sensitive_post_parameters("secret")
@require_http_methods(GET_POST)
def key_replace(request: HttpRequest, pk: int) -> HttpResponse:
    """Enter a key anew: the label stays, the secret is another."""
    key = _key(pk)
    form = ReplaceKeyForm(request.POST or None)
    if form.is_valid():
        services.replace_key(key, actor=person(request), secret=form.cleaned_data["secret"])
        return saved(request, key.endpoint.get_absolute_url(), f"{key} is entered anew.")
    return form_page(request, "catalog/key.html", {"form": form, "endpoint": key.endpoint, "key": key})


@owner_only
@require_POST
def key_enable(request: HttpRequest, pk: int) -> HttpResponse:
    """Let turns use a key again."""
    return _set_enabled(request, pk, is_enabled=True)


@owner_only
@require_POST
def key_disable(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep turns from using a key."""
    return _set_enabled(request, pk, is_enabled=False)


@owner_only
@require_POST
def key_use_now(request: HttpRequest, pk: int) -> HttpResponse:
    """End a key's cooling."""
    key = _key(pk)
    cooled = services.end_cooling(key, actor=person(request))
    words = f"{key} is back in use." if cooled else f"{key} does not cool."
    return saved(request, back_to(request, key.endpoint.get_absolute_url()), words)


@owner_only
@never_cache
@require_http_methods(GET_POST)
def key_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask, then delete a key."""
    key = _key(pk)
    back = key.endpoint.get_absolute_url()
    if request.method == "POST":
        services.delete_key(key, actor=person(request))
        return saved(request, back, f"{key} is deleted.", "trash")
    others = key.endpoint.keys.exclude(pk=key.pk)
    losses = ["The stored secret is gone for good; disabling a key keeps it."]
    if not others.exists():
        losses.append(f"{key.endpoint} has no other key: its calls go out without one.")
    elif not others.filter(is_enabled=True).exists():
        losses.append(f"{key.endpoint} has no other enabled key: its turns fail until one is enabled.")
    return confirm_deletion(request, what=f"key {key}", losses=losses, back=back, place="Endpoints")


def _set_enabled(request: HttpRequest, pk: int, *, is_enabled: bool) -> HttpResponse:
    key = _key(pk)
    services.set_key_enabled(key, is_enabled=is_enabled, actor=person(request))
    words = f"{key} is {'enabled' if is_enabled else 'disabled'}."
    return saved(
        request, back_to(request, key.endpoint.get_absolute_url()), words, "key" if is_enabled else "lock"
    )


def _key(pk: int) -> ApiKey:
    return get_object_or_404(ApiKey.objects.select_related("endpoint"), pk=pk)
