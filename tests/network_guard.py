"""Tests talk to loopback only. A test that reaches further fails at the line that did it.

Only this process is guarded; a hub that a browser test starts is a process of its own.
"""

import ipaddress
import socket
from typing import Any

import pytest

NEVER_RESOLVES = (".invalid", ".test", ".example")  # RFC 2606 and 6761: no resolver may know these


class NetworkBlocked(AssertionError):
    """A test tried to leave the machine. Not an OSError, so no error handling takes it for a dead host."""


def is_loopback(host: object) -> bool:
    """Return whether `host` (name or address) is this machine. An empty name means loopback to a resolver."""
    if host is None or host in ("", "localhost", b"localhost"):
        return True
    text = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return text.endswith(".localhost")


def _check_address(sock: socket.socket, address: Any) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and not is_loopback(address[0]):
        raise NetworkBlocked(
            f"a test tried to connect to {address[0]}:{address[1]}; only loopback is allowed"
        )


def install(patch: pytest.MonkeyPatch) -> None:
    """Guard every way Python opens a connection or asks a resolver, until `patch` is undone."""
    real_connect, real_connect_ex, real_lookup = (
        socket.socket.connect,
        socket.socket.connect_ex,
        socket.getaddrinfo,
    )

    def connect(self: socket.socket, address: Any) -> None:
        _check_address(self, address)
        real_connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        _check_address(self, address)
        return real_connect_ex(self, address)

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        if is_loopback(host) or _is_address(host):
            return real_lookup(host, *args, **kwargs)
        if str(host).endswith(NEVER_RESOLVES):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        raise NetworkBlocked(f"a test tried to look up {host!r}; only loopback is allowed")

    patch.setattr(socket.socket, "connect", connect)
    patch.setattr(socket.socket, "connect_ex", connect_ex)
    patch.setattr(socket, "getaddrinfo", getaddrinfo)


def _is_address(host: Any) -> bool:
    try:
        ipaddress.ip_address(str(host))
    except ValueError:
        return False
    return True
