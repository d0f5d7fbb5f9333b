"""Models of an endpoint: add, change, switch off, delete."""

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from streamhub.catalog import services
from streamhub.catalog.models import Endpoint, LanguageModel
from streamhub.catalog.selectors import users_of
from streamhub.console.access import owner_only
from streamhub.console.forms.catalog import LanguageModelForm
from streamhub.console.people import person
from streamhub.console.views.deletion import confirm_deletion
from streamhub.console.views.form_pages import form_page, saved, show_errors

GET_POST = ["GET", "HEAD", "POST"]
NEW = {"has_tools": True, "is_enabled": True}


@owner_only
@never_cache
@require_http_methods(GET_POST)
def model_create(request: HttpRequest, pk: int) -> HttpResponse:
    """Add a model to an endpoint."""
    endpoint = get_object_or_404(Endpoint, pk=pk)
    form = LanguageModelForm(request.POST or None, initial=NEW)
    if form.is_valid():
        try:
            model = services.add_model(endpoint, actor=person(request), **form.cleaned_data)
        except ValidationError as error:
            show_errors(form, error)
        else:
            return saved(request, endpoint.get_absolute_url(), f"{model} is added to {endpoint}.")
    return form_page(request, "catalog/model.html", {"form": form, "endpoint": endpoint})


@owner_only
@never_cache
@require_http_methods(GET_POST)
def model(request: HttpRequest, pk: int) -> HttpResponse:
    """Change a model."""
    row = _model(pk)
    form = LanguageModelForm(request.POST or None, initial=LanguageModelForm.initial_of(row))
    if form.is_valid():
        try:
            services.update_model(row, actor=person(request), **form.cleaned_data)
        except ValidationError as error:
            show_errors(form, error)
        else:
            return saved(request, row.endpoint.get_absolute_url(), f"{row} is saved.")
    context = {"form": form, "endpoint": row.endpoint, "model": row, "users": users_of([row])}
    return form_page(request, "catalog/model.html", context)


@owner_only
@never_cache
@require_http_methods(GET_POST)
def model_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask, then delete a model."""
    row = _model(pk)
    back = row.endpoint.get_absolute_url()
    if request.method == "POST":
        services.delete_model(row, actor=person(request))
        return saved(request, back, f"{row} is deleted.", "trash")
    return confirm_deletion(
        request, what=f"model {row} of {row.endpoint}", users=users_of([row]), back=back, place="Endpoints"
    )


def _model(pk: int) -> LanguageModel:
    return get_object_or_404(LanguageModel.objects.select_related("endpoint"), pk=pk)
