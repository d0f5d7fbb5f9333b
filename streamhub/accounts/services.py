"""First-run set-up: how the first owner comes to be, exactly once."""

import hashlib
import secrets

from django.db import transaction
from django.utils import timezone

from streamhub.accounts.models import SetupLink, User


class SetupClosed(Exception):
    """The set-up link is unknown, used, or an owner exists already."""


def needs_setup() -> bool:
    """Tell whether nobody can log in yet."""
    return not User.objects.filter(is_superuser=True).exists()


def issue_setup_token() -> str:
    """Return the token of a fresh set-up link; older links stop working."""
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        SetupLink.objects.filter(used_at=None).delete()
        SetupLink.objects.create(token_hash=_hash(token))
    return token


def is_setup_token(token: str) -> bool:
    """Tell whether `token` may still create the owner."""
    return needs_setup() and SetupLink.objects.filter(token_hash=_hash(token), used_at=None).exists()


@transaction.atomic
def create_owner_with_token(*, token: str, email: str, name: str, password: str) -> User:
    """Use up a set-up link and return the owner it made. Raises SetupClosed if another request was first."""
    used = SetupLink.objects.filter(token_hash=_hash(token), used_at=None).update(used_at=timezone.now())
    if not used or not needs_setup():
        raise SetupClosed
    return User.objects.create_superuser(email, password, name=name)


@transaction.atomic
def ensure_owner(*, email: str, password: str) -> User:
    """Create the owner named by the environment, or return who has that address, password unchanged."""
    existing = User.objects.filter(email__iexact=email).first()
    return existing or User.objects.create_superuser(email, password)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
