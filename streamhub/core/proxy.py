"""Who asks, when a proxy stands in front: read from its headers, in the hub and under daphne alike."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

type Scope = MutableMapping[str, Any]
type Application = Callable[[Scope, Any, Any], Awaitable[Any]]


def behind_proxy(application: Application) -> Application:
    """Return `application` with the client's address and scheme as the nearest proxy saw them.

    Only the last entry of a header is believed: it is the proxy's own, those before it anybody may have written.
    """

    async def forward(scope: Scope, receive: Any, send: Any) -> Any:
        return await application(_as_seen(scope), receive, send)

    return forward


def _as_seen(scope: Scope) -> Scope:
    headers = {
        name: value.decode("latin-1").rpartition(",")[2].strip() for name, value in scope.get("headers", ())
    }
    seen = dict(scope)
    if address := headers.get(b"x-forwarded-for"):
        seen["client"] = [address, 0]
    if scope["type"] == "http" and headers.get(b"x-forwarded-proto") in ("http", "https"):
        seen["scheme"] = headers[b"x-forwarded-proto"]
    return seen
