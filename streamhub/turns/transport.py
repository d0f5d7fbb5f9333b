"""The network to providers: the only module that imports httpx.

Async only: cancelling an async read closes the socket within milliseconds, which is what a kill relies on. httpx has
no time-outs of its own here except for connecting; the engine's clocks own the waiting.
"""

import asyncio
import ipaddress
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Literal

import httpx

from providers.errors import TransportFailure
from providers.request import HttpRequest
from streamhub.turns.destinations import Destinations
from streamhub.turns.engine.ports import Answer, TransportError

CONNECT_SECONDS = 30.0
# No cap on connections: a kill that cancels a connection attempt must not leave others waiting for a place.
PIECE_BYTES = 16 * 1024
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS  # zlib finds out by itself which of the two headers there is
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=30.0)


@cache
def tls_context() -> ssl.SSLContext:
    """Return the one TLS context of this process: reading the system's certificates takes tens of milliseconds."""
    return ssl.create_default_context()


class HttpTransport:
    """One shared client for all turns of a worker; closing it closes every connection.

    This machine itself is called directly, whatever proxy the environment names for the rest of the world.
    """

    def __init__(self) -> None:
        self._outward = _client(trust_env=True)
        self._direct = _client(trust_env=False)
        self._destinations = Destinations()

    @asynccontextmanager
    async def stream(self, request: HttpRequest) -> AsyncIterator[Answer]:
        """Send `request`; leaving the context closes the connection unless the body was read to its end.

        Raises TransportError, also for an address that nothing may be sent to.
        """
        try:
            url = httpx.URL(request.url)
            client = self._direct if _is_this_machine(url.host) else self._outward
            if client is self._outward:
                await self._destinations.check(url.host)
            async with client.stream(
                request.method, url, headers=dict(request.headers), content=request.body
            ) as response:
                yield HttpAnswer(response)
        except httpx.TransportError as error:
            raise TransportError(failure_of(error)) from error
        except httpx.InvalidURL as error:
            raise TransportError(
                TransportFailure(kind="connect", message=f"Not a usable address: {error}")
            ) from error

    async def aclose(self) -> None:
        """Close every connection."""
        await self._destinations.aclose()
        await self._outward.aclose()
        await self._direct.aclose()


def _client(*, trust_env: bool) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        verify=tls_context(),
        timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
        limits=LIMITS,
        follow_redirects=False,
        trust_env=trust_env,
    )


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class HttpAnswer:
    """An answer whose body is still arriving."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status: int = response.status_code
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers.items()}

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes, decompressed if the provider compressed it all the same.

        In pieces of at most `PIECE_BYTES`, and other tasks get their turn after each: a fast provider, or a
        kilobyte that unpacks to a gigabyte, must not hold up the loop.
        """
        inflate = inflater(self.headers.get("content-encoding", ""))
        try:
            async for data in self._response.aiter_raw():
                for piece in inflate(data):
                    yield piece
                    await asyncio.sleep(0)
        except httpx.TransportError as error:
            raise TransportError(failure_of(error)) from error
        except zlib.error as error:
            raise TransportError(_not_as_compressed(str(error))) from error

    async def read(self, limit: int) -> bytes:
        """Return at most `limit` bytes of the body; what broke off is returned as far as it came."""
        body = bytearray()
        try:
            async for data in self.chunks():
                body += data
                if len(body) >= limit:
                    break
        except TransportError:
            pass
        return bytes(body[:limit])


def inflater(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Return what turns raw bytes of a body into pieces of plain ones. Raises TransportError.

    One layer of gzip or deflate is undone: more of them unpack a thousandfold each, and other codings were neither
    asked for nor are they known. The returned function raises zlib.error for damaged data.
    """
    if encoding.strip().lower() in ("", "identity"):
        return _sliced
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        raise TransportError(_not_as_compressed(f"Content-Encoding {encoding[:100]!r} was not asked for"))
    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)

    def inflate(data: bytes) -> Iterator[bytes]:
        while data and not unpacker.eof:
            yield unpacker.decompress(data, PIECE_BYTES)
            data = unpacker.unconsumed_tail

    return inflate


def _sliced(data: bytes) -> Iterator[bytes]:
    if len(data) <= PIECE_BYTES:
        return iter((data,))
    return (data[at : at + PIECE_BYTES] for at in range(0, len(data), PIECE_BYTES))


def _not_as_compressed(message: str) -> TransportFailure:
    return TransportFailure(kind="protocol", message=f"The body cannot be unpacked: {message}")


def failure_of(error: httpx.RequestError) -> TransportFailure:
    """Return what broke, as the adapters know it. The message names no secret: httpx keeps headers out of it."""
    return TransportFailure(kind=_kind_of(error), message=str(error) or type(error).__name__)


def _kind_of(error: httpx.RequestError) -> Literal["connect", "dns", "tls", "reset", "read", "protocol"]:
    text = str(error)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.UnsupportedProtocol):
        if "SSL" in text or "certificate" in text.lower():
            return "tls"
        return "dns" if _is_name_failure(error) else "connect"
    if isinstance(error, httpx.RemoteProtocolError | httpx.LocalProtocolError):
        return "protocol"
    return "reset" if isinstance(error, httpx.ReadError | httpx.WriteError) else "read"


def _is_name_failure(error: BaseException | None) -> bool:
    """Tell whether a look-up of a host name is at the bottom of `error`."""
    while error is not None:
        if type(error).__name__ == "gaierror":
            return True
        error = error.__cause__ or error.__context__
    return False
