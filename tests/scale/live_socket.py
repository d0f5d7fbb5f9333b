"""A viewer that follows one turn over the live websocket, as docs/live-protocol.md tells it to."""

import json
from typing import Any
from uuid import UUID

from tests.ops.websocket_viewer import WebSocketViewer

type Item = dict[str, Any]


class LiveSocket(WebSocketViewer):
    """Watches a channel and acknowledges every frame."""

    def watch(self, channel: int) -> None:
        """Watch a channel, and wait until the hub says that it is so."""
        self.send(json.dumps({"watch": "channel", "channel": channel}))
        while all(item["k"] != "hello" for item in self.items()):
            pass

    def items(self) -> list[Item]:
        """Return the items of the next frame."""
        frame = json.loads(self.receive())
        self.send(json.dumps({"ack": frame["n"]}))
        return list(frame["items"])

    def catch_up(self, turn: UUID, seq: int) -> Item:
        """Return what the record holds of a turn after `seq`."""
        self.send(json.dumps({"since": {str(turn): seq}}))
        while True:
            for item in self.items():
                if item["k"] == "chunks" and item.get("recorded"):
                    return item


class Transcript:
    """The text of a turn, from numbered ops in any number of items."""

    def __init__(self, turn: UUID) -> None:
        self._turn = str(turn)
        self._texts: dict[int, str] = {}
        self.cards = 0
        self.pieces = 0

    def take(self, items: list[Item]) -> None:
        """Draw what belongs to the turn."""
        for item in items:
            if item.get("turn") == self._turn:
                self.cards += item["k"] == "card"
                self.pieces += item["k"] == "chunks"
                self._texts |= {seq: value for seq, op, value in item.get("ops", ()) if op == "t"}

    @property
    def text(self) -> str:
        """Everything drawn so far, in order."""
        return "".join(self._texts[seq] for seq in sorted(self._texts))
