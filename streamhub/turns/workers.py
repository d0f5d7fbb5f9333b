"""The processes that run turns, as the record knows them: by their heartbeats."""

from datetime import datetime, timedelta

from streamhub.turns.models import Worker

# Three heartbeats of an engine: one that is late is no reason for alarm.
SILENT_AFTER = timedelta(seconds=15)
# One that stops takes its row away; what is older was killed, and nothing on record points to it.
FORGOTTEN_AFTER = timedelta(hours=1)


def count_alive(now: datetime) -> int:
    """Return how many workers gave a sign of life lately."""
    return Worker.objects.filter(heartbeat_at__gte=now - SILENT_AFTER).count()


def forget(now: datetime, *, everybody: bool = False) -> None:
    """Delete the rows of workers that are long gone; all of them if the caller knows that none lives."""
    gone = (
        Worker.objects.all() if everybody else Worker.objects.filter(heartbeat_at__lt=now - FORGOTTEN_AFTER)
    )
    gone.delete()
