"""A database and a Redis number of a run's own, gone when the run is over."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import redis
from psycopg.types.string import TextLoader

from tests.services import POSTGRES, REDIS, require

CLAIM = "streamhub-tests-claim"
CLAIM_SECONDS = 600


@contextmanager
def own_database() -> Iterator[str]:
    """Create an empty PostgreSQL database, yield its address and drop it, whoever is still connected."""
    server, name = require(POSTGRES), f"streamhub_scale_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield _with_path(server, name)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def own_redis() -> Iterator[str]:
    """Claim a Redis database that nobody uses, yield its address and empty it.

    Only empty ones are taken, so that no run can throw away what is not its own.
    """
    server = require(REDIS)
    for number in range(14, 0, -1):
        url = _with_path(server, str(number))
        with redis.Redis.from_url(url) as client:
            if client.dbsize() == 0 and client.set(CLAIM, os.getpid(), nx=True, ex=CLAIM_SECONDS):
                client.flushdb()
                client.set(CLAIM, os.getpid(), ex=CLAIM_SECONDS)
                try:
                    yield url
                finally:
                    client.flushdb()
                return
    pytest.fail("No Redis database from 1 to 14 is empty: empty one that nobody needs.", pytrace=False)


def rows(database_url: str, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Return what the database says. `?` are places, UUIDs and JSON come as text, as SQLite has them."""
    with psycopg.connect(database_url) as connection:
        for kind in ("uuid", "jsonb"):
            connection.adapters.register_loader(kind, TextLoader)
        return connection.execute(sql.replace("?", "%s").encode(), values).fetchall()


def _with_path(url: str, path: str) -> str:
    return urlsplit(url)._replace(path=f"/{path}").geturl()
