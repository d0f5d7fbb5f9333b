"""Just enough of a websocket client (RFC 6455) to follow the hub and to see how it closes."""

import socket
import struct
from typing import Self
from urllib.parse import urlsplit

TEXT, CLOSE = 1, 8
NO_MASK = bytes(4)


class WebSocketViewer:
    """A logged-in browser's socket. It answers nothing by itself."""

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

    def send(self, text: str) -> None:
        """Send a text; clients must mask what they send, with zeros if they like."""
        data = text.encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else struct.pack(">BH", 0x80 | 126, len(data))
        self._socket.sendall(bytes([0x80 | TEXT]) + size + NO_MASK + data)

    def receive(self) -> str:
        """Return the next text. Fails if the hub closes instead."""
        while (frame := self._frame())[0] != TEXT:
            assert frame[0] != CLOSE, frame
        return frame[1].decode()

    def close_code(self) -> int:
        """Read frames up to the closing one and return its code."""
        while (frame := self._frame())[0] != CLOSE:
            pass
        return int.from_bytes(frame[1][:2], "big")

    def _frame(self) -> tuple[int, bytes]:
        first, second = self._read(2)
        length = second & 0x7F
        if length == 126:
            length = struct.unpack(">H", self._read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._read(8))[0]
        return first & 0x0F, self._read(length)

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        assert len(data) == size, "the connection ended without a closing frame"
        return data
