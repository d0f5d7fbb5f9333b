"""What holds for every page: the policy, the frame, the error pages."""

import re

import pytest
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from streamhub.turns.models import Worker
from streamhub.turns.state import Status
from tests.builders import make_channel, make_turn

PAGES = ["/servers/", "/servers/new/", "/audit/"]


@pytest.mark.parametrize("path", PAGES)
def test_the_policy_allows_nothing_inline_and_nobody_else(page, path):
    policy = page.get(path).headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'self' 'nonce-[^']+'", policy)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_marks_its_place_and_needs_a_log_in(page, path):
    assert page.get(path).content.decode().count('aria-current="page"') == 1
    assert Client().get(path).headers["Location"] == f"/login/?next={path}"


def test_the_status_line_counts_who_works_and_leaves_live_numbers_to_the_wall(page):
    channel = make_channel()
    make_turn(channel=channel, status=Status.RUNNING)
    make_turn(channel=channel)
    now = timezone.now()
    Worker.objects.create(id="worker-1", started_at=now, heartbeat_at=now, capacity=10)
    text = page.get("/servers/").content.decode()
    assert "1 worker" in text
    assert "data-live" not in text
    assert "<span data-live>1</span> live, <span data-queued>1</span> queued" in page.get("/").text


def test_the_status_line_says_when_no_worker_lives(page):
    assert "no worker" in page.get("/servers/").content.decode()


def test_the_counts_cost_no_query_on_the_next_page(page, django_assert_max_num_queries):
    page.get("/servers/")
    with django_assert_max_num_queries(4):  # session, user, servers, their live turns
        page.get("/servers/")


def test_an_unknown_address_is_a_page_that_says_so(page):
    response = page.get("/nowhere/")
    assert response.status_code == 404
    assert "Nothing is at this address" in response.content.decode()


def test_a_stranger_learns_nothing_and_is_told_what_to_do(stranger):
    response = stranger.get(reverse("server-create"))
    assert response.status_code == 403
    assert "Your account may not do this" in response.content.decode()


@override_settings(ALLOWED_HOSTS=["hub.example"])
def test_a_host_name_that_is_not_allowed_says_which_setting_to_change(client):
    response = client.get("/login/", headers={"Host": "other.example"})
    assert response.status_code == 400
    assert "STREAMHUB_ALLOWED_HOSTS" in response.content.decode()


def test_the_page_of_a_broken_hub_needs_no_database(page, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("the database is gone")

    monkeypatch.setattr("streamhub.console.views.servers.live_by_server", broken)
    page.raise_request_exception = False
    response = page.get("/servers/")
    assert response.status_code == 500
    assert "Something broke inside the hub" in response.content.decode()
