"""The servers that some tests need: where they are expected and what to say when they are not there.

`make test` installs and starts them where it may. In CI a missing one is a failure, elsewhere a skip that says why.
"""

import os
import socket
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import urlsplit

import pytest


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A server on loopback: the address tests use, and how an engineer gets one."""

    name: str
    url: str
    how_to_get_it: str

    def answers(self) -> bool:
        """Return whether something accepts connections there. Waits at most a second."""
        parts = urlsplit(self.url)
        try:
            with socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 0), timeout=1):
                return True
        except OSError:
            return False


REDIS = Service(
    name="Redis",
    url=os.environ.get("STREAMHUB_TEST_REDIS_URL", "redis://127.0.0.1:6379/15"),
    how_to_get_it="start redis-server on 127.0.0.1:6379 or set STREAMHUB_TEST_REDIS_URL",
)
POSTGRES = Service(
    name="PostgreSQL",
    url=os.environ.get("STREAMHUB_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres"),
    how_to_get_it="start PostgreSQL on 127.0.0.1:5432 or set STREAMHUB_TEST_POSTGRES_URL",
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
