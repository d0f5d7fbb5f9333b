"""Waking workers: the only place that queues Celery work or rings the engine's doorbell.

Both say no more than "look for work"; the database says which. The doorbell (in-process when the engine runs here, over
the layer otherwise) is fast and may be lost, the Celery message is the guarantee.
"""

from functools import partial
from logging import getLogger

from django.db import transaction
from kombu.exceptions import OperationalError

from streamhub.live import publish
from streamhub.turns import local

log = getLogger(__name__)


def wake_workers() -> None:
    """Ask every engine to look for queued turns, once the current transaction is committed."""
    transaction.on_commit(_wake_now)


def signal_kill(turn_id: str, worker_id: str, fencing_token: int) -> None:
    """Tell the engine that owns a turn to end it, once the kill request is committed."""
    transaction.on_commit(partial(_signal_now, turn_id, worker_id, fencing_token))


def _wake_now() -> None:
    from streamhub.turns.tasks import look_for_work

    if not local.wake():
        publish.doorbell()
    try:
        look_for_work.apply_async(retry=False)
    except OperationalError as error:
        # The turn is on record already; whoever looks next finds it. Failing the request would only start it twice.
        log.warning("the broker took no wake-up: %s", error)


def _signal_now(turn_id: str, worker_id: str, fencing_token: int) -> None:
    if not local.kill(worker_id, turn_id, fencing_token):
        publish.kill_signal(turn_id, worker_id, fencing_token)
