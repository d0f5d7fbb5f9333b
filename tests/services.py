"""The servers that some tests need: where they are expected and what to say when they are not there.

`make test` installs and starts them where it may. In CI a missing one is a failure, elsewhere a skip that
says why. `python -m tests.services` prints the names of those that do not answer, one a line.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import psycopg
import pytest
import redis


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A server on loopback: the address tests use, how to ask it, and how an engineer gets one."""

    name: str
    url: str
    ask: Callable[[str], None]
    how_to_get_it: str

    def answers(self) -> bool:
        """Return whether a server of the right kind lets us in there. Waits a few seconds at most."""
        try:
            self.ask(self.url)
        except (OSError, redis.RedisError, psycopg.Error):
            return False
        return True


def _ask_redis(url: str) -> None:
    with redis.Redis.from_url(url, socket_connect_timeout=2, socket_timeout=2) as client:
        client.ping()


def _ask_postgres(url: str) -> None:
    with psycopg.connect(url, connect_timeout=2) as connection:
        connection.execute("SELECT 1")


REDIS = Service(
    name="redis",
    url=os.environ.get("STREAMHUB_TEST_REDIS_URL", "redis://127.0.0.1:6379/15"),
    ask=_ask_redis,
    how_to_get_it="start redis-server on 127.0.0.1:6379, or set STREAMHUB_TEST_REDIS_URL",
)
POSTGRES = Service(
    name="postgres",
    url=os.environ.get("STREAMHUB_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres"),
    ask=_ask_postgres,
    how_to_get_it="start PostgreSQL on 127.0.0.1:5432, or set STREAMHUB_TEST_POSTGRES_URL",
)


def require(service: Service) -> str:
    """Return the service's URL. Without an answer the test is skipped, or failed where CI is set."""
    if not service.answers():
        missing(f"{service.name} does not answer at {service.url}: {service.how_to_get_it}")
    return service.url


def missing(reason: str) -> NoReturn:
    """Leave the running test out for `reason`; in CI nothing may be left out, so there it fails."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


if __name__ == "__main__":
    for service in (REDIS, POSTGRES):
        if not service.answers():
            print(service.name)
