"""Hints are sent after the commit and may be lost; they never hold up or break what they tell about."""

import asyncio
from uuid import uuid4

import pytest
from django.db import transaction

from streamhub.live import publish


class Layer:
    """Notes what is sent, or misbehaves."""

    def __init__(self, behave=None):
        self.sent = []
        self._behave = behave

    async def group_send(self, group, message):
        if self._behave:
            await self._behave()
        self.sent.append((group, message["type"]))


@pytest.fixture
def use(monkeypatch):
    def install(layer):
        monkeypatch.setattr(publish, "get_channel_layer", lambda: layer)
        return layer

    return install


@pytest.mark.django_db(transaction=True)
def test_a_change_is_told_after_the_commit_and_not_before(use):
    layer = use(Layer())
    with transaction.atomic():
        publish.turn_changed(7, uuid4())
        assert not layer.sent
    assert layer.sent == [("server.7", "turn.changed")]


@pytest.mark.django_db(transaction=True)
def test_a_change_that_is_rolled_back_is_never_told(use):
    layer = use(Layer())
    with transaction.atomic():
        publish.turn_changed(7, uuid4())
        transaction.set_rollback(True)
    assert not layer.sent


async def test_a_layer_that_is_away_loses_the_hint_and_nothing_else(use):
    async def is_away():
        raise ConnectionError

    use(Layer(is_away))
    await publish.send_changed(7, "t")


async def test_a_layer_that_hangs_is_given_up(use, monkeypatch):
    monkeypatch.setattr(publish, "SEND_SECONDS", 0.01)
    use(Layer(asyncio.Event().wait))
    await publish.send_changed(7, "t")
