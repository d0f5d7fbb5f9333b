"""Logging in, and making the first owner."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.http import HttpRequest
from django.utils import timezone
from django.utils.timesince import timeuntil

from streamhub.accounts import throttle
from streamhub.accounts.models import User
from streamhub.console.forms.base import StyledForm

WRONG = "This e-mail address and password do not belong together. Passwords tell capitals from small letters."


class LoginForm(StyledForm):
    """E-mail address and password; `user` is set once both are right. Failed tries are counted."""

    tall = True
    email = forms.EmailField(
        label="E-mail", widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True})
    )
    password = forms.CharField(
        label="Password", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        super().__init__(data)
        self.request = request
        self.user: User | None = None

    def clean(self) -> dict[str, Any]:
        """Try the password, unless the account must wait."""
        values = super().clean() or {}
        if {"email", "password"} <= values.keys():
            self.user = self._try(values["email"], values["password"])
        return values

    def _try(self, email: str, password: str) -> User:
        source, now = self.request.META.get("REMOTE_ADDR", ""), timezone.now()
        until = throttle.begin_try(email=email, source=source, now=now)
        if until is not None:
            wait = timeuntil(until + timedelta(minutes=1), now, depth=1)
            raise forms.ValidationError(f"Too many failed tries. Wait {wait}, then try again.")
        user = authenticate(self.request, username=email, password=password)
        if not isinstance(user, User):
            raise forms.ValidationError(WRONG)
        throttle.forget(email=email, source=source)
        return user


class OwnerForm(StyledForm):
    """The account of the first owner."""

    tall = True
    name = forms.CharField(
        label="Name", max_length=80, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    email = forms.EmailField(
        label="E-mail",
        max_length=254,
        help_text="You log in with it. Nothing is sent to it.",
        widget=forms.EmailInput(attrs={"autocomplete": "username"}),
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        help_text="10 characters or more. Pasting is welcome.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}, render_value=True),
    )

    def clean(self) -> dict[str, Any]:
        """Hold the password against the rules, knowing who it is for."""
        values = super().clean() or {}
        if "password" in values:
            person = User(email=values.get("email", ""), name=values.get("name", ""))
            try:
                validate_password(values["password"], person)
            except forms.ValidationError as error:
                self.add_error("password", error)
        return values
