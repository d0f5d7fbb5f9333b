"""Short markup for what every page repeats: signs from the sprite, fields with their errors, the rail."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django import template
from django.forms import BaseForm, BoundField
from django.template.context import RequestContext
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
@lru_cache(maxsize=512)
def icon(name: str, classes: str = "") -> SafeString:
    """Draw a sign of `img/icons.svg`. It is decoration: say the same in words beside it."""
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        f"icon {classes}".strip(),
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
def mark(phase: str, size: str = "") -> SafeString:
    """Draw a phase's sign in a square, tinted by the data-phase around it; `size` is "s", "l" or nothing."""
    classes = f"mark mark-{size}" if size else "mark"
    return format_html('<span class="{}">{}</span>', classes, icon(phase))


@register.filter
def when(at: datetime, detail: str = "") -> SafeString:
    """Write a moment as people say it: today 09:12, 3 Nov, 3 Nov 2024; `when:"exact"` says the time too."""
    local, now = timezone.localtime(at), timezone.localtime()
    if local.date() == now.date():
        words = f"today {local:%H:%M:%S}" if detail else f"today {local:%H:%M}"
    else:
        words = f"{local:%-d %b}" if local.year == now.year else f"{local:%-d %b %Y}"
        words += f" {local:%H:%M:%S}" if detail else ""
    return format_html('<time datetime="{}">{}</time>', local.isoformat(timespec="seconds"), words)


@register.inclusion_tag("includes/field.html")
def field(bound: BoundField, classes: str = "") -> dict[str, object]:
    """Draw a field with its label, hint and error, tied together for assistive tools."""
    return {"field": bound, "classes": f"field {classes}".strip()}


@register.inclusion_tag("includes/form_errors.html")
def form_errors(form: BaseForm) -> dict[str, object]:
    """Draw the errors that belong to no single field."""
    return {"errors": form.non_field_errors()}


@dataclass(frozen=True, slots=True)
class Place:
    """An entry of the rail: `prefixes` begin the address names of its pages; `wide` leaves it off phones."""

    url_name: str
    label: str
    sign: str
    prefixes: tuple[str, ...]
    wide: bool = False


RAIL: tuple[tuple[Place, ...], ...] = (
    (Place("wall", "Wall", "wall", ("wall", "channel", "turn")),),
    (
        Place("servers", "Servers", "servers", ("server", "capability")),
        Place("endpoints", "Endpoints", "endpoints", ("endpoint", "key", "model")),
        Place("rules", "Rules", "models", ("rule",)),
    ),
    (Place("audit", "Audit", "audit", ("audit",), wide=True),),
)


@register.inclusion_tag("includes/rail.html", takes_context=True)
def rail(context: RequestContext) -> dict[str, Any]:
    """Draw the main navigation, with the place of the current page marked."""
    match = getattr(context.get("request"), "resolver_match", None)
    here = (match.url_name if match else None) or ""
    groups = [[_entry(place, here) for place in group] for group in RAIL]
    return {"groups": groups, "user": context.get("user"), "csrf_token": context.get("csrf_token")}


def _entry(place: Place, here: str) -> dict[str, object]:
    return {"place": place, "url": reverse(place.url_name), "current": here.startswith(place.prefixes)}
