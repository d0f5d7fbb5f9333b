"""One scaled-out installation for all tests of this folder; each keeps to channels and scripts of its own."""

from collections.abc import Iterator

import pytest

from tests.e2e.desk import EMAIL, PASSWORD, Desk, Guild
from tests.e2e.upstream import Upstream, running_upstream
from tests.scale.installation import Installation
from tests.scale.stores import own_database, own_redis


@pytest.fixture(scope="session")
def database_url() -> Iterator[str]:
    """An empty PostgreSQL database of this run's own."""
    with own_database() as url:
        yield url


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[Installation]:
    """Web, beat and one worker, ready and with an owner."""
    with own_redis() as redis_url:
        installation = Installation(tmp_path_factory.mktemp("scale"), database_url, redis_url)
        try:
            installation.start(EMAIL, PASSWORD)
            yield installation
        finally:
            installation.end()
            print(installation.text)  # shown when a test fails


@pytest.fixture(scope="session")
def upstream() -> Iterator[Upstream]:
    """A provider whose models are scripts."""
    with running_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="session")
def desk(installation: Installation) -> Iterator[Desk]:
    """The owner, over HTTP."""
    desk = Desk(installation)
    yield desk
    desk.close()


@pytest.fixture(scope="session")
def provider(desk: Desk, upstream: Upstream) -> int:
    """The endpoint that leads to `upstream`."""
    return desk.connect(upstream.url)


@pytest.fixture
def guild(desk: Desk) -> Guild:
    """A server of the test's own, with a few channels."""
    return desk.server("tavern", "cellar", "yard", "loft", "well", "gate")
