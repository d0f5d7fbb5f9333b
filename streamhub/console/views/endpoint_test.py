"""Testing a connection: one tiny call with the values on the page, saved or not. Nothing is stored."""

from dataclasses import dataclass, replace

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from providers.redaction import redact
from streamhub.catalog.models import Endpoint
from streamhub.catalog.selectors import key_to_test_with
from streamhub.console.access import owner_only
from streamhub.console.forms.catalog import ConnectForm, EndpointForm, TestForm, secret_of
from streamhub.console.replies import say
from streamhub.console.views.endpoints import endpoint_context
from streamhub.core.crypto import SecretStr, SecretUnreadable
from streamhub.turns.probe import ProbeResult, probe_endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is tried."""

    kind: str
    base_url: str
    secret: SecretStr | None
    model_id: str | None


class NotTestable(Exception):
    """A test cannot even begin; the message says why."""


@owner_only
@sensitive_post_parameters("key")
@require_POST
def endpoint_test_new(request: HttpRequest) -> HttpResponse:
    """Try the connection of a form that is not saved yet."""
    result = _result_of_form(TestForm(request.POST))
    if request.headers.get("HX-Request"):
        return _say(request, result)
    # Without script the page comes back whole: as typed, but for the key, which no page ever holds.
    context = {"form": ConnectForm(request.POST), "result": result}
    return render(request, "catalog/endpoint_new.html", context)


@owner_only
@require_POST
def endpoint_test(request: HttpRequest, pk: int) -> HttpResponse:
    """Try a saved endpoint, with the address in its form if there is one, and its stored key."""
    endpoint = get_object_or_404(Endpoint, pk=pk)
    typed = "base_url" in request.POST
    values = request.POST if typed else {"kind": endpoint.kind, "base_url": endpoint.base_url}
    result = _result_of_form(TestForm(values), endpoint)
    if request.headers.get("HX-Request"):
        return _say(request, result)
    form = EndpointForm(request.POST if typed else None, initial=EndpointForm.initial_of(endpoint))
    return render(request, "catalog/endpoint.html", endpoint_context(endpoint, form, result=result))


def _result_of_form(form: TestForm, endpoint: Endpoint | None = None) -> ProbeResult:
    try:
        return _probe(_target(form, endpoint))
    except NotTestable as reason:
        return ProbeResult(ok=False, title="Not tested", detail=str(reason), elapsed_ms=0)


def _probe(target: Target) -> ProbeResult:
    result = probe_endpoint(
        kind=target.kind, base_url=target.base_url, api_key=target.secret, model_id=target.model_id
    )
    detail = target.secret.hide_in(result.detail) if target.secret else result.detail
    return replace(result, detail=redact(detail))


def _target(form: TestForm, endpoint: Endpoint | None) -> Target:
    if not form.is_valid():
        wrong = [
            f"{form.fields[name].label}: {' '.join(map(str, texts))}" for name, texts in form.errors.items()
        ]
        raise NotTestable(" ".join(wrong))
    kind, base_url = form.cleaned_data["kind"], form.cleaned_data["base_url"]
    secret, model_id = secret_of(form, "key"), form.cleaned_data["model_id"]
    if endpoint is not None:
        secret = secret or _stored_secret(endpoint, base_url)
        model_id = (
            model_id or endpoint.models.filter(is_enabled=True).values_list("model_id", flat=True).first()
        )
    if not model_id:
        raise NotTestable("Enter a model first: the test asks it for one word.")
    return Target(kind=kind, base_url=base_url, secret=secret, model_id=model_id)


def _stored_secret(endpoint: Endpoint, base_url: str) -> SecretStr | None:
    try:
        key = key_to_test_with(endpoint, base_url, timezone.now())
        return key.secret() if key else None
    except ValidationError as error:
        raise NotTestable(" ".join(error.messages)) from None
    except SecretUnreadable as error:
        raise NotTestable(str(error)) from None


def _say(request: HttpRequest, result: ProbeResult) -> HttpResponse:
    response = render(request, "catalog/test_result.html", {"result": result})
    return say(response, f"Connection test: {result.title}.", "completed" if result.ok else "failed")
