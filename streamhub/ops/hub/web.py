"""Daphne's server as the hub needs it: on a socket that is open already, with an end that does not hang."""

import asyncio
import socket
from typing import Any

from daphne.server import Server
from daphne.ws_protocol import WebSocketProtocol

CLIENTS_RECONNECT = 1012  # RFC 6455 registry: service restart
# Autobahn holds what is sent to the same limit and drops what is longer without a word: it must be above the longest
# frame of `live.viewer` (four bytes a character). What viewers may send is bounded by the consumer.
MAX_MESSAGE_BYTES = 5 * 1024 * 1024


class WebServer(Server):
    """Serves HTTP and websockets on the reactor's asyncio loop."""

    def kill_all_applications(self) -> Any:
        """Cancel what still runs when the reactor stops.

        Daphne's own version trips over a connection without an application, such as an idle keep-alive one.
        """
        running = [details.get("application_instance") for details in self.connections.values()]
        for task in running:
            if task is not None:
                task.cancel()

    def dismiss_viewers(self) -> None:
        """Close every websocket with the code that makes browsers come back.

        By `sendCloseFrame`, because Autobahn's `sendClose` takes an application's own codes only.
        """
        for protocol in list(self.connections):
            if isinstance(protocol, WebSocketProtocol) and protocol.state == WebSocketProtocol.STATE_OPEN:
                protocol.sendCloseFrame(code=CLIENTS_RECONNECT)


def build_server(application: Any, listener: socket.socket) -> WebServer:
    """Return a server that takes `listener` over: Twisted closes what it adopts.

    No HTTP time limit: a stream to an API client may last as long as its turn.
    """
    return WebServer(
        application=application,
        endpoints=[f"fd:fileno={listener.detach()}"],
        signal_handlers=False,
        http_timeout=None,
        ping_interval=20,
        ping_timeout=30,
        websocket_timeout=-1,
        websocket_max_message_size=MAX_MESSAGE_BYTES,
        websocket_max_frame_size=MAX_MESSAGE_BYTES,
        application_close_timeout=5,
        server_name="",
        verbosity=0,
    )


def server_loop() -> asyncio.AbstractEventLoop:
    """Return the loop that the reactor runs on."""
    from daphne import server

    loop: asyncio.AbstractEventLoop = server.twisted_loop
    return loop
