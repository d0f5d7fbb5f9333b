"""The page that makes the first owner, once."""

import pytest
from django.urls import reverse

from streamhub.accounts.models import User
from streamhub.accounts.services import issue_setup_token
from streamhub.audit.models import AuditEntry
from tests.builders import PASSWORD, make_user

TYPED = {"name": "Nina", "email": "nina@example.org", "password": PASSWORD}


@pytest.fixture
def link(db) -> str:
    """The address that the hub prints."""
    return reverse("setup", args=[issue_setup_token()])


def test_the_link_shows_a_form_and_what_this_machine_lacks(client, link):
    text = client.get(link).content.decode()
    assert "Make the owner account" in text
    assert "none has reported yet" in text


def test_the_form_makes_the_owner_and_logs_them_in(client, link):
    response = client.post(link, TYPED)
    owner = User.objects.get()
    assert response.url == reverse("wall")
    assert AuditEntry.objects.values_list("actor", "action", "target_label").get() == (
        *(owner.pk, "made the owner"),
        str(owner),
    )
    assert (owner.email, owner.name, owner.is_superuser) == ("nina@example.org", "Nina", True)
    assert client.get(reverse("servers")).status_code == 200


def test_a_used_link_says_that_the_set_up_is_done(client, link):
    client.post(link, TYPED)
    for response in (client.get(link), client.post(link, {**TYPED, "email": "second@example.org"})):
        assert response.status_code == 410
        assert "The set-up is done" in response.content.decode()
    assert User.objects.count() == 1


def test_a_link_that_a_newer_one_replaced_says_what_to_do(client, link):
    issue_setup_token()
    response = client.get(link)
    assert response.status_code == 404
    assert "Open the link that the hub printed last" in response.content.decode()


def test_no_link_opens_once_an_owner_exists(client, db):
    token = issue_setup_token()
    make_user()
    assert client.get(reverse("setup", args=[token])).status_code == 410


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"password": "short"}, "too short"),
        ({"password": "password12"}, "too common"),
        ({"password": "nina@example.org"}, "too similar"),
        ({"email": "nina"}, "valid email address"),
        ({"name": ""}, "This field is required"),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_the_rest_is_kept(client, link, wrong, message):
    response = client.post(link, TYPED | wrong)
    text = response.content.decode()
    assert response.status_code == 422
    assert message in text
    field = next(iter(wrong))
    assert f'id="id_{field}_error"' in text
    kept = "Nina" if field != "name" else "nina@example.org"
    assert f'value="{kept}"' in text
    assert not User.objects.exists()
