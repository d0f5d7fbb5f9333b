"""The ledger: who was connected, what was asked, how it ended, and when that was noticed.

An entry is one request on one connection, or a connection on which nothing was asked yet. It leaves `open`
exactly once: a client that hangs up after a finished answer does not change `completed`.

    open                still going on
    completed           the whole answer was handed to the socket
    refused             the answer was an HTTP error
    closed_by_client    the client closed or reset the connection first
    reset_by_server     the script, or the end of the simulator, cut the connection
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

type State = Literal["open", "completed", "refused", "closed_by_client", "reset_by_server"]
MAX_ENTRIES: Final = 10_000


@dataclass(slots=True, kw_only=True)
class Connection:
    """One entry. Times are Unix seconds; `first_byte_at` counts the headers, `bytes_sent` only body bytes."""

    id: int
    opened_at: float
    state: State = "open"
    script: str | None = None
    model: str | None = None
    path: str | None = None
    api_key_tail: str | None = None
    request_at: float | None = None
    first_byte_at: float | None = None
    closed_at: float | None = None
    bytes_sent: int = 0


type Snapshot = tuple[Connection, ...]


class Ledger:
    """The newest MAX_ENTRIES entries; closed ones are dropped first."""

    def __init__(self, limit: int = MAX_ENTRIES) -> None:
        self._limit = limit
        self._entries: dict[int, Connection] = {}
        self._last_id = 0
        self._waiting: list[asyncio.Future[None]] = []

    def enter(self, opened_at: float) -> Connection:
        """Add and return an open entry of a connection that was accepted at `opened_at`."""
        self._last_id += 1
        entry = Connection(id=self._last_id, opened_at=opened_at)
        if len(self._entries) >= self._limit:
            self._drop_one()
        self._entries[entry.id] = entry
        self.announce()
        return entry

    def settle(self, entry: Connection, state: State) -> None:
        """Close an open entry, now. An entry that is closed already stays as it is."""
        if entry.state == "open":
            entry.closed_at = time.time()
            entry.state = state
            self.announce()

    def forget(self, entry: Connection) -> None:
        """Drop an entry that tells nothing: a look at the ledger itself."""
        self._entries.pop(entry.id, None)

    def clear_closed(self) -> None:
        """Drop all entries that are not open."""
        self._entries = {entry.id: entry for entry in self._entries.values() if entry.state == "open"}

    def snapshot(self, *, only_open: bool = False) -> Snapshot:
        """Return copies of the entries, oldest first."""
        wanted = (entry for entry in self._entries.values() if entry.state == "open" or not only_open)
        return tuple(replace(entry) for entry in wanted)

    def announce(self) -> None:
        """Wake everybody who waits for the ledger to change; whoever writes to an entry calls this."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def wait_until(self, is_so: Callable[[Snapshot], bool], seconds: float) -> Snapshot:
        """Return the first snapshot for which `is_so` holds. Raises TimeoutError after `seconds`."""
        async with asyncio.timeout(seconds):
            while not is_so(tuple(self._entries.values())):
                future = asyncio.get_running_loop().create_future()
                self._waiting.append(future)
                await future
        return self.snapshot()

    def _drop_one(self) -> None:
        closed = (entry.id for entry in self._entries.values() if entry.state != "open")
        del self._entries[next(closed, next(iter(self._entries)))]
