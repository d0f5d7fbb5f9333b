"""Pages of models: add, change, switch off, delete."""

import pytest
from django.urls import reverse

from streamhub.catalog.models import LanguageModel
from tests.builders import make_endpoint, make_model, make_server

pytestmark = pytest.mark.django_db
FILLED = {
    "model_id": "gpt-5-mini",
    "label": "Mini",
    "max_output_tokens": "",
    "has_tools": "on",
    "is_enabled": "on",
}


def test_a_model_is_added(page):
    endpoint = make_endpoint(name="openai")
    answer = page.post(reverse("model-create", args=[endpoint.pk]), FILLED, follow=True)
    assert "Mini is added to openai." in answer.text
    assert endpoint.models.get().has_tools


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"model_id": " "}, "model_id", "Enter the model"),
        ({"model_id": "a\x07b"}, "model_id", "U+0007"),
        ({"model_id": "m" * 301}, "model_id", "at most 300"),
        ({"model_id": "taken"}, "model_id", "This endpoint has that model already."),
        ({"max_output_tokens": "0"}, "max_output_tokens", "greater than or equal to 1"),
        ({"max_output_tokens": "many"}, "max_output_tokens", "whole number"),
    ],
)
def test_bad_input_is_told_beside_its_field(page, changes, field, said):
    endpoint = make_model(model_id="taken").endpoint
    answer = page.post(reverse("model-create", args=[endpoint.pk]), FILLED | changes)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert said in answer.context["form"].errors[field][0]
    assert 'value="Mini"' in answer.text


def test_a_model_is_switched_off(page):
    model = make_model()
    page.post(reverse("model", args=[model.pk]), {"model_id": model.model_id})
    model.refresh_from_db()
    assert (model.is_enabled, model.has_tools) == (False, False)


def test_deleting_names_the_servers_that_use_it(page):
    model = make_model(server=make_server(name="Harbour"), model_id="glm")
    url = reverse("model-delete", args=[model.pk])
    text = page.get(url).text
    assert f"Delete model glm of {model.endpoint}?" in text
    assert "Harbour" in text
    page.post(url)
    assert not LanguageModel.objects.exists()
