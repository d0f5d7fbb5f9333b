"""Getting in and out."""

from datetime import timedelta

import pytest
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from streamhub.accounts.models import FailedLogin, User
from streamhub.accounts.throttle import TRIES, WINDOW
from tests.builders import PASSWORD, make_user

LOGIN = reverse("login")


def log_in(client: Client, password: str = PASSWORD, **fields: str):
    return client.post(LOGIN, {"email": "nina@example.org", "password": password, **fields})


def test_a_page_asks_who_is_there_and_goes_on_to_where_they_wanted(client, owner):
    asked = client.get("/servers/")
    assert asked.url == "/login/?next=/servers/"
    assert log_in(client, next="/servers/").url == "/servers/"
    assert client.get("/servers/").status_code == 200


def test_log_in_goes_to_the_wall_by_default_and_never_to_another_site(client, owner):
    assert log_in(client, next="https://elsewhere.example/").url == reverse("wall")
    assert client.get(LOGIN).url == reverse("wall")


def test_the_case_of_an_address_does_not_matter(client, owner):
    response = client.post(LOGIN, {"email": "Nina@Example.ORG", "password": PASSWORD})
    assert response.status_code == 302


def test_a_wrong_password_says_so_and_keeps_the_address_but_not_the_password(client, owner):
    response = log_in(client, "a wrong password")
    text = response.content.decode()
    assert response.status_code == 422
    assert "do not belong together" in text
    assert "nina@example.org" in text
    assert "a wrong password" not in text


@pytest.mark.parametrize("password", ["a wrong password", PASSWORD])
def test_an_unknown_address_and_a_deactivated_person_get_the_same_words(client, owner, password):
    make_user(email="gone@example.org", is_active=False)
    for email in ("nobody@example.org", "gone@example.org"):
        response = client.post(LOGIN, {"email": email, "password": password})
        assert "do not belong together" in response.content.decode()


def test_after_too_many_failed_tries_even_the_right_password_must_wait(client, owner):
    for _ in range(TRIES):
        log_in(client, "a wrong password")
    response = log_in(client)
    assert response.status_code == 422
    assert "Too many failed tries. Wait 10" in response.content.decode().replace("\xa0", " ")


def test_tries_that_come_while_another_is_still_being_checked_are_counted(client, owner, monkeypatch):
    checked = []

    def check_slowly(_request: HttpRequest, username: str, password: str) -> None:
        checked.append(password)
        if len(checked) <= TRIES + 1:
            Client().post(LOGIN, {"email": username, "password": f"guess {len(checked)}"})

    monkeypatch.setattr("streamhub.console.forms.accounts.authenticate", check_slowly)
    log_in(client, "guess 0")
    assert len(checked) == TRIES


def test_the_wait_is_over_once_the_window_has_passed(client, owner):
    for _ in range(TRIES):
        log_in(client, "a wrong password")
    FailedLogin.objects.update(at=timezone.now() - WINDOW - timedelta(seconds=1))
    assert log_in(client).status_code == 302


def test_somebody_elsewhere_cannot_lock_the_owner_out(client, owner):
    for _ in range(TRIES):
        client.post(LOGIN, {"email": owner.email, "password": "guess"}, REMOTE_ADDR="192.0.2.7")
    assert log_in(client).status_code == 302


def test_a_log_in_that_works_forgets_the_failed_ones(client, owner):
    for _ in range(TRIES - 1):
        log_in(client, "a wrong password")
    log_in(client)
    assert not FailedLogin.objects.exists()


def test_before_anybody_exists_the_page_says_where_the_set_up_link_is(client, db):
    assert client.get("/").url == "/login/?next=/"
    text = client.get("/login/?next=/").content.decode()
    assert "Nobody can log in yet" in text
    assert "set-up link that the hub printed" in text
    assert "manage.py setuplink" in text


def test_a_script_whose_session_ended_is_sent_to_log_in_as_a_whole_page(client, owner):
    response = client.get(LOGIN, headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"] == LOGIN


def test_log_out_is_a_post_and_ends_the_session(page):
    assert page.get(reverse("logout")).status_code == 405
    response = page.post(reverse("logout"), follow=True)
    assert "You are logged out." in response.content.decode()
    assert page.get("/servers/").status_code == 302


def test_a_form_that_was_not_ours_is_refused_with_words(owner):
    strict = Client(enforce_csrf_checks=True)
    response = strict.post(LOGIN, {"email": owner.email, "password": PASSWORD})
    assert response.status_code == 403
    assert "too old to be sent" in response.content.decode()
    assert User.objects.get().last_login is None
