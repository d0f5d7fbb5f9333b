"""What is believed of a proxy's headers."""

from typing import Any

import pytest

from streamhub.core.proxy import behind_proxy


async def seen(kind: str = "http", **headers: str) -> dict[str, Any]:
    scopes: list[dict[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        scopes.append(scope)

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "scheme": "http", "client": ["127.0.0.1", 1], "headers": raw}
    await behind_proxy(application)(scope, None, None)
    return scopes[0]


@pytest.mark.parametrize("value", ["192.0.2.7", "10.0.0.1, 192.0.2.7", "spoofed,192.0.2.7"])
async def test_the_client_is_whom_the_nearest_proxy_saw(value):
    assert (await seen(x_forwarded_for=value))["client"] == ["192.0.2.7", 0]


async def test_without_headers_nothing_changes():
    scope = await seen()
    assert (scope["client"], scope["scheme"]) == (["127.0.0.1", 1], "http")


async def test_the_scheme_is_what_the_browser_spoke_to_the_proxy():
    assert (await seen(x_forwarded_proto="https"))["scheme"] == "https"
    assert (await seen(x_forwarded_proto="gopher"))["scheme"] == "http"
    assert (await seen("websocket", x_forwarded_proto="https"))["scheme"] == "http"
