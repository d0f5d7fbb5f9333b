"""Pages of model rules: the list, the form with its stop strings, and the preview."""

from html import escape

import pytest
from django.urls import reverse

from streamhub.catalog import services
from streamhub.catalog.models import ModelRule, StopMode
from streamhub.catalog.services import StopValue
from tests.builders import make_model, make_server

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
FILLED = {
    "name": "GLM",
    "kind_pattern": "*",
    "model_pattern": "*glm*",
    "priority": "50",
    "is_enabled": "on",
    "stop": [r"\nMira:", "", "<|user|>"],
    "stop_mode": ["send", "send", "drop"],
    "reasoning_tags": "think, seed:think",
    "starts_in_reasoning": "yes",
    "extra_parameters": '{"temperature": 0.6}',
    "dropped_parameters": "top_k",
    "first_token_seconds": "",
    "idle_seconds": "300",
}


def test_a_rule_is_written(page):
    answer = page.post(reverse("rule-create"), FILLED, follow=True)
    assert "Rule GLM is created." in answer.text
    rule = ModelRule.objects.get()
    assert (rule.reasoning_tags, rule.starts_in_reasoning) == (["think", "seed:think"], True)
    assert (rule.extra_parameters, rule.dropped_parameters) == ({"temperature": 0.6}, ["top_k"])
    assert [(stop.text, stop.mode) for stop in rule.stop_strings.all()] == [
        ("\nMira:", "send"),
        ("<|user|>", "drop"),
    ]


def test_a_saved_rule_comes_back_as_it_was_typed_and_saving_it_changes_nothing(page):
    page.post(reverse("rule-create"), FILLED)
    rule = ModelRule.objects.get()
    text = page.get(rule.get_absolute_url()).text
    for typed in (r"\nMira:", escape("<|user|>"), "think, seed:think", escape('"temperature": 0.6')):
        assert typed in text
    page.post(rule.get_absolute_url(), FILLED)
    again = ModelRule.objects.get()
    assert (again.starts_in_reasoning, again.extra_parameters) == (True, {"temperature": 0.6})


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"name": ""}, "name", "Give the rule a name."),
        ({"name": "taken"}, "name", "A rule has this name already."),
        ({"model_pattern": " "}, "model_pattern", "Enter a pattern"),
        ({"priority": "high"}, "priority", "whole number"),
        ({"reasoning_tags": "<think>"}, "reasoning_tags", "is not a tag name"),
        ({"extra_parameters": '{"a": 1,\n "b" 2}'}, "extra_parameters", "Line 2, column 6"),
        ({"extra_parameters": '{"messages": 1}'}, "extra_parameters", "cannot be set here"),
        ({"dropped_parameters": "stream"}, "dropped_parameters", "cannot be left out"),
        ({"idle_seconds": "0"}, "idle_seconds", "greater than or equal to 1"),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_bad_input_is_told_beside_its_field_and_nothing_is_lost(page, changes, field, said, headers):
    services.create_rule(actor=None, name="taken")
    answer = page.post(reverse("rule-create"), FILLED | changes, headers=headers)
    assert answer.status_code == 422
    assert said in answer.context["form"].errors[field][0]
    assert f'id="id_{field}_error"' in answer.text
    kept = {"model_pattern": "*glm*", "reasoning_tags": "think, seed:think", "dropped_parameters": "top_k"}
    for name, value in kept.items():
        assert name == field or f'value="{value}"' in answer.text
    assert r'value="\nMira:"' in answer.text
    for value in changes.values():
        assert escape(value.strip()) in answer.text


@pytest.mark.parametrize(
    ("typed", "said"),
    [(r"\q<end>", r"\q is not an escape"), ("x" * 201, "at most 200"), (r"\nMira:", "Row 1 says the same.")],
)
def test_a_bad_stop_string_is_told_in_its_row(page, typed, said):
    answer = page.post(
        reverse("rule-create"), FILLED | {"stop": [r"\nMira:", typed], "stop_mode": ["send", "local"]}
    )
    assert answer.status_code == 422
    row = answer.context["stops"].rows[1]
    assert said in row.error
    assert 'aria-describedby="stop-error-2"' in answer.text
    assert escape(typed) in answer.text
    assert not ModelRule.objects.exists()


def test_every_wrong_part_is_told_in_one_answer(page):
    answer = page.post(
        reverse("rule-create"),
        FILLED | {"name": "", "extra_parameters": "{", "stop": [r"\q"], "stop_mode": ["send"]},
    )
    assert set(answer.context["form"].errors) == {"name", "extra_parameters"}
    assert answer.context["stops"].rows[0].error


def test_a_stop_string_row_without_a_known_mode_is_refused(page):
    answer = page.post(reverse("rule-create"), FILLED | {"stop": ["a"], "stop_mode": ["shout"]})
    assert answer.context["stops"].rows[0].error == "Choose what to do with it."


def test_the_list_shows_what_each_rule_does_and_fits_in_order(page):
    make_model(model_id="glm-4.6")
    make_model(model_id="gpt")
    services.create_rule(actor=None, name="second", priority=20, idle_seconds=9)
    services.create_rule(
        actor=None, name="first", priority=10, model_pattern="glm*", stop_strings=[StopValue("x")]
    )
    text = page.get(reverse("rules")).text
    assert text.index("first") < text.index("second")
    assert "1 of 2 models" in text
    assert "1 stop string" in text
    assert "idle clock 9 s" in text


def preview_texts(page, model, server=None) -> tuple[str, str]:
    """The preview, as a script gets it and as the page without script has it."""
    query = {"model": model.pk, "server": server.pk if server else ""}
    part = page.get(reverse("rule-preview"), query, headers=HTMX).text
    whole = page.get(reverse("rules"), query).text
    assert "<html" not in part
    assert "<html" in whole
    return part, whole


def test_the_preview_says_what_a_model_gets_and_from_where(page):
    model, server = make_model(model_id="glm"), make_server(name="Harbour", idle_seconds=77)
    services.create_rule(
        actor=None,
        name="GLM",
        model_pattern="glm",
        reasoning_tags=["seed:think"],
        starts_in_reasoning=True,
        extra_parameters={"temperature": 0.6},
        dropped_parameters=["top_k"],
        stop_strings=[StopValue(text) for text in "ABCDE"],
    )
    services.set_server_stop_strings(
        server, [StopValue("\nMira:", StopMode.LOCAL), StopValue("A", StopMode.DROP)], actor=None
    )
    for text in preview_texts(page, model, server):
        for said in (
            "seed:think",
            "temperature",
            "top_k",
            "77 s",
            "idle clock of server Harbour",
            r"\nMira:",
        ):
            assert said in text
    stops = page.get(reverse("rules"), {"model": model.pk, "server": server.pk}).context["preview"].stops
    fates = {stop.typed: (stop.fate, bool(stop.why)) for stop in stops}
    assert fates == {
        "A": ("dropped", False),
        **dict.fromkeys("BCDE", ("sent", False)),
        r"\nMira:": ("local", False),
    }


def test_what_the_provider_does_not_take_is_shown_as_enforced_here(page):
    model = make_model()
    services.create_rule(actor=None, name="many", stop_strings=[StopValue(text) for text in "ABCDE"])
    preview = page.get(reverse("rules"), {"model": model.pk}).context["preview"]
    assert [(stop.typed, stop.fate) for stop in preview.stops][-1] == ("E", "local")
    assert "no more" in preview.stops[-1].why
    services.create_rule(actor=None, name="no stop", dropped_parameters=["stop"])
    preview = page.get(reverse("rules"), {"model": model.pk}).context["preview"]
    assert {stop.fate for stop in preview.stops} == {"local"}
    assert "stop is left out" in preview.stops[0].why


def test_a_preview_of_a_model_that_is_gone_says_so(page):
    answer = page.get(reverse("rule-preview"), {"model": 999_999}, headers=HTMX)
    assert answer.status_code == 200
    assert answer.context["preview"] is None
    assert "not one of the available choices" in answer.text


def test_deleting_a_rule_asks_first(page):
    rule = services.create_rule(actor=None, name="GLM")
    url = reverse("rule-delete", args=[rule.pk])
    assert "Delete rule GLM?" in page.get(url).text
    page.post(url)
    assert not ModelRule.objects.exists()
