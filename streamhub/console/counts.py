"""How many turns run and wait, for the frame of the page and for the lists of servers and channels."""

from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, QuerySet
from django.utils import timezone

from streamhub.servers.models import Server
from streamhub.turns import workers
from streamhub.turns.models import Turn
from streamhub.turns.state import LIVE, Status

KEEP_SECONDS = 1


@dataclass(slots=True)
class Live:
    """Turns of one server or channel that are not over."""

    running: int = 0
    queued: int = 0

    @property
    def total(self) -> int:
        """Both together: what a kill of everything would end."""
        return self.running + self.queued


def live_by_server() -> dict[int, Live]:
    """Return the live turns of every server that has any."""
    return _by("server_id", Turn.objects.all())


def live_by_channel(server: Server) -> dict[int, Live]:
    """Return the live turns of every channel of a server that has any."""
    return _by("channel_id", Turn.objects.filter(server=server))


def workers_alive() -> int:
    """Return how many workers gave a sign of life lately, at most a second old."""
    count: int | None = cache.get("workers-alive")
    if count is None:
        count = workers.count_alive(timezone.now())
        cache.set("workers-alive", count, KEEP_SECONDS)
    return count


def _by(column: str, turns: QuerySet[Turn]) -> dict[int, Live]:
    rows = turns.filter(status__in=LIVE).order_by().values(column, "status").annotate(number=Count("pk"))
    found: dict[int, Live] = {}
    for row in rows:
        live = found.setdefault(row[column], Live())
        if row["status"] == Status.RUNNING:
            live.running = row["number"]
        else:
            live.queued = row["number"]
    return found
