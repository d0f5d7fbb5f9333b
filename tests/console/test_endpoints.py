"""Pages of endpoints: the list, connecting a provider, changing and deleting one."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from streamhub.audit.models import AuditEntry
from streamhub.catalog.models import Endpoint
from tests.builders import make_channel, make_endpoint, make_key, make_model, make_server

pytestmark = pytest.mark.django_db

NEW = {
    "name": "openai",
    "kind": "openai_compatible",
    "base_url": "https://api.openai.com/v1",
    "key": "sk-lantern-4711-quay",
    "model_id": "gpt-5-mini",
}
HTMX = {"HX-Request": "true"}


def form_of(endpoint: Endpoint, **changes: str) -> dict[str, str]:
    values = {"name": endpoint.name, "kind": endpoint.kind, "base_url": endpoint.base_url, "is_enabled": "on"}
    return values | changes


def test_the_list_is_empty_with_a_way_to_begin(page):
    answer = page.get(reverse("endpoints"))
    assert "No provider is connected" in answer.text
    assert reverse("endpoint-create") in answer.text


def test_the_list_says_which_endpoint_cannot_answer_and_why(page):
    endpoint = make_endpoint(name="openai")
    make_model(endpoint=endpoint, server=make_server(name="Harbour"))
    make_key(
        endpoint=endpoint, cooling_until=timezone.now() + timedelta(minutes=5), last_error_message="slow down"
    )
    text = page.get(reverse("endpoints")).text
    assert "1 endpoint cannot answer" in text
    assert "No key can answer until" in text
    assert "cooling until" in text
    assert "slow down" in text
    assert "answers in Harbour" in text


def test_a_provider_is_connected_on_one_page(page, owner):
    answer = page.post(reverse("endpoint-create"), NEW, follow=True)
    endpoint = Endpoint.objects.get()
    assert answer.redirect_chain == [(endpoint.get_absolute_url(), 302)]
    assert "openai is connected." in answer.text
    assert endpoint.keys.get().secret().reveal() == NEW["key"]
    assert endpoint.models.get().model_id == "gpt-5-mini"
    assert set(AuditEntry.objects.values_list("actor", flat=True)) == {owner.pk}


def test_a_provider_without_a_key_is_connected(page):
    page.post(reverse("endpoint-create"), NEW | {"key": "", "base_url": "http://127.0.0.1:11434/v1"})
    assert not Endpoint.objects.get().keys.exists()


def test_a_script_is_sent_on_after_connecting(page):
    answer = page.post(reverse("endpoint-create"), NEW, headers=HTMX)
    assert answer["HX-Redirect"] == Endpoint.objects.get().get_absolute_url()


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("name", "", "Give the provider a name."),
        ("kind", "telegraph", "not one of the available choices"),
        ("base_url", "api.openai.com", "Start the address with https://"),
        ("base_url", "https://api.openai.com/v1/chat/completions", "Cut off /chat/completions"),
        ("base_url", "http://169.254.169.254/latest", "link-local or metadata"),
        ("key", "two words", "a space in this key, at position 4"),
        ("model_id", "", "Name one model, as the provider calls it."),
        ("model_id", "a\u202eb", "U+202E"),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_bad_input_is_told_beside_its_field_and_nothing_else_is_lost(page, field, typed, said, headers):
    answer = page.post(reverse("endpoint-create"), NEW | {field: typed}, headers=headers)
    assert answer.status_code == 422
    form = answer.context["form"]
    assert list(form.errors) == [field]
    assert said in form.errors[field][0]
    assert f'id="id_{field}_error"' in answer.text
    for other in {"name", "base_url", "model_id"} - {field}:
        assert f'value="{NEW[other]}"' in answer.text
    assert NEW["key"] not in answer.text
    assert ("<html" in answer.text) is not bool(headers)
    assert not Endpoint.objects.exists()


def test_a_name_that_is_taken_is_told_beside_the_name(page):
    make_endpoint(name="OpenAI")
    answer = page.post(reverse("endpoint-create"), NEW)
    assert answer.context["form"].errors["name"] == ["An endpoint has this name already."]


def key_input(text: str) -> str:
    return next(tag for tag in text.split("<input")[1:] if 'id="id_key"' in tag.split(">")[0]).split(">")[0]


def test_a_typed_key_stays_where_it_is_while_a_script_redraws_the_form(page):
    tag = key_input(page.post(reverse("endpoint-create"), NEW | {"model_id": ""}, headers=HTMX).text)
    assert 'hx-preserve="true"' in tag
    assert "value=" not in tag


def test_a_wrong_key_is_to_be_pasted_anew_and_its_field_says_so(page):
    tag = key_input(page.post(reverse("endpoint-create"), NEW | {"key": "two words"}, headers=HTMX).text)
    assert "hx-preserve" not in tag
    assert 'aria-invalid="true"' in tag
    assert "id_key_error" in tag


def test_plain_http_to_a_foreign_host_is_saved_with_a_warning(page):
    answer = page.post(reverse("endpoint-create"), NEW | {"base_url": "http://api.example.com"}, follow=True)
    assert "unencrypted" in answer.text


def test_an_endpoint_is_changed(page):
    endpoint = make_endpoint(name="one")
    answer = page.post(
        endpoint.get_absolute_url(), form_of(endpoint, name="two", idle_seconds="90"), follow=True
    )
    endpoint.refresh_from_db()
    assert (endpoint.name, endpoint.idle_seconds, endpoint.is_enabled) == ("two", 90, True)
    assert "two is saved." in answer.text


def test_keys_follow_to_a_new_address_only_when_told_to(page):
    endpoint = make_key(endpoint=make_endpoint(base_url="https://one.example/v1")).endpoint
    url = endpoint.get_absolute_url()
    kept = page.post(url, form_of(endpoint, base_url="https://two.example/v1", keeps_keys="on"), follow=True)
    assert "are disabled" not in kept.text
    off = page.post(url, form_of(endpoint, base_url="https://three.example/v1"), follow=True)
    assert "are disabled: enter them anew" in off.text
    assert not endpoint.keys.get().is_enabled


def test_a_bad_change_keeps_what_was_typed_and_the_old_name_in_the_title(page):
    endpoint = make_endpoint(name="one")
    answer = page.post(
        endpoint.get_absolute_url(), form_of(endpoint, name="two", base_url="nowhere", idle_seconds="0")
    )
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {"base_url", "idle_seconds"}
    assert 'value="two"' in answer.text
    assert ">one</h1>" in answer.text


def test_an_endpoint_is_switched_off(page):
    endpoint = make_endpoint()
    values = form_of(endpoint)
    del values["is_enabled"]
    page.post(endpoint.get_absolute_url(), values)
    endpoint.refresh_from_db()
    assert not endpoint.is_enabled


def test_deleting_asks_first_and_names_who_uses_it(page):
    endpoint = make_endpoint(name="openai")
    channel = make_channel(name="quay", server=make_server(name="Harbour"))
    make_model(endpoint=endpoint, server=channel.server)
    url = reverse("endpoint-delete", args=[endpoint.pk])
    text = page.get(url).text
    assert "Delete endpoint openai?" in text
    assert "Harbour" in text
    assert Endpoint.objects.exists()
    answer = page.post(url, follow=True)
    assert "openai is deleted." in answer.text
    assert not Endpoint.objects.exists()


def test_names_are_shown_as_text(page):
    endpoint = make_endpoint(name='<img src=x onerror="alert(1)">')
    make_model(endpoint=endpoint, model_id="<script>")
    for url in (reverse("endpoints"), endpoint.get_absolute_url()):
        text = page.get(url).text
        assert "<img src=x" not in text
        assert "<code><script>" not in text


@pytest.mark.parametrize("pk", [0, 999_999])
def test_an_endpoint_that_is_not_there_is_a_404(page, pk):
    assert page.get(reverse("endpoint", args=[pk])).status_code == 404
