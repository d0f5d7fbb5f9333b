"""One connection: HTTP/1.1 in and out, and a client's leaving noticed in the very loop turn that reports it.

Reading never pauses, not even while an answer waits or its bytes pile up: it is what notices the end.
A client that closes only its sending half counts as gone: HTTP clients do not do that and stay.
"""

import asyncio
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import h11

from providers.simulator.connections import Connection, Ledger

MAX_BODY_BYTES: Final = 32 * 1024 * 1024
MAX_SURPLUS_BYTES: Final = 64 * 1024  # what a client may send while its answer is still being written
LINGER_SECONDS: Final = 2.0
RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)  # SO_LINGER on, zero seconds: close() sends RST


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRequest:
    """A request as it came. Header names are lower case; `problem` is the status to refuse it with, or 0."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    problem: int = 0


type Handler = Callable[["Wire", WireRequest], Awaitable[None]]


class Wire(asyncio.Protocol):
    """The server's side of one TCP connection. One task at a time answers its requests, in order."""

    def __init__(self, handle: Handler, ledger: Ledger, wires: "set[Wire]") -> None:
        self._handle = handle
        self._ledger = ledger
        self._wires = wires
        self._http = h11.Connection(h11.SERVER)
        self._transport: asyncio.Transport
        self._opened_at = 0.0
        self._entry: Connection | None = None
        self._head: h11.Request | None = None
        self._body = bytearray()
        self._is_head = False
        self._surplus = 0
        self._deaf = False  # the request was refused unread; whatever else comes is dropped
        self._task: asyncio.Task[None] | None = None
        self._room: asyncio.Future[None] | None = None  # pending while the transport has asked for a pause

    # What asyncio reports

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client connected; it counts although it has not asked for anything."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._opened_at = time.time()
        self._entry = self._ledger.enter(self._opened_at)
        self._wires.add(self)

    def data_received(self, data: bytes) -> None:
        """Feed the parser. While an answer is going on only a little may come."""
        if self._deaf:
            return
        if self._task is not None:
            self._surplus += len(data)
        if self._surplus > MAX_SURPLUS_BYTES:
            self.cut("reset")
            return
        self._http.receive_data(data)
        self._pump()

    def eof_received(self) -> bool:
        """The client closed its side."""
        self._leave("closed_by_client")
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is gone, whoever ended it."""
        self._leave("closed_by_client")
        self._wires.discard(self)

    def pause_writing(self) -> None:
        """The client reads slower than the script talks."""
        if self._room is None:
            self._room = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        """There is room again."""
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._room = None

    # What a handler uses

    @property
    def entry(self) -> Connection:
        """The ledger's entry of the request that is being answered."""
        assert self._entry is not None
        return self._entry

    def forget_entry(self) -> None:
        """Keep this request out of the ledger."""
        self._ledger.forget(self.entry)

    async def writable(self) -> None:
        """Return when the transport wants more bytes."""
        if self._room is not None:
            await self._room

    def start(self, status: int, headers: Mapping[str, str]) -> None:
        """Write the status line and the headers."""
        fields = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        self._write(self._http.send(h11.Response(status_code=status, headers=fields)))

    def write(self, data: bytes) -> None:
        """Write a piece of the body, as one HTTP chunk where the body has no length."""
        self._write(self._http.send(h11.Data(data=data)))
        self.entry.bytes_sent += len(data)
        self._ledger.announce()

    async def end(self, state: Literal["completed", "refused"] = "completed") -> None:
        """End the body; the entry is settled once the kernel has taken all of it, mostly at once."""
        self._write(self._http.send(h11.EndOfMessage()))
        if self._transport.get_write_buffer_size():
            self._transport.set_write_buffer_limits(high=0)
            await self.writable()
            self._transport.set_write_buffer_limits()
        self._ledger.settle(self.entry, state)

    async def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        """Write a whole answer."""
        self.start(status, {**headers, "content-length": str(len(body))})
        if not self._is_head:
            self.write(body)
        await self.end("refused" if status >= 400 else "completed")

    def cut(self, how: Literal["reset", "close"]) -> None:
        """End the connection now: with a TCP reset, or a plain close in the middle of the body."""
        if how == "reset":
            sock = self._transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            self._leave("reset_by_server")
        else:
            self._settle("reset_by_server")
            self._transport.close()

    def shut(self) -> asyncio.Task[None] | None:
        """End the connection because the simulator ends; return the task that was answering, if any."""
        task = self._task
        self._leave("reset_by_server")
        return task

    # Inside

    def _settle(self, state: Literal["closed_by_client", "reset_by_server"]) -> None:
        if self._entry is not None:
            self._ledger.settle(self._entry, state)

    def _leave(self, state: Literal["closed_by_client", "reset_by_server"]) -> None:
        self._settle(state)
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._transport.abort()

    def _write(self, data: bytes | None) -> None:
        if data:
            self._transport.write(data)
            if self.entry.first_byte_at is None:
                self.entry.first_byte_at = time.time()

    def _pump(self) -> None:
        """Take from the parser what it has, up to a complete request."""
        while self._task is None:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                self._begin(error.error_status_hint)
                return
            match event:
                case h11.Request():
                    self._open_request(event)
                case h11.Data():
                    self._body += event.data
                case h11.EndOfMessage():
                    self._begin()
                case _:
                    return
            if self._is_too_large():
                self._begin(413)

    def _open_request(self, head: h11.Request) -> None:
        self._head, self._body = head, bytearray()
        self._is_head = head.method == b"HEAD"  # its answer has no body
        if self._entry is None:
            self._entry = self._ledger.enter(self._opened_at)
        if self._http.they_are_waiting_for_100_continue and not self._is_too_large():
            self._transport.write(
                self._http.send(h11.InformationalResponse(status_code=100, headers=[])) or b""
            )

    def _is_too_large(self) -> bool:
        if self._task is not None or self._head is None:
            return False
        announced = next((value for name, value in self._head.headers if name == b"content-length"), b"0")
        return max(len(self._body), int(announced)) > MAX_BODY_BYTES

    def _begin(self, problem: int = 0) -> None:
        """Answer what was asked, in a task of its own."""
        if self._entry is None:
            self._entry = self._ledger.enter(self._opened_at)
        self._entry.request_at = time.time()
        self._deaf = bool(problem)
        request = _wire_request(self._head, bytes(self._body), problem)
        self._head, self._body, self._surplus = None, bytearray(), 0
        self._task = asyncio.get_running_loop().create_task(self._answer(request))

    async def _answer(self, request: WireRequest) -> None:
        try:
            await self._handle(self, request)
        except Exception:
            self.cut("reset")
            raise
        self._recycle()

    def _recycle(self) -> None:
        """Wait for the next request, or close where the protocol says so."""
        if self._transport.is_closing():
            return
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
            self._task, self._entry = None, None
            self._pump()
        elif self._http.their_state is h11.DONE:
            self._transport.close()
        else:
            self._close_gently()

    def _close_gently(self) -> None:
        """Close without a reset although the client still sends, so that it can read why it was refused."""
        self._transport.write_eof()
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._transport.abort)


def _wire_request(head: h11.Request | None, body: bytes, problem: int) -> WireRequest:
    if head is None:
        return WireRequest(method="", path="", query="", headers={}, problem=problem or 400)
    path, _, query = head.target.decode("latin-1").partition("?")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
    method = head.method.decode("latin-1")
    return WireRequest(method=method, path=path, query=query, headers=headers, body=body, problem=problem)
