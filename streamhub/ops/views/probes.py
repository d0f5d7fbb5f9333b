"""What a supervisor or load balancer asks: is the process alive, and can it do its work."""

from dataclasses import asdict

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from streamhub.ops.readiness import Readiness

_readiness = Readiness()


@require_safe
@login_not_required
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer "ok" while the process serves. Asks nothing else, so that a slow database restarts nothing."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
@login_not_required
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when every check is in order, else 503; the body says in words which are not."""
    checks = _readiness.now()
    is_ready = all(check.ok for check in checks.values())
    body = {"ok": is_ready, "checks": {name: asdict(check) for name, check in checks.items()}}
    return JsonResponse(body, status=200 if is_ready else 503)
