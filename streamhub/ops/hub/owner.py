"""How the first owner comes to be when a hub starts: from the environment, or through a one-time link."""

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from streamhub.accounts.models import User
from streamhub.accounts.services import ensure_owner, issue_setup_token, needs_setup
from streamhub.audit.services import record
from streamhub.ops.hub.refusal import HubRefused

EMAIL, PASSWORD = "STREAMHUB_ADMIN_EMAIL", "STREAMHUB_ADMIN_PASSWORD"


def prepare_owner() -> str | None:
    """Create the owner whom the environment names; return a set-up token while there is none, else None.

    Raises HubRefused for an address or password that the set-up page would refuse too.
    """
    email, password = settings.ADMIN_EMAIL.strip(), settings.ADMIN_PASSWORD
    if bool(email) != bool(password):
        raise HubRefused(f"Set both {EMAIL} and {PASSWORD}, or neither.")
    if email and not User.objects.filter(email__iexact=email).exists():
        _check(email, password)
        with transaction.atomic():
            record(None, "made the owner", ensure_owner(email=email, password=password))
    return issue_setup_token() if needs_setup() else None


def _check(email: str, password: str) -> None:
    try:
        validate_email(email)
    except ValidationError as error:
        raise HubRefused(f"{EMAIL}: {email!r} is not an e-mail address.") from error
    try:
        validate_password(password, User(email=email))
    except ValidationError as error:
        raise HubRefused(f"{PASSWORD}: {' '.join(error.messages)}") from error
