"""Just enough of a websocket client (RFC 6455) to see how the hub closes one."""

import socket
import struct
from typing import Self
from urllib.parse import urlsplit

CLOSE = 8


class WebSocketViewer:
    """A logged-in browser's socket. It reads frames and never answers."""

    def __init__(self, url: str, session: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname
        assert parts.port
        self._socket = socket.create_connection((parts.hostname, parts.port), timeout=20)
        lines = (
            "GET /ws/live/ HTTP/1.1",
            f"Host: {parts.netloc}",
            f"Origin: {url}",
            f"Cookie: streamhub_session={session}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        )
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self._file = self._socket.makefile("rb")
        status = self._file.readline()
        assert b" 101 " in status, status
        while self._file.readline().strip():
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()
        self._socket.close()

    def close_code(self) -> int:
        """Read frames up to the closing one and return its code."""
        while True:
            first, second = self._read(2)
            length = second & 0x7F
            if length == 126:
                length = struct.unpack(">H", self._read(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._read(8))[0]
            payload = self._read(length)
            if first & 0x0F == CLOSE:
                return int.from_bytes(payload[:2], "big")

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        assert len(data) == size, "the connection ended without a closing frame"
        return data
