"""Bodies as hostile or careless servers send them, over real sockets."""

import asyncio
import gzip
import socket
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from providers.request import HttpRequest
from streamhub.turns.destinations import Destinations
from streamhub.turns.engine.ports import TransportError
from streamhub.turns.transport import PIECE_BYTES, HttpTransport, tls_context

BODY = b"data: " + b"x" * 100_000 + b"\n\n"


@asynccontextmanager
async def answering(body: bytes, encoding: str, *, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """A server that sends `body` as it is, under a header that says how it is coded."""
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nConnection: close\r\n\r\n".encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, host, 0, family=socket.AF_INET) as server:
        yield f"http://{host}:{server.sockets[0].getsockname()[1]}/"


async def pieces_of(body: bytes, encoding: str) -> list[bytes]:
    transport = HttpTransport()
    async with answering(body, encoding) as url:
        try:
            async with transport.stream(HttpRequest(method="POST", url=url, headers={}, body=b"{}")) as got:
                return [piece async for piece in got.chunks()]
        finally:
            await transport.aclose()


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (BODY, "identity"),
        (gzip.compress(BODY), "gzip"),
        (gzip.compress(BODY), "GZIP"),
        (zlib.compress(BODY), "deflate"),
    ],
)
async def test_a_body_comes_in_small_pieces_however_it_was_packed(body, encoding):
    pieces = await pieces_of(body, encoding)
    assert b"".join(pieces) == BODY
    assert max(map(len, pieces)) <= PIECE_BYTES


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "zstd", "nonsense"])
async def test_codings_that_nobody_asked_for_are_refused(encoding):
    with pytest.raises(TransportError, match="was not asked for"):
        await pieces_of(gzip.compress(gzip.compress(BODY)), encoding)


async def test_what_only_claims_to_be_packed_is_a_failure_of_the_provider():
    with pytest.raises(TransportError) as caught:
        await pieces_of(b"plain words", "gzip")
    assert caught.value.failure.kind == "protocol"


async def test_a_bomb_leaves_other_tasks_their_turn():
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0)

    heart = asyncio.create_task(beat())
    pieces = await pieces_of(gzip.compress(b"\0" * 20_000_000), "gzip")
    heart.cancel()
    assert sum(map(len, pieces)) == 20_000_000
    assert beats >= len(pieces)


async def ask(url: str) -> int:
    transport = HttpTransport()
    try:
        async with transport.stream(HttpRequest(method="POST", url=url, headers={}, body=b"{}")) as answer:
            return answer.status
    finally:
        await transport.aclose()


def resolving_to(*addresses: str):
    async def getaddrinfo(*_arguments: object, **_options: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses]

    return getaddrinfo


@pytest.mark.parametrize(
    "addresses", [["169.254.169.254"], ["192.0.2.1", "fe80::1%eth0"], ["::ffff:169.254.1.1"]]
)
async def test_a_name_that_leads_to_a_metadata_address_is_refused_before_connecting(monkeypatch, addresses):
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolving_to(*addresses))
    with pytest.raises(TransportError, match="link-local or metadata") as caught:
        await ask("http://friendly.example/v1")
    assert caught.value.failure.kind == "forbidden"


async def test_such_an_address_itself_is_refused():
    with pytest.raises(TransportError, match="link-local or metadata"):
        await ask("http://169.254.169.254/latest")


async def test_many_calls_to_a_host_share_one_look_up(monkeypatch):
    asked: list[str] = []

    async def getaddrinfo(host: str, *_arguments: object, **_options: object) -> list[tuple[object, ...]]:
        asked.append(host)
        found: list[tuple[object, ...]] = await resolving_to("192.0.2.1")()
        return found

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    destinations = Destinations()
    await asyncio.gather(*(destinations.check("friendly.example") for _ in range(50)))
    assert asked == ["friendly.example"]
    await destinations.aclose()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost"])
async def test_this_machine_is_called_directly_whatever_proxy_is_set(monkeypatch, host):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    async with answering(b"", "identity", host=host) as url:
        assert await ask(url) == 200


def test_transports_share_one_tls_context():
    assert tls_context() is tls_context()
