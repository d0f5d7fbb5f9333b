"""Fan-out within a process: one subscription a server, each watcher gets what it watches and nothing else."""

import asyncio

import pytest

from streamhub.live import publish
from streamhub.live.hub import LiveHub


class Watcher:
    """Notes what it was handed."""

    def __init__(self) -> None:
        self.changed: list[tuple[int, str]] = []
        self.cards: list[str] = []
        self.chunks: list[dict[str, list[str]]] = []
        self.losses = 0

    def take_changed(self, server, turn):
        self.changed.append((server, turn))

    def take_bundle(self, cards, chunks):
        self.cards += cards
        self.chunks.append(chunks)

    def take_loss(self):
        self.losses += 1


@pytest.fixture
async def hub():
    hub = LiveHub()
    yield hub
    await hub.close()


async def delivered() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_watcher_gets_what_happens_in_its_servers_only(hub):
    mine, other = Watcher(), Watcher()
    await hub.join(mine, [901])
    await hub.join(other, [902])
    await publish.send_changed(901, "t1")
    await publish.send_bundle(901, ['{"k":"card"}'], {"7": ["{}"]})
    await delivered()
    assert mine.changed == [(901, "t1")]
    assert mine.cards == ['{"k":"card"}']
    assert mine.chunks == [{"7": ["{}"]}]
    assert not other.changed
    assert not other.chunks


async def test_a_watcher_that_left_gets_nothing_more(hub):
    stays, leaves = Watcher(), Watcher()
    await hub.join(stays, [903])
    await hub.join(leaves, [903])
    await hub.leave(leaves)
    await publish.send_changed(903, "t1")
    await delivered()
    assert stays.changed == [(903, "t1")]
    assert not leaves.changed


async def test_joining_twice_delivers_once(hub):
    watcher = Watcher()
    await hub.join(watcher, [904])
    await hub.join(watcher, [904, 905])
    await publish.send_changed(904, "t1")
    await publish.send_changed(905, "t2")
    await delivered()
    assert sorted(watcher.changed) == [(904, "t1"), (905, "t2")]


async def test_watchers_are_told_of_a_loss_when_the_subscription_broke(hub, monkeypatch):
    monkeypatch.setattr("streamhub.live.hub.RETRY_SECONDS", 0)
    watcher = Watcher()
    receive, broken = hub._layer.receive, [True]

    async def breaks_once(channel):
        if broken:
            broken.clear()
            raise ConnectionError
        return await receive(channel)

    monkeypatch.setattr(hub._layer, "receive", breaks_once)
    await hub.join(watcher, [906])
    await delivered()
    await publish.send_changed(906, "t1")
    await delivered()
    assert watcher.losses == 1
    assert watcher.changed == [(906, "t1")]


@pytest.mark.parametrize("passes", range(6))
async def test_a_viewer_that_joins_while_another_leaves_gets_everything(hub, passes):
    """The old page's socket closes while the new page's opens, at any point of either."""
    leaves, joins = Watcher(), Watcher()
    await hub.join(leaves, [907])
    leaving = asyncio.create_task(hub.leave(leaves))
    for _ in range(passes):
        await asyncio.sleep(0)
    await hub.join(joins, [907])
    await leaving
    await publish.send_changed(907, "t1")
    await delivered()
    assert joins.changed == [(907, "t1")]
    assert not leaves.changed


async def test_a_layer_that_cannot_unsubscribe_keeps_nobody_from_leaving(hub, monkeypatch):
    watcher = Watcher()
    await hub.join(watcher, [908])

    async def is_away(*_):
        raise ConnectionError

    monkeypatch.setattr(hub._layer, "group_discard", is_away)
    await hub.leave(watcher)
    await publish.send_changed(908, "t1")
    await delivered()
    assert not watcher.changed
