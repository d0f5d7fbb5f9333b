"""The engine of a Celery worker: it runs or the worker ends."""

import pytest
from celery.signals import worker_ready

from streamhub.ops import worker
from streamhub.turns.tasks import look_for_work


def test_a_worker_whose_engine_cannot_start_ends_instead_of_going_on_deaf(monkeypatch, caplog):
    class Refusing:
        def start(self) -> None:
            raise ConnectionError("Redis is away")

    monkeypatch.setattr(worker, "EngineThread", Refusing)
    with pytest.raises(SystemExit) as end:
        worker_ready.send(sender=None)
    assert end.value.code == 1
    assert "Redis is away" in caplog.text
    assert not worker._running


def test_a_call_to_look_for_work_that_no_engine_hears_is_logged(caplog):
    look_for_work()
    assert "has no engine" in caplog.text
