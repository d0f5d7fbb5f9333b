"""Getting in and out: log in, log out, and the set-up page that makes the first owner."""

from django.conf import settings
from django.contrib.auth import login as start_session
from django.contrib.auth import logout as end_session
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from streamhub.accounts.services import SetupClosed, create_owner_with_token, is_setup_token, needs_setup
from streamhub.audit.services import record
from streamhub.console.forms.accounts import LoginForm, OwnerForm
from streamhub.console.machine import machine_checks
from streamhub.console.replies import see
from streamhub.console.typed import one_line

BACKEND = "django.contrib.auth.backends.ModelBackend"
MAX_ADDRESS = 2000


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def login(request: HttpRequest) -> HttpResponse:
    """Ask for address and password. Before anybody exists, say where the set-up link is."""
    if request.headers.get("HX-Request"):
        return HttpResponseClientRedirect(reverse("login"))
    if needs_setup():
        return render(request, "accounts/no_owner.html")
    if request.user.is_authenticated:
        return HttpResponseRedirect(_next(request))
    form = LoginForm(request, request.POST or None)
    if form.is_valid() and form.user:
        start_session(request, form.user, backend=BACKEND)
        return HttpResponseRedirect(_next(request))
    status = 422 if form.is_bound else 200
    return render(request, "accounts/login.html", {"form": form, "next": _next(request)}, status=status)


@require_POST
def logout(request: HttpRequest) -> HttpResponse:
    """End the session."""
    end_session(request)
    return see(request, reverse("login"), "You are logged out.")


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def setup(request: HttpRequest, token: str) -> HttpResponse:
    """Make the first owner, who is logged in at once. A link that was used or is not ours opens nothing."""
    if not is_setup_token(token):
        return _closed(request)
    form = OwnerForm(request.POST or None)
    if not form.is_valid():
        context = {"form": form, "checks": machine_checks(request)}
        return render(request, "accounts/setup.html", context, status=422 if form.is_bound else 200)
    try:
        with transaction.atomic():
            owner = create_owner_with_token(token=token, **form.cleaned_data)
            record(owner, "made the owner", owner)
    except SetupClosed:
        return _closed(request)
    start_session(request, owner, backend=BACKEND)
    return see(request, reverse("wall"), f"Welcome, {owner.short_name}. The set-up link is used up.")


def _closed(request: HttpRequest) -> HttpResponse:
    open_elsewhere = needs_setup()
    status = 404 if open_elsewhere else 410
    return render(request, "accounts/setup_closed.html", {"open_elsewhere": open_elsewhere}, status=status)


def _next(request: HttpRequest) -> str:
    """Where the person wanted to go, if it is a place of ours."""
    url = one_line(request.POST.get("next") or request.GET.get("next") or "", MAX_ADDRESS)
    ours = url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure())
    return url if ours and url.startswith("/") else reverse(settings.LOGIN_REDIRECT_URL)
