"""Who runs turns, and who is forgotten."""

from datetime import timedelta

import pytest
from django.utils import timezone

from streamhub.turns import workers
from streamhub.turns.models import Worker
from streamhub.turns.tasks import reap

pytestmark = pytest.mark.django_db


def test_the_reaper_forgets_workers_that_are_long_gone_and_only_those():
    now = timezone.now()
    for name, age in (("alive", 0), ("silent", 60), ("gone", 3700)):
        beat = now - timedelta(seconds=age)
        Worker.objects.create(id=name, started_at=beat, heartbeat_at=beat, capacity=1)
    assert workers.count_alive(now) == 1
    reap()
    assert set(Worker.objects.values_list("pk", flat=True)) == {"alive", "silent"}
