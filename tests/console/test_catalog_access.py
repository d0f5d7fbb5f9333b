"""Who may open the catalog's pages, and what none of them ever shows."""

import logging

import pytest
from django.urls import reverse

from streamhub.audit.models import AuditEntry
from streamhub.catalog import services
from streamhub.catalog.models import ApiKey
from tests.builders import make_endpoint, make_key, make_model

pytestmark = pytest.mark.django_db

PAGES = ("endpoints", "endpoint-create", "rules", "rule-create", "rule-preview")
ROW_PAGES = {
    "endpoint": ("endpoint", "endpoint-delete", "key-create", "model-create"),
    "key": ("key-replace", "key-delete"),
    "model": ("model", "model-delete"),
    "rule": ("rule", "rule-delete"),
}
ACTS = ("key-enable", "key-disable", "key-use-now")
SEED = "zebra-quartz-4711-lantern"


def rows() -> dict[str, int]:
    endpoint = make_endpoint()
    return {
        "endpoint": endpoint.pk,
        "key": make_key(endpoint=endpoint, secret=f"{SEED}-9QfA").pk,
        "model": make_model(endpoint=endpoint).pk,
        "rule": services.create_rule(actor=None, name="r").pk,
    }


def addresses() -> list[str]:
    ids = rows()
    own = [reverse(name, args=[ids[row]]) for row, names in ROW_PAGES.items() for name in names]
    return [*map(reverse, PAGES), *own]


def test_who_is_not_logged_in_is_sent_to_the_login(client):
    for url in addresses():
        assert client.get(url)["Location"].startswith(reverse("login")), url


def test_who_is_no_owner_may_open_nothing(stranger):
    for url in addresses():
        assert stranger.get(url).status_code == 403, url
        assert stranger.post(url).status_code in {403, 405}, url
    for name in ACTS:
        assert stranger.post(reverse(name, args=[ApiKey.objects.get().pk])).status_code == 403


def test_an_owner_may_open_everything_and_nothing_is_cached(page):
    for url in addresses():
        answer = page.get(url)
        assert answer.status_code == 200, url
        assert "no-store" in answer["Cache-Control"], url
        assert "onclick" not in answer.text
        assert "style=" not in answer.text


def test_a_seeded_secret_is_in_no_page_audit_row_log_or_error(page, caplog):
    caplog.set_level(logging.DEBUG)
    fresh = f"{SEED}-fresh"
    endpoint, key = make_endpoint(), None
    add = reverse("key-create", args=[endpoint.pk])
    seen = [
        page.post(add, {"label": "main", "secret": fresh}, follow=True),
        page.post(add, {"label": "main", "secret": fresh}),
        page.post(add, {"label": "", "secret": fresh}, headers={"HX-Request": "true"}),
        page.post(add, {"label": "b", "secret": f"{fresh} {fresh}"}),
        page.post(reverse("endpoint-create"), {"name": "", "base_url": "x", "key": fresh}),
        page.post(reverse("endpoint-test"), {"base_url": "x", "key": fresh}),
    ]
    key = ApiKey.objects.get()
    seen += [
        page.post(reverse("key-replace", args=[key.pk]), {"secret": fresh}, follow=True),
        page.post(reverse("key-disable", args=[key.pk]), follow=True),
        page.post(reverse("key-delete", args=[key.pk]), follow=True),
    ]
    seen += [page.get(url) for url in addresses()]
    for answer in seen:
        assert SEED not in answer.text + str(answer.headers), answer.request["PATH_INFO"]
    assert SEED not in str(list(AuditEntry.objects.values()))
    assert SEED not in caplog.text
    assert SEED not in repr(services.NewKey(secret=make_key(secret=fresh).secret()))


def test_a_stored_secret_is_not_in_the_database_in_clear():
    key = make_key(secret=f"{SEED}-9QfA")
    stored = ApiKey.objects.filter(pk=key.pk).values().get()
    assert SEED not in str({name: bytes(v) if isinstance(v, memoryview) else v for name, v in stored.items()})
    assert stored["last_four"] == "9QfA"
