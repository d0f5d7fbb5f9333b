"""The websocket between a page and the hub, with a hand on it: cut it, lose frames, keep acknowledgements back."""

import json
from collections.abc import Callable

from playwright.sync_api import Page, WebSocketRoute


class BadLine:
    """Stands between a page and the hub from the next navigation on."""

    def __init__(self, page: Page, *, loses: Callable[[int], bool] = lambda number: False) -> None:
        self.frames = 0
        self.lost = 0
        self.opened = 0
        self.questions = 0
        self.keeps_acknowledgements = False
        self._loses = loses
        self._is_cut = False
        self._open: list[WebSocketRoute] = []
        page.route_web_socket("**/ws/live/", self._answer)

    def cut(self) -> None:
        """End the socket, and every new one, until `mend`."""
        self._is_cut = True
        for socket in self._open:
            socket.close(code=1012)
        self._open.clear()

    def mend(self) -> None:
        """Let the page through again."""
        self._is_cut = False

    def _answer(self, socket: WebSocketRoute) -> None:
        if self._is_cut:
            socket.close(code=1013)
            return
        self.opened += 1
        hub = socket.connect_to_server()
        socket.on_message(lambda message: self._up(hub, message))
        hub.on_message(lambda message: self._down(socket, message))
        self._open.append(socket)

    def _up(self, hub: WebSocketRoute, message: str | bytes) -> None:
        self.questions += "since" in json.loads(message)
        if not (self.keeps_acknowledgements and "ack" in json.loads(message)):
            hub.send(message)

    def _down(self, socket: WebSocketRoute, message: str | bytes) -> None:
        self.frames += 1
        if self._loses(self.frames):
            self.lost += 1
        elif socket in self._open:
            socket.send(message)
