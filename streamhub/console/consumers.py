"""The live websocket (docs/live-protocol.md). Login and rights are asked of the database on every message and again
every few seconds, never taken from the connection; what is shown comes from the live hub and the record."""

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from logging import getLogger
from typing import Any
from uuid import UUID

import msgspec
from channels.auth import get_user
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db.models import QuerySet

import streamhub
from streamhub.accounts.models import User
from streamhub.live.hub import hub_of_this_loop
from streamhub.live.viewer import Viewer
from streamhub.servers.access import visible_servers
from streamhub.servers.models import Channel, Server
from streamhub.turns.attention import LATE_SHARE, STALLED_AFTER_MS
from streamhub.turns.models import Turn
from streamhub.turns.selectors import ops_after

NOT_LOGGED_IN, NO_RIGHT, BAD_MESSAGE, CANNOT_CHECK = 4401, 4403, 4400, 1011
CHECK_RIGHTS_SECONDS = 5.0
MAX_MESSAGE_CHARS = 16_384
MAX_TURNS_ASKED = 20
OPS_PER_ANSWER = 5_000

log = getLogger(__name__)

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(dict[str, Any])


class LiveConsumer(AsyncWebsocketConsumer):
    """One browser that watches a wall or a channel."""

    user: User

    async def connect(self) -> None:
        """Accept first, then say why not: a browser cannot read the reason of a refused handshake."""
        await self.accept()
        self.viewer = Viewer(partial(self.send))
        self.channel_id: int | None = None
        self.server_ids: list[int] = []
        self.is_watching_all = False
        self.tasks: list[asyncio.Task[None]] = []
        if not await self._is_allowed():
            return
        self.tasks = [asyncio.create_task(self.viewer.run()), asyncio.create_task(self._keep_checking())]

    async def disconnect(self, code: int) -> None:
        """End what ran for this browser, then leave the hub: the second may fail with the layer, the first must not."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await hub_of_this_loop().leave(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle one message. What is no message of the protocol closes the socket."""
        message = _parse(text_data)
        if message is None:
            await self.close(BAD_MESSAGE)
        elif _is_number(message.get("ack")):
            self.viewer.acknowledge(message["ack"])
        elif await self._is_allowed():
            await self._handle(message)

    async def _handle(self, message: dict[str, Any]) -> None:
        match message:
            case {"watch": "wall", "server": None}:
                self.is_watching_all = True
                await self._watch(await self._servers(None), None)
            case {"watch": "wall", "server": server} if _is_number(server):
                self.is_watching_all = False
                await self._watch(await self._servers(server), None)
            case {"watch": "channel", "channel": channel} if _is_number(channel):
                self.is_watching_all = False
                await self._watch(await self._server_of(channel), channel)
            case {"since": dict() as since} if len(since) <= MAX_TURNS_ASKED:
                await self._answer_since(since)
            case _:
                await self.close(BAD_MESSAGE)

    async def _watch(self, servers: list[int], channel: int | None) -> None:
        if channel is not None and not servers:
            await self.close(NO_RIGHT)
            return
        hub = hub_of_this_loop()
        await hub.leave(self)
        self.server_ids, self.channel_id = servers, channel
        await hub.join(self, servers)
        self.viewer.offer([_HELLO])

    async def _answer_since(self, since: dict[str, Any]) -> None:
        for turn_id, seq in since.items():
            answer = await self._ops(turn_id, seq)
            if answer is not None:
                self.viewer.offer([answer])

    # What the hub hands over; none of these waits.

    def take_changed(self, server: int, turn: str) -> None:
        """A turn changed its status."""
        self.viewer.offer([_json({"k": "changed", "server": server, "turn": turn})])

    def take_bundle(self, cards: Sequence[str], chunks: dict[str, list[str]]) -> None:
        """A tick: cards for everybody, chunks for those who watch their channel."""
        self.viewer.offer(cards)
        if self.channel_id is not None:
            self.viewer.offer(chunks.get(str(self.channel_id), ()))

    def take_loss(self) -> None:
        """Frames may be missing."""
        self.viewer.lose()

    # Rights and the record.

    async def _keep_checking(self) -> None:
        """A check that fails closes the socket: the browser connects anew and is checked then."""
        try:
            while True:
                await asyncio.sleep(CHECK_RIGHTS_SECONDS)
                if await self._is_allowed() and self.is_watching_all:
                    await self._join_new_servers()
        except Exception:
            log.exception("the rights of a viewer could not be checked")
            await self.close(CANNOT_CHECK)

    async def _join_new_servers(self) -> None:
        """The wall of all servers shows those that were made meanwhile, too."""
        self.server_ids = await self._servers(None)
        await hub_of_this_loop().join(self, self.server_ids)

    async def _is_allowed(self) -> bool:
        """Ask the database who this is and whether they still see what they watch; close the socket if not."""
        user = await self._user()
        if user is None:
            await self.close(NOT_LOGGED_IN)
            return False
        if self.server_ids and not await _sees_all(user, self.server_ids):
            await self.close(NO_RIGHT)
            return False
        self.user = user
        return True

    async def _user(self) -> User | None:
        """Return the session's user as the database has it now: a log-out or a deactivation counts at once."""
        store = import_module(settings.SESSION_ENGINE).SessionStore
        session: Any = self.scope["session"]
        scope: Any = {"session": store(session.session_key)}
        user = await get_user(scope)
        return user if isinstance(user, User) and user.is_active else None

    @database_sync_to_async
    def _servers(self, server: int | None) -> list[int]:
        visible: QuerySet[Server] = visible_servers(self.user)
        return list((visible if server is None else visible.filter(pk=server)).values_list("pk", flat=True))

    @database_sync_to_async
    def _server_of(self, channel: int) -> list[int]:
        visible = visible_servers(self.user)
        return list(
            Channel.objects.filter(pk=channel, server__in=visible).values_list("server_id", flat=True)
        )

    @database_sync_to_async
    def _ops(self, turn_id: str, seq: Any) -> str | None:
        with contextlib.suppress(ValueError):
            if _is_number(seq):
                return _recorded(UUID(turn_id), seq, visible_servers(self.user))
        return None


def _recorded(turn_id: UUID, seq: int, visible: QuerySet[Server]) -> str | None:
    channel = Turn.objects.filter(pk=turn_id, server__in=visible).values_list("channel_id", flat=True).first()
    if channel is None:
        return None
    found = ops_after(turn_id, seq, OPS_PER_ANSWER)
    item = {"k": "chunks", "turn": str(turn_id), "channel": channel, "recorded": True}
    return _json({**item, "first": found.first, "last": found.last, "ops": found.ops, "more": found.more})


@database_sync_to_async
def _sees_all(user: User, servers: list[int]) -> bool:
    """Servers that were deleted meanwhile are no lost right."""
    existing = set(Server.objects.filter(pk__in=servers).values_list("pk", flat=True))
    return existing <= set(visible_servers(user).filter(pk__in=servers).values_list("pk", flat=True))


def _is_number(value: Any) -> bool:
    """Tell whether a viewer sent an id or a seq that a database can hold."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _parse(text: str | None) -> dict[str, Any] | None:
    if text is None or len(text) > MAX_MESSAGE_CHARS:
        return None
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def _json(item: dict[str, Any]) -> str:
    return _encoder.encode(item).decode()


_HELLO = _json(
    {
        "k": "hello",
        "stalled_ms": STALLED_AFTER_MS,
        "late_share": LATE_SHARE,
        "version": streamhub.__version__,
    }
)
