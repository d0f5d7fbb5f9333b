"""The listening socket, opened before anything else so that a taken port is known at once."""

import errno
import ipaddress
import socket

from streamhub.ops.hub.refusal import HubRefused

BACKLOG = 1024
_REASONS = {
    errno.EADDRINUSE: "Port {port} on {host} is taken. Stop what uses it, or choose another: PORT=8001.",
    errno.EACCES: "Port {port} needs more rights than this user has. Choose one above 1023 with PORT.",
    errno.EADDRNOTAVAIL: "{host} is not an address of this machine. Set HOST to one that is.",
}


def open_listener(host: str, port: int) -> socket.socket:
    """Return a listening TCP socket; port 0 takes a free one. Raises HubRefused with the reason in words."""
    bare = host.strip("[]")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            bare, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise HubRefused(f"HOST: {host} is not a name or address this machine knows.") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        words = _REASONS.get(error.errno or 0, "Cannot listen on {host}:{port}: {reason}.")
        raise HubRefused(words.format(host=host, port=port, reason=error.strerror)) from error
    listener.setblocking(False)
    return listener


def base_url(listener: socket.socket) -> str:
    """Return an address of the listener that a browser on this machine can open."""
    host, port = listener.getsockname()[:2]
    address = ipaddress.ip_address(host.partition("%")[0])
    if address.is_unspecified:
        host = "127.0.0.1" if address.version == 4 else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_local(listener: socket.socket) -> bool:
    """Tell whether only this machine can reach the listener."""
    return ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback
