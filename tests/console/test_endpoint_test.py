"""Testing a connection against a provider on loopback, with typed and with stored values."""

import pytest
from django.urls import reverse

from streamhub.catalog.models import ApiKey, Endpoint
from tests.builders import make_endpoint, make_key, make_model
from tests.console.simulated import simulator

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}
SECRET = "sk-lantern-4711-quay-0815"


@pytest.fixture(scope="module")
def provider():
    with simulator() as running:
        yield running


def typed(provider, **changes: str) -> dict[str, str]:
    values = {
        "name": "sim",
        "kind": "custom",
        "base_url": f"{provider.url}",
        "key": SECRET,
        "model_id": "talk",
    }
    return values | changes


def test_unsaved_values_are_tried_without_losing_the_form(page, provider):
    answer = page.post(reverse("endpoint-test"), typed(provider), headers=HTMX)
    assert "It answers" in answer.text
    assert "<form" not in answer.text
    assert SECRET not in answer.text
    assert "Connection test" in answer["HX-Trigger"]
    assert not Endpoint.objects.exists()


def test_without_script_the_form_comes_back_with_the_result(page, provider):
    answer = page.post(reverse("endpoint-test"), typed(provider))
    assert "It answers" in answer.text
    assert f'value="{provider.url}"' in answer.text
    assert 'value="talk"' in answer.text
    assert SECRET not in answer.text
    assert "enter it again" in answer.text


def test_bad_values_are_told_instead_of_tried(page, provider):
    answer = page.post(reverse("endpoint-test"), typed(provider, base_url="nowhere"), headers=HTMX)
    assert "Not tested" in answer.text
    assert "Base address: Start the address with https://" in answer.text
    both = page.post(reverse("endpoint-test"), typed(provider, base_url="nowhere", model_id=""), headers=HTMX)
    assert "Base address: Start the address with https://" in both.text
    answer = page.post(reverse("endpoint-test"), typed(provider, model_id=""), headers=HTMX)
    assert "Enter a model first" in answer.text


def test_a_provider_that_is_not_there_is_said_so(page, provider):
    answer = page.post(
        reverse("endpoint-test"), typed(provider, base_url="http://127.0.0.1:9/v1"), headers=HTMX
    )
    assert 'data-phase="failed"' in answer.text
    assert "Nothing answers" in answer.text
    assert "The provider says" not in answer.text


def test_a_refused_key_and_a_wrong_path_are_told_apart(page, provider):
    refused = page.post(reverse("endpoint-test"), typed(provider, key="sk-bad"), headers=HTMX)
    assert "The key was not accepted." in refused.text
    lost = typed(provider, base_url=f"{provider.url}/elsewhere")
    assert (
        "Does the address need /v1 at its end?"
        in page.post(reverse("endpoint-test"), lost, headers=HTMX).text
    )


def saved(provider, **key_fields):
    endpoint = make_endpoint(kind="custom", base_url=f"{provider.url}")
    make_model(endpoint=endpoint, model_id="talk")
    return endpoint, make_key(endpoint=endpoint, secret=SECRET, **key_fields)


def test_a_saved_endpoint_is_tried_with_its_stored_key(page, provider):
    endpoint, _ = saved(provider)
    url = reverse("endpoint-test", args=[endpoint.pk])
    for headers in (HTMX, {}):
        answer = page.post(url, headers=headers)
        assert "It answers" in answer.text
        assert SECRET not in answer.text
        assert SECRET.endswith(provider.connections[-1].api_key_tail)


def test_a_stored_key_is_never_sent_to_another_address(page, provider):
    endpoint, _ = saved(provider)
    with simulator() as elsewhere:
        values = {"kind": "custom", "base_url": f"{elsewhere.url}"}
        answer = page.post(reverse("endpoint-test", args=[endpoint.pk]), values, headers=HTMX)
        assert "Save the new address" in answer.text
        assert not elsewhere.connections


def test_another_path_at_the_same_address_is_tried(page, provider):
    endpoint, _ = saved(provider)
    values = {"kind": "custom", "base_url": f"{provider.url}/"}
    assert "It answers" in page.post(reverse("endpoint-test", args=[endpoint.pk]), values, headers=HTMX).text


def test_a_key_that_cannot_be_read_is_told_instead_of_leaving_it_out(page, provider):
    endpoint, key = saved(provider)
    ApiKey.objects.filter(pk=key.pk).update(ring_id="0badcafe")
    answer = page.post(reverse("endpoint-test", args=[endpoint.pk]), headers=HTMX)
    assert "Not tested" in answer.text
    assert "0badcafe" in answer.text


def test_a_get_is_refused(page):
    assert page.get(reverse("endpoint-test")).status_code == 405
