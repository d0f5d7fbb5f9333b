"""Celery tasks. Each says only "look": what there is to do, the database knows."""

from logging import getLogger

from celery import shared_task
from django.utils import timezone

from streamhub.live import publish
from streamhub.turns import dispatch, local, store, workers

log = getLogger(__name__)


@shared_task(ignore_result=True)
def look_for_work() -> None:
    """Wake the engine of this worker."""
    if not local.wake():
        log.warning("Asked to look for work, but this process has no engine: turns wait for another worker")


@shared_task(ignore_result=True)
def reap() -> None:
    """Mark turns of dead workers as lost and let their channels go on; forget workers that are long gone."""
    workers.forget(timezone.now())
    lost = store.reap(now=timezone.now())
    for server_id, turn_id in lost:
        publish.turn_changed(server_id, turn_id)
    if lost:
        dispatch.wake_workers()
