"""Rules and stop strings: how they are saved, which apply to a model, and what it gets."""

import pytest
from django.core.exceptions import ValidationError

from streamhub.audit.models import AuditEntry
from streamhub.catalog import services
from streamhub.catalog.models import StopMode, StopString
from streamhub.catalog.rules import effective_rules, matching_rules
from streamhub.catalog.services import StopValue
from tests.builders import make_endpoint, make_model, make_server

pytestmark = pytest.mark.django_db


def make_rule(**values):
    return services.create_rule(actor=None, **values)


def test_a_rule_is_saved_with_its_stop_strings_in_order():
    rule = make_rule(name="r", stop_strings=[StopValue("b"), StopValue("a", StopMode.DROP)])
    assert [(stop.text, stop.mode) for stop in rule.stop_strings.all()] == [("b", "send"), ("a", "drop")]


def test_a_bad_stop_string_leaves_the_rule_as_it_was():
    rule = make_rule(name="r", stop_strings=[StopValue("keep")])
    with pytest.raises(ValidationError):
        services.update_rule(rule, actor=None, name="renamed", stop_strings=[StopValue("x"), StopValue("x")])
    rule.refresh_from_db()
    assert (rule.name, rule.stop_strings.get().text) == ("r", "keep")


def test_stop_strings_are_audited_only_when_they_change():
    server = make_server()
    assert services.set_server_stop_strings(server, [StopValue("END")], actor=None)
    assert not services.set_server_stop_strings(server, [StopValue("END")], actor=None)
    entry = AuditEntry.objects.get()
    assert (entry.server_id, entry.before, entry.after) == (server.pk, [], [["END", "send"]])


def test_at_most_forty_stop_strings_are_taken():
    with pytest.raises(ValidationError, match="at most 40"):
        services.set_server_stop_strings(make_server(), [StopValue(str(n)) for n in range(41)], actor=None)
    assert not StopString.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model_pattern", " "),
        ("reasoning_tags", ["<think>"]),
        ("extra_parameters", {"messages": []}),
        ("dropped_parameters", ["model"]),
        ("priority", 100_000),
        ("idle_seconds", 0),
    ],
)
def test_a_bad_value_is_told_beside_its_field(field, value):
    with pytest.raises(ValidationError) as caught:
        make_rule(name="r", **{field: value})
    assert set(caught.value.message_dict) == {field}


def test_enabled_rules_that_fit_apply_in_order_of_priority():
    model = make_model(model_id="z-ai/GLM-4.6", endpoint=make_endpoint(kind="openrouter"))
    make_rule(name="late", model_pattern="*glm*", priority=200)
    make_rule(name="early", kind_pattern="open*", priority=1)
    make_rule(name="other model", model_pattern="gpt*")
    make_rule(name="other kind", kind_pattern="zai")
    make_rule(name="off", is_enabled=False)
    assert [rule.name for rule in matching_rules(model)] == ["early", "late"]


def test_a_model_gets_what_its_rules_and_server_say():
    model, server = make_model(model_id="glm"), make_server()
    make_rule(
        name="r",
        model_pattern="glm",
        reasoning_tags=["seed:think"],
        starts_in_reasoning=True,
        extra_parameters={"temperature": 0.6},
        dropped_parameters=["top_k"],
        stop_strings=[StopValue("<|user|>"), StopValue("A", StopMode.LOCAL), StopValue("X", StopMode.DROP)],
    )
    services.set_server_stop_strings(server, [StopValue("END"), StopValue("X")], actor=None)
    got = effective_rules(model, server)
    assert (got.stop_sent, got.stop_local) == (("<|user|>", "END"), ("A",))
    assert (got.reasoning_tags, got.starts_in_reasoning) == (("seed:think",), True)
    assert (got.extra, got.applied) == ({"temperature": 0.6}, ("r",))
    assert got.drop == {"top_k"}
    assert "END" not in effective_rules(model, None).stop_sent


def test_deleting_a_rule_takes_its_stop_strings_along():
    rule = make_rule(name="r", stop_strings=[StopValue("x")])
    services.delete_rule(rule, actor=None)
    assert not StopString.objects.exists()
    assert AuditEntry.objects.order_by("-pk")[0].action == "deleted"
