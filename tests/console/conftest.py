"""Every test of a page runs against the real middleware, with static files under their plain names."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client

from streamhub.accounts.models import User
from tests.builders import make_user


@pytest.fixture(autouse=True)
def _plain_static_files(settings) -> None:
    """Hashed names exist only after `collectstatic`, which no test of a page should need."""
    storages = {**settings.STORAGES}
    storages["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = storages


@pytest.fixture(autouse=True)
def _quick_passwords(settings) -> None:
    """Slow hashes are the point in production and only slow here."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def owner(db) -> User:
    """Somebody who may do everything."""
    return make_user(email="nina@example.org", name="Nina")


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    """A browser in which the owner is logged in."""
    client.force_login(owner)
    return client


@pytest.fixture
def stranger(db) -> Client:
    """A browser in which somebody is logged in who has no rights."""
    browser = Client()
    browser.force_login(make_user(owner=False))
    return browser
