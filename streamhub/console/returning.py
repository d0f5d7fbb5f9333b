"""Where a form without script goes back to: the page it was on, if that is one of ours."""

from urllib.parse import urlsplit

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def back_to(request: HttpRequest, fallback: str) -> str:
    """Return path and query of the page the form was on, never one of another site, else `fallback`."""
    referer = request.headers.get("Referer", "")
    ours = {request.get_host()}
    if not url_has_allowed_host_and_scheme(referer, ours, require_https=request.is_secure()):
        return fallback
    parts = urlsplit(referer)
    path = "/" + parts.path.lstrip("/")
    return f"{path}?{parts.query}" if parts.query else path
