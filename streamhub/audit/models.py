"""The append-only record of who changed what."""

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.db import models


class AppendOnly(Exception):
    """Somebody tried to change or delete an audit entry."""


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Refuses the two verbs that would rewrite history."""

    def update(self, **_fields: Any) -> NoReturn:
        raise AppendOnly("Audit entries are never changed.")

    def delete(self) -> NoReturn:
        raise AppendOnly("Audit entries are never deleted.")


class AuditEntry(models.Model):
    """One act. The actor's label is kept beside the reference, which may go away with the person."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.DO_NOTHING, db_constraint=False
    )
    actor_label = models.CharField(max_length=120)
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=80)
    target_label = models.CharField(max_length=200, blank=True)
    server_id = models.BigIntegerField(null=True, blank=True)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-at", "-id"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["target", "action", "-at"], name="audit_by_target"),
            models.Index(fields=["server_id", "-at"], name="audit_by_server"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_label} {self.action} {self.target_label or self.target}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the entry; a second save is refused."""
        if not self._state.adding:
            raise AppendOnly("Audit entries are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnly("Audit entries are never deleted.")
