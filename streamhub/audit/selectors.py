"""Reading the audit record."""

from django.db.models import Q, QuerySet

from streamhub.audit.models import AuditEntry


def entries(*, server_id: int | None = None, text: str = "") -> QuerySet[AuditEntry]:
    """Return entries, newest first: of one server if given, and only those that mention `text`."""
    found = AuditEntry.objects.all()
    if server_id is not None:
        found = found.filter(server_id=server_id)
    if text:
        mentions = (
            Q(actor_label__icontains=text) | Q(action__icontains=text) | Q(target_label__icontains=text)
        )
        found = found.filter(mentions)
    return found
