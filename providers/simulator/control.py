"""The simulator's own pages below /_simulator/: what it saw, and what it can play."""

import inspect
from dataclasses import asdict
from typing import Final
from urllib.parse import parse_qs

import msgspec

from providers.simulator.connections import Ledger
from providers.simulator.scripts import SCRIPTS
from providers.simulator.wire import Wire, WireRequest

PREFIX: Final = "/_simulator/"
JSON: Final = {"content-type": "application/json", "cache-control": "no-store"}
PLAIN: Final = {"content-type": "text/plain; charset=utf-8"}


async def answer_control(wire: Wire, request: WireRequest, ledger: Ledger) -> None:
    """Answer a control request and keep it out of the ledger."""
    wire.forget_entry()
    match request.method, request.path.removeprefix(PREFIX):
        case "GET", "connections":
            await wire.answer(200, connections_json(ledger, request.query), JSON)
        case "POST", "reset":
            ledger.clear_closed()
            await wire.answer(200, b"{}", JSON)
        case "GET", "scripts":
            await wire.answer(200, manual().encode(), PLAIN)
        case _:
            await wire.answer(404, b"GET connections, GET scripts or POST reset\n", PLAIN)


def connections_json(ledger: Ledger, query: str) -> bytes:
    """Return the ledger as JSON; `open=1` in the query leaves out what is over."""
    only_open = parse_qs(query).get("open") == ["1"]
    return msgspec.json.encode(
        {"connections": [asdict(entry) for entry in ledger.snapshot(only_open=only_open)]}
    )


def manual() -> str:
    """Return one line for every script: its name, what it does and its options."""
    lines = (f"{name:14}{inspect.getdoc(play)}" for name, play in SCRIPTS.items())
    return "Model ids: NAME or NAME:key=value,key=value\n\n" + "\n".join(lines) + "\n"
