"""Model rules from the database, as the values that `providers.rules` merges."""

from collections.abc import Iterable

from providers import rules as pure
from streamhub.catalog.models import LanguageModel, ModelRule, StopMode, StopString
from streamhub.servers.models import Server

_MODES: dict[str, pure.StopMode] = {StopMode.SEND: "send", StopMode.LOCAL: "local", StopMode.DROP: "drop"}


def effective_rules(model: LanguageModel, server: Server | None) -> pure.EffectiveRules:
    """Return what a request to `model` gets in `server` (None: by the rules alone)."""
    return pure.effective_rules(
        model.endpoint.kind,
        model.model_id,
        rules=[_value(rule) for rule in matching_rules(model)],
        server_stops=_stops(server.stop_strings.all()) if server else (),
    )


def matching_rules(model: LanguageModel) -> list[ModelRule]:
    """Return the enabled rules that fit a model, in the order in which they apply."""
    rules = ModelRule.objects.filter(is_enabled=True).order_by("priority", "id")
    return [rule for rule in rules.prefetch_related("stop_strings") if fits(rule, model)]


def fits(rule: ModelRule, model: LanguageModel) -> bool:
    """Tell whether the patterns of a rule fit a model, enabled or not."""
    patterns = pure.ModelRuleValue(kind_pattern=rule.kind_pattern, model_pattern=rule.model_pattern)
    return patterns.fits(model.endpoint.kind, model.model_id)


def _value(rule: ModelRule) -> pure.ModelRuleValue:
    return pure.ModelRuleValue(
        name=rule.name,
        kind_pattern=rule.kind_pattern,
        model_pattern=rule.model_pattern,
        priority=rule.priority,
        stop_strings=tuple(_stops(rule.stop_strings.all())),
        reasoning_tags=tuple(rule.reasoning_tags),
        starts_in_reasoning=rule.starts_in_reasoning,
        extra=rule.extra_parameters,
        drop=tuple(rule.dropped_parameters),
    )


def _stops(rows: Iterable[StopString]) -> list[pure.StopStringValue]:
    return [pure.StopStringValue(text=row.text, mode=_MODES[row.mode]) for row in rows]
