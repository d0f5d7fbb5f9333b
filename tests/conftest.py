"""What every test stands on: settings of its own, a data directory of its own, and no way off the machine.

Fixtures of one app belong beside that app's tests. Nothing here may need Redis, PostgreSQL or a browser.

STREAMHUB_TEST_DATABASE_URL=postgresql://user@host/name runs every test that uses the ORM on PostgreSQL instead of
SQLite, in a database called test_name that is created and dropped (tests/scale does so for the engine's tests).
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import django
import pytest
from django.conf import settings
from hypothesis import settings as hypothesis_settings

from tests import network_guard
from tests.services import POSTGRES, REDIS, require

# Before Django is set up, which pytest-django does in its own pytest_configure. The operator's environment
# must not leak into the tests, so every setting but the tests' own is dropped.
_DATA_DIR = tempfile.TemporaryDirectory(prefix="streamhub-tests-", ignore_cleanup_errors=True)
for _name in [name for name in os.environ if name.startswith(("STREAMHUB_", "STREAM_"))]:
    if not _name.startswith("STREAMHUB_TEST_"):
        del os.environ[_name]
os.environ["DJANGO_SETTINGS_MODULE"] = "streamhub.settings"
os.environ["STREAMHUB_DATA_DIR"] = _DATA_DIR.name
if _database_url := os.environ.get("STREAMHUB_TEST_DATABASE_URL"):
    os.environ["STREAMHUB_DATABASE_URL"] = _database_url
Path(_DATA_DIR.name, "static").mkdir()  # as after `collectstatic`; WhiteNoise looks there

# CI machines pause for seconds at a time: a deadline would measure the neighbours.
hypothesis_settings.register_profile("streamhub", deadline=None, print_blob=True)
hypothesis_settings.load_profile("streamhub")


# What would cost every test time is swapped before Django is set up: slow hashes, hashed static files.
# Here and not in a hook, since the conftest of a folder is imported first and may import models.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
settings.STORAGES = {
    **settings.STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
django.setup()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run browser tests last: Playwright keeps a loop running in the main thread until the session ends."""
    items.sort(key=lambda item: item.get_closest_marker("e2e") is not None)


@pytest.fixture(scope="session", autouse=True)
def _only_loopback() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        network_guard.install(patch)
        yield


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The data directory that the settings of this run point at."""
    return Path(_DATA_DIR.name)


@pytest.fixture
def redis_url() -> str:
    """Address of a Redis database that tests may fill; mark the test `redis`."""
    return require(REDIS)


@pytest.fixture
def postgres_dsn() -> str:
    """Address of a PostgreSQL server on which tests may create databases; mark the test `postgres`."""
    return require(POSTGRES)
