"""The listening socket, what is answered where, and `python -m providers simulate`.

It listens on loopback only unless it is told otherwise: it does what any caller asks for and checks no key.
"""

import argparse
import asyncio
import ipaddress
import itertools
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from providers.simulator.connections import Ledger, Snapshot
from providers.simulator.control import PREFIX as CONTROL_PREFIX
from providers.simulator.control import answer_control
from providers.simulator.dialect import BadRequest, ChatRequest, Dialect
from providers.simulator.dialect_openai import OpenAIDialect
from providers.simulator.options import BadScript, UnknownScript
from providers.simulator.player import JSON_TYPE, play_stream, play_whole, refuse
from providers.simulator.replay import Recordings
from providers.simulator.scripts import SCRIPTS, find_script
from providers.simulator.steps import Refuse, Script
from providers.simulator.wire import Wire, WireRequest

SCRIPT_HEADER: Final = "x-simulator-script"
KEY_TAIL: Final = 4
BACKLOG: Final = 1024
OPENAI: Final = OpenAIDialect()
DIALECTS: Final[Mapping[str, Dialect]] = {"/v1/chat/completions": OPENAI}
PROBLEMS: Final = {413: "the request body is larger than 32 MB", 431: "the headers are too large"}
KEY_REFUSALS: Final = {
    "sk-bad": Refuse(401, "Incorrect API key provided: sk-bad.", code="invalid_api_key"),
    "sk-limited": Refuse(
        429, "Rate limit reached for this key.", code="rate_limit_exceeded", type="requests", retry_after="20"
    ),
    "sk-broke": Refuse(
        429, "You exceeded your current quota.", code="insufficient_quota", type="insufficient_quota"
    ),
}


class Simulator:
    """A provider to test against, on the running event loop.

    Use it as `async with Simulator() as sim:` and send requests to `sim.url`. Raises ValueError for an
    address that is not loopback, NotADirectoryError for a replay directory that is none, OSError for a port
    in use.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        replay_dir: Path | str | None = None,
        *,
        allow_remote: bool = False,
    ) -> None:
        if not (allow_remote or _is_loopback(host)):
            raise ValueError(
                f"{host} is not a loopback address; the simulator is a test tool for this machine only"
            )
        self._host = "127.0.0.1" if host == "localhost" else host  # one socket, and so one port
        self._port = port
        self._recordings = Recordings(Path(replay_dir) if replay_dir is not None else None)
        self._ledger = Ledger()
        self._wires: set[Wire] = set()
        self._numbers = itertools.count(1)
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def start(self) -> None:
        """Listen. The port is known afterwards."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._new_wire, self._host, self._port, backlog=BACKLOG)
        self._port = self._server.sockets[0].getsockname()[1]

    async def aclose(self) -> None:
        """Stop listening and cut every connection, at once."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        tasks = [task for wire in list(self._wires) if (task := wire.shut())]
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._port

    @property
    def url(self) -> str:
        """The base URL of the OpenAI-compatible API."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}/v1"

    @property
    def connections(self) -> Snapshot:
        """Copies of the ledger's entries, oldest first."""
        return self._ledger.snapshot()

    async def wait_until(self, is_so: Callable[[Snapshot], bool], seconds: float = 5) -> Snapshot:
        """Return the first snapshot for which `is_so` holds. Raises TimeoutError after `seconds`."""
        return await self._ledger.wait_until(is_so, seconds)

    def clear_closed(self) -> None:
        """Drop the entries of connections that are over."""
        self._ledger.clear_closed()

    def _new_wire(self) -> Wire:
        return Wire(self._answer, self._ledger, self._wires)

    async def _answer(self, wire: Wire, request: WireRequest) -> None:
        """Answer one request."""
        if request.path.startswith(CONTROL_PREFIX) and not request.problem:
            await answer_control(wire, request, self._ledger)
            return
        key = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
        wire.entry.path = request.path
        wire.entry.api_key_tail = key[-KEY_TAIL:] or None
        if refusal := _refusal(request, key):
            await refuse(refusal, DIALECTS.get(request.path, OPENAI), wire)
        elif request.path == "/v1/models":
            wire.entry.script = "models"
            body = OPENAI.models([*SCRIPTS, *self._recordings.names()])
            await wire.answer(200, body, {"content-type": JSON_TYPE})
        else:
            await self._chat(wire, request, DIALECTS[request.path])

    async def _chat(self, wire: Wire, request: WireRequest, dialect: Dialect) -> None:
        """Answer a chat request with the script that its model id, or its header, names."""
        try:
            chat = dialect.parse(request.body)
            wire.entry.model = chat.model
            script = self._script(request, chat)
        except UnknownScript as error:
            message = f"The model `{error.args[0]}` does not exist."
            await refuse(Refuse(404, message, code="model_not_found"), dialect, wire)
            return
        except (BadRequest, BadScript) as error:
            await refuse(Refuse(400, str(error), code="invalid_request"), dialect, wire)
            return
        wire.entry.script = script.name
        self._ledger.announce()
        reply = dialect.reply(chat, number=next(self._numbers), created=int(time.time()))
        play = play_stream if chat.stream else play_whole
        await play(script, reply, dialect, wire)

    def _script(self, request: WireRequest, chat: ChatRequest) -> Script:
        return find_script(request.headers.get(SCRIPT_HEADER) or chat.model, chat, self._recordings)


def _refusal(request: WireRequest, key: str) -> Refuse | None:
    """Return why a request is refused before anybody looks at its body."""
    if request.problem:
        return Refuse(request.problem, PROBLEMS.get(request.problem, "this is not HTTP as it should be"))
    allowed = "GET" if request.path == "/v1/models" else "POST" if request.path in DIALECTS else None
    if allowed is None:
        return Refuse(404, f"Unknown address: {request.method} {request.path}", code="unknown_url")
    if request.method != allowed:
        return Refuse(405, f"{request.path} takes {allowed} only", code="method_not_supported")
    return KEY_REFUSALS.get(key)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _serve(simulator: Simulator) -> None:
    """Run until SIGINT or SIGTERM."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with simulator:
        sys.stdout.write(f"Simulator ready at {simulator.url}\n")
        sys.stdout.flush()
        await stopped.wait()


def main(argv: Sequence[str]) -> int:
    """Run `simulate` with these arguments; return the exit status (2: it could not start)."""
    parser = argparse.ArgumentParser(
        prog="python -m providers simulate", description="A stand-in LLM provider."
    )
    parser.add_argument("--host", default="127.0.0.1", help="loopback address to listen on")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--replay", type=Path, metavar="DIR", help="recorded bodies, as models replay/FILE")
    parser.add_argument(
        "--allow-remote", action="store_true", help="listen beyond loopback; nothing checks callers"
    )
    given = parser.parse_args(list(argv))
    try:
        simulator = Simulator(given.host, given.port, given.replay, allow_remote=given.allow_remote)
        asyncio.run(_serve(simulator))
    except (ValueError, OverflowError, OSError) as error:
        sys.stderr.write(f"simulate: {error}\n")
        return 2
    return 0
