"""How a page with one form answers: the page, the form alone to a script, or a redirect once it is saved."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRedirect

from streamhub.console.replies import see


def form_page(request: HttpRequest, template: str, context: Mapping[str, Any]) -> HttpResponse:
    """Show the page; after a bad POST with status 422, and to a script only the partial `form`."""
    if request.method != "POST":
        return render(request, template, context)
    part = f"{template}#form" if request.headers.get("HX-Request") else template
    return render(request, part, context, status=422)


def saved(request: HttpRequest, url: str, text: str, sign: str = "completed") -> HttpResponse:
    """Go on to `url`, which says `text`."""
    if request.headers.get("HX-Request"):
        messages.success(request, text, extra_tags=sign)
        return HttpResponseClientRedirect(url)
    return see(request, url, text, sign)


def show_errors(form: forms.Form, error: ValidationError) -> None:
    """Put a service's messages beside the fields they are about; what has no field goes above the form."""
    for name, texts in _by_field(error).items():
        form.add_error(name if name in form.fields else None, texts)


def _by_field(error: ValidationError) -> dict[str, list[str]]:
    if hasattr(error, "error_dict"):
        return error.message_dict
    return {NON_FIELD_ERRORS: error.messages}
