"""ORM work of the engine: a small pool of threads, so that few connections serve any number of turns.

Each thread keeps its connection until it fails, whatever CONN_MAX_AGE says: that is about requests.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import InterfaceError, OperationalError, connections

from streamhub.turns.engine.ports import StoreUnavailable


class DatabaseThreads:
    """Runs functions that use the ORM on threads of their own."""

    def __init__(self, threads: int) -> None:
        self._executor = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="engine-db")
        self._threads = threads

    async def run[T](self, work: Callable[[], T]) -> T:
        """Return what `work` returns. Raises StoreUnavailable if the database is away; a wrong query is a bug."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, _guarded, work)

    async def aclose(self) -> None:
        """Close the threads' connections and end them."""
        loop = asyncio.get_running_loop()
        await asyncio.gather(
            *(loop.run_in_executor(self._executor, connections.close_all) for _ in range(self._threads))
        )
        self._executor.shutdown(wait=False)


def _guarded[T](work: Callable[[], T]) -> T:
    try:
        return work()
    except (OperationalError, InterfaceError) as error:
        connections.close_all()
        raise StoreUnavailable(str(error)) from error
