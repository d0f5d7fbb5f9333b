"""What every page of the console needs beside its own content."""

from datetime import timedelta

from django.core.cache import cache
from django.db.models import Count, Q
from django.http import HttpRequest
from django.utils import timezone

import streamhub
from streamhub.turns.models import Turn, Worker
from streamhub.turns.state import LIVE, Status

COUNTS_KEEP_SECONDS = 1
WORKER_SILENT_AFTER = timedelta(seconds=15)


def shell(request: HttpRequest) -> dict[str, object]:
    """Return the values of the frame around each page; who is not logged in learns only the version."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"version": streamhub.__version__}
    counts: dict[str, object] = cache.get_or_set("shell-counts", _counts, COUNTS_KEEP_SECONDS) or {}
    return {"version": streamhub.__version__, **counts}


def _counts() -> dict[str, object]:
    """Two small index scans, at most once a second in a process."""
    turns = Turn.objects.filter(status__in=LIVE).aggregate(
        live_count=Count("pk", filter=Q(status=Status.RUNNING)),
        queued_count=Count("pk", filter=Q(status=Status.QUEUED)),
    )
    alive = Worker.objects.filter(heartbeat_at__gte=timezone.now() - WORKER_SILENT_AFTER)
    return {**turns, "worker_count": alive.count()}
