"""The engine's threads and their connections."""

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection, connections

from streamhub.turns.database import DatabaseThreads
from streamhub.turns.engine.ports import StoreUnavailable


def current() -> object:
    """Return the connection of this thread."""
    connection.ensure_connection()
    return connection.connection


def fail() -> None:
    raise OperationalError("gone")


@pytest.mark.django_db(transaction=True)
async def test_a_thread_keeps_its_connection_until_it_fails():
    threads = DatabaseThreads(threads=1)
    try:
        first = await threads.run(current)
        assert await threads.run(current) is first
        with pytest.raises(StoreUnavailable):
            await threads.run(fail)
        assert await threads.run(current) is not first
    finally:
        await threads.aclose()
        await sync_to_async(connections.close_all)()
