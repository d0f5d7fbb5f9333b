"""Bodies as hostile or careless servers send them, over real sockets."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from providers.request import HttpRequest
from streamhub.turns.engine.ports import TransportError
from streamhub.turns.transport import PIECE_BYTES, HttpTransport

BODY = b"data: " + b"x" * 100_000 + b"\n\n"


@asynccontextmanager
async def answering(body: bytes, encoding: str) -> AsyncIterator[str]:
    """A server that sends `body` as it is, under a header that says how it is coded."""
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nConnection: close\r\n\r\n".encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


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
