"""The live websocket over the real application, with a real session."""

import asyncio
import json
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client
from django.utils import timezone

from streamhub.asgi import application
from streamhub.console import consumers
from streamhub.live import publish
from streamhub.turns.models import TurnChunk
from streamhub.turns.state import Status
from tests.builders import make_channel, make_server, make_turn, make_user

pytestmark = pytest.mark.django_db(transaction=True)
ORIGIN = [(b"origin", b"http://localhost"), (b"host", b"localhost")]


class Socket:
    """A browser's end of the socket."""

    def __init__(self, user=None, headers=ORIGIN):
        self.client = Client()
        if user:
            self.client.force_login(user)
        cookie = self.client.cookies.get(settings.SESSION_COOKIE_NAME)
        extra = [(b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie.value}".encode())] if cookie else []
        self.wire = WebsocketCommunicator(application, "/ws/live/", headers=[*headers, *extra])

    async def open(self):
        connected, _ = await self.wire.connect(timeout=5)
        return connected

    async def say(self, **message):
        await self.wire.send_to(text_data=json.dumps(message))

    async def items(self):
        frame = json.loads(await self.wire.receive_from(5))
        await self.say(ack=frame["n"])
        return frame["items"]

    async def closed_with(self):
        while True:
            answer = await self.wire.receive_output(5)
            if answer["type"] == "websocket.close":
                return answer["code"]


@pytest.fixture
async def owner():
    return await sync_to_async(make_user)()


@pytest.fixture
async def socket(owner):
    socket = await sync_to_async(Socket)(owner)
    assert await socket.open()
    yield socket
    await socket.wire.disconnect()


async def test_a_visitor_without_login_is_told_so_and_shown_out():
    socket = await sync_to_async(Socket)()
    await socket.open()
    assert await socket.closed_with() == 4401


async def test_a_person_without_rights_sees_no_channel():
    stranger = await sync_to_async(make_user)(owner=False)
    channel = await sync_to_async(make_channel)()
    socket = await sync_to_async(Socket)(stranger)
    await socket.open()
    await socket.say(watch="channel", channel=channel.pk)
    assert await socket.closed_with() == 4403


async def test_a_page_of_another_origin_cannot_connect(owner):
    headers = [(b"origin", b"http://evil.example"), (b"host", b"localhost")]
    socket = await sync_to_async(Socket)(owner, headers)
    assert not await socket.open()


async def test_a_wall_gets_cards_and_changes_but_no_chunks(socket):
    channel = await sync_to_async(make_channel)()
    await socket.say(watch="wall", server=channel.server_id)
    assert [item["k"] for item in await socket.items()] == ["hello"]
    await publish.send_bundle(channel.server_id, ['{"k":"card"}'], {str(channel.pk): ['{"k":"chunks"}']})
    assert [item["k"] for item in await socket.items()] == ["card"]
    await publish.send_changed(channel.server_id, "t")
    assert await socket.items() == [{"k": "changed", "server": channel.server_id, "turn": "t"}]


async def test_a_channel_gets_its_own_chunks_only(socket):
    channel = await sync_to_async(make_channel)()
    await socket.say(watch="channel", channel=channel.pk)
    await socket.items()
    chunks = {str(channel.pk): ['{"k":"chunks","turn":"mine"}'], "999": ['{"k":"chunks","turn":"other"}']}
    await publish.send_bundle(channel.server_id, [], chunks)
    assert await socket.items() == [{"k": "chunks", "turn": "mine"}]


async def test_since_answers_exactly_what_comes_after(socket):
    turn = await sync_to_async(make_turn)(status=Status.RUNNING)
    for first, last in ((1, 3), (4, 5)):
        await TurnChunk.objects.acreate(
            turn=turn,
            first_seq=first,
            last_seq=last,
            chunks=[[seq, {"type": "text", "content": f"<{seq}>"}] for seq in range(first, last + 1)],
            at=timezone.now(),
        )
    await socket.say(since={str(turn.pk): 2})
    (answer,) = await socket.items()
    assert answer["ops"] == [[3, "t", "<3>"], [4, "t", "<4>"], [5, "t", "<5>"]]
    assert (answer["first"], answer["last"], answer["more"]) == (3, 5, False)


async def test_a_server_made_later_joins_the_wall_of_all_servers(socket, monkeypatch):
    monkeypatch.setattr(consumers, "CHECK_RIGHTS_SECONDS", 0.05)
    await socket.wire.disconnect()
    later = await sync_to_async(Socket)(await sync_to_async(make_user)())
    await later.open()
    await later.say(watch="wall", server=None)
    await later.items()
    server = await sync_to_async(make_server)()
    async with asyncio.timeout(10):
        while True:
            await publish.send_changed(server.pk, "t")
            if not await later.wire.receive_nothing(0.2):
                break
    assert (await later.items())[0]["server"] == server.pk
    await later.wire.disconnect()


async def test_logging_out_elsewhere_closes_the_socket_at_the_next_message(socket):
    await sync_to_async(socket.client.logout)()
    await socket.say(watch="wall", server=None)
    assert await socket.closed_with() == 4401


async def test_a_deactivated_person_is_shown_out_within_the_checking_interval(owner, monkeypatch):
    monkeypatch.setattr(consumers, "CHECK_RIGHTS_SECONDS", 0.05)
    socket = await sync_to_async(Socket)(owner)
    await socket.open()
    owner.is_active = False
    await owner.asave()
    assert await socket.closed_with() == 4401


NONSENSE = [
    " ",
    "no json",
    "[]",
    "7",
    '{"watch": "everything"}',
    '{"watch": "wall", "server": "x"}',
    '{"watch": "wall", "server": true}',
    '{"watch": "channel", "channel": -1}',
    '{"watch": "channel", "channel": ' + "9" * 400 + "}",
    '{"since": [1]}',
    '{"since": {' + ",".join(f'"{n}": 1' for n in range(21)) + "}}",
    '{"a":' * 3_000 + "1" + "}" * 3_000,
    '{"watch": "' + "x" * 20_000 + '"}',
]


@pytest.mark.parametrize("message", NONSENSE, ids=range(len(NONSENSE)))
async def test_what_is_no_message_of_the_protocol_closes_the_socket_politely(socket, message):
    await socket.wire.send_to(text_data=message)
    assert await socket.closed_with() == 4400


@pytest.mark.parametrize("seq", [-1, True, "1", 2**70, None])
async def test_an_impossible_seq_or_an_unknown_turn_gets_no_answer(socket, seq):
    turn = await sync_to_async(make_turn)()
    await socket.say(since={str(turn.pk): seq, "not-a-uuid": 1, str(uuid4()): 0})
    assert await socket.wire.receive_nothing(0.3)
