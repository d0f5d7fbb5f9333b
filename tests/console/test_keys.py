"""Pages of keys: a key goes in, is named by its label, and never comes out."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from streamhub.catalog.models import ApiKey
from tests.builders import make_endpoint, make_key

pytestmark = pytest.mark.django_db
SECRET = "sk-lantern-4711-quay-0815"


def test_a_key_is_added(page):
    endpoint = make_endpoint(name="openai")
    url = reverse("key-create", args=[endpoint.pk])
    answer = page.post(url, {"label": "main", "secret": f" {SECRET} "}, follow=True)
    assert "main of openai is added." in answer.text
    assert endpoint.keys.get().secret().reveal() == SECRET


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"label": ""}, "label", "Give the key a name."),
        ({"label": "MAIN"}, "label", "has a key with that label already"),
        ({"secret": ""}, "secret", "Enter the key."),
        ({"secret": f"{SECRET} {SECRET}"}, "secret", "a space in this key"),
        ({"secret": f"{SECRET}é"}, "secret", "a character that keys do not have"),
    ],
)
def test_a_bad_key_is_told_beside_its_field_and_not_shown(page, changes, field, said):
    endpoint = make_key(label="main").endpoint
    values = {"label": "team-2", "secret": SECRET} | changes
    answer = page.post(reverse("key-create", args=[endpoint.pk]), values)
    assert answer.status_code == 422
    assert said in answer.context["form"].errors[field][0]
    assert SECRET not in answer.text
    assert f'value="{values["label"]}"' in answer.text or not values["label"]
    assert endpoint.keys.count() == 1


def test_a_key_is_entered_anew_under_its_label(page):
    key = make_key(label="main", error_count=2)
    answer = page.post(reverse("key-replace", args=[key.pk]), {"secret": SECRET}, follow=True)
    key.refresh_from_db()
    assert (key.secret().reveal(), key.error_count) == (SECRET, 0)
    assert "is entered anew" in answer.text


def test_a_key_is_disabled_and_the_page_says_by_whom(page):
    key = make_key(label="spare")
    answer = page.post(reverse("key-disable", args=[key.pk]), follow=True)
    assert "is disabled." in answer.text
    assert "by Nina on" in answer.text
    page.post(reverse("key-enable", args=[key.pk]))
    key.refresh_from_db()
    assert key.is_enabled


def test_a_cooling_key_is_used_now(page):
    key = make_key(cooling_until=timezone.now() + timedelta(minutes=5))
    assert "is back in use." in page.post(reverse("key-use-now", args=[key.pk]), follow=True).text
    key.refresh_from_db()
    assert key.cooling_until is None


def test_deleting_the_last_enabled_key_says_what_that_means(page):
    key = make_key(label="main", endpoint=make_endpoint(name="openai"))
    text = page.get(reverse("key-delete", args=[key.pk])).text
    assert "Delete key main of openai?" in text
    assert "no other key: its calls go out without one" in text
    make_key(label="spare", endpoint=key.endpoint, is_enabled=False)
    text = page.get(reverse("key-delete", args=[key.pk])).text
    assert "no other enabled key: its turns fail until one is enabled" in text
    page.post(reverse("key-delete", args=[key.pk]))
    assert ApiKey.objects.get().label == "spare"


@pytest.mark.parametrize("name", ["key-enable", "key-disable", "key-use-now"])
def test_acts_on_a_key_are_posts(page, name):
    url = reverse(name, args=[make_key().pk])
    assert page.get(url).status_code == 405
