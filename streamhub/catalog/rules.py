"""Which model rules apply to a model."""

from fnmatch import fnmatchcase

from streamhub.catalog.models import LanguageModel, ModelRule


def fits(rule: ModelRule, model: LanguageModel) -> bool:
    """Tell whether the patterns of a rule fit a model, trimmed and in any case."""
    kind, model_id = model.endpoint.kind.strip().lower(), model.model_id.strip().lower()
    kind_pattern, model_pattern = rule.kind_pattern.strip().lower(), rule.model_pattern.strip().lower()
    return fnmatchcase(kind, kind_pattern) and fnmatchcase(model_id, model_pattern)


def matching_rules(model: LanguageModel) -> list[ModelRule]:
    """Return the enabled rules that fit a model, in the order in which they apply."""
    rules = (
        ModelRule.objects.filter(is_enabled=True).order_by("priority", "id").prefetch_related("stop_strings")
    )
    return [rule for rule in rules if fits(rule, model)]
