"""Model rules in the order in which they apply, and what a model would get of them."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from streamhub.catalog import services
from streamhub.catalog.kinds import kind_choices
from streamhub.catalog.models import ModelRule
from streamhub.console.access import owner_only
from streamhub.console.forms.catalog import PreviewForm, RuleForm
from streamhub.console.forms.stop_strings import StopRows
from streamhub.console.people import person
from streamhub.console.rule_preview import preview_of, rule_lines
from streamhub.console.views.deletion import confirm_deletion
from streamhub.console.views.form_pages import form_page, saved, show_errors

GET_POST = ["GET", "HEAD", "POST"]
NEW = {"kind_pattern": "*", "model_pattern": "*", "priority": 100, "is_enabled": True}


@owner_only
@require_GET
@never_cache
def rules(request: HttpRequest) -> HttpResponse:
    """List the rules, with a preview of what the chosen model gets."""
    return render(request, "catalog/rules.html", {"lines": rule_lines(), **_preview(request)})


@owner_only
@require_GET
@never_cache
def rule_preview(request: HttpRequest) -> HttpResponse:
    """Return the preview alone, or the whole page without script."""
    if not request.headers.get("HX-Request"):
        return rules(request)
    return render(request, "catalog/rules.html#preview", _preview(request))


@owner_only
@never_cache
@require_http_methods(GET_POST)
def rule_create(request: HttpRequest) -> HttpResponse:
    """Write a new rule."""
    form = RuleForm(request.POST or None, initial=NEW)
    stops = StopRows(request.POST if request.method == "POST" else None)
    if _is_valid(form, stops):
        try:
            row = services.create_rule(actor=person(request), stop_strings=stops.values, **form.cleaned_data)
        except ValidationError as error:
            show_errors(form, error)
        else:
            return saved(request, reverse("rules"), f"Rule {row} is created.")
    return form_page(request, "catalog/rule.html", _context(form, stops))


@owner_only
@never_cache
@require_http_methods(GET_POST)
def rule(request: HttpRequest, pk: int) -> HttpResponse:
    """Change a rule."""
    row = get_object_or_404(ModelRule, pk=pk)
    form = RuleForm(request.POST or None, initial=RuleForm.initial_of(row))
    stops = StopRows(request.POST if request.method == "POST" else None, row.stop_strings.all())
    if _is_valid(form, stops):
        try:
            services.update_rule(row, actor=person(request), stop_strings=stops.values, **form.cleaned_data)
        except ValidationError as error:
            show_errors(form, error)
        else:
            return saved(request, reverse("rules"), f"Rule {row} is saved.")
    return form_page(request, "catalog/rule.html", {**_context(form, stops), "rule": row})


@owner_only
@never_cache
@require_http_methods(GET_POST)
def rule_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask, then delete a rule."""
    row = get_object_or_404(ModelRule, pk=pk)
    if request.method == "POST":
        services.delete_rule(row, actor=person(request))
        return saved(request, reverse("rules"), f"Rule {row} is deleted.", "trash")
    line = next(line for line in rule_lines() if line.rule.pk == row.pk)
    losses = [f"From the next turn on it changes nothing any more. It fits {line.fit_words}."]
    return confirm_deletion(
        request, what=f"rule {row}", losses=losses, back=row.get_absolute_url(), place="Model rules"
    )


def _is_valid(form: RuleForm, stops: StopRows) -> bool:
    """Look at both, so that one answer shows all that is wrong."""
    return all([form.is_valid(), stops.is_valid()]) if form.is_bound else False


def _context(form: RuleForm, stops: StopRows) -> dict[str, Any]:
    return {"form": form, "stops": stops, "kinds": kind_choices()}


def _preview(request: HttpRequest) -> dict[str, Any]:
    form = PreviewForm(request.GET or None)
    chosen = form.cleaned_data if form.is_bound and form.is_valid() else {}
    model = chosen.get("model")
    return {"preview_form": form, "preview": preview_of(model, chosen.get("server")) if model else None}
