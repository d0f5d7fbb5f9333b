"""Writing the audit record, inside the transaction of the change: neither exists without the other."""

from typing import Any

from django.db import models

from streamhub.accounts.models import User
from streamhub.audit.models import AuditEntry

SYSTEM = "StreamHub"


def record(
    actor: User | None,
    action: str,
    target: models.Model,
    *,
    server_id: int | None = None,
    before: Any = None,
    after: Any = None,
) -> AuditEntry:
    """Append an entry: `action` is a verb in the past ("switched", "killed"); no secret in before/after."""
    return AuditEntry.objects.create(
        actor=actor,
        actor_label=str(actor) if actor else SYSTEM,
        action=action,
        target=f"{target._meta.label_lower}:{target.pk}",
        target_label=str(target)[:200],
        server_id=server_id,
        before=before,
        after=after,
    )
