"""People who may log in, and the one-time link that makes the first of them."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower


class UserManager(BaseUserManager["User"]):
    """Creates users by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Return a new user with a hashed password (unusable if None)."""
        user = self.model(email=self.normalize_email(email).strip(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Return a new owner."""
        return self.create_user(email, password, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        """Find a user by address, in whatever case it is typed."""
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person. `is_superuser` marks an owner, who may do everything."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=80, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(Lower("email"), name="user_email_unique_in_any_case"),
            models.CheckConstraint(condition=~models.Q(email=""), name="user_has_email"),
        ]

    def __str__(self) -> str:
        return self.short_name

    @property
    def short_name(self) -> str:
        """The name to show: what the person chose, else the address before the at sign."""
        return self.name or self.email.partition("@")[0]


class SetupLink(models.Model):
    """A link that may create the owner, once. Only the hash of its token is kept."""

    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"set-up link of {self.created_at:%Y-%m-%d %H:%M}"


class FailedLogin(models.Model):
    """A try to log in that failed, or whose password is being checked; `accounts.throttle` counts and forgets them."""

    key = models.CharField(max_length=64)
    at = models.DateTimeField(db_index=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["key", "-at"], name="failed_login_by_key")
        ]

    def __str__(self) -> str:
        return f"failed log-in at {self.at:%H:%M:%S}"
