"""What the rules page shows: each rule in words, and what one model would get of all of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from providers.rules import EffectiveRules
from streamhub.catalog.models import LanguageModel, ModelRule, StopMode, StopString
from streamhub.catalog.rules import effective_rules, fits, matching_rules
from streamhub.catalog.selectors import ClockLimits, clock_limits
from streamhub.catalog.validators import encode_stop_string
from streamhub.servers.models import Server

BUILT_IN = "built in"

type Fate = Literal["sent", "local", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine:
    """A rule in the list: what it does, and how many of the models it fits."""

    rule: ModelRule
    does: list[str]
    fitting: int
    models: int

    @property
    def fit_words(self) -> str:
        """How many models it fits."""
        return f"{self.fitting} of {self.models} model{'' if self.models == 1 else 's'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopLine:
    """A stop string in the preview: as typed, what becomes of it, who asked for it, and why if not so."""

    typed: str
    fate: Fate
    owner: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a model gets, and from where."""

    model: LanguageModel
    server: Server | None
    rules: list[ModelRule]
    built_in: list[str]
    effective: EffectiveRules
    stops: list[StopLine]
    parameters: str
    drops: list[str]
    clocks: ClockLimits


def rule_lines() -> list[RuleLine]:
    """Return every rule in the order in which they apply."""
    models = list(LanguageModel.objects.select_related("endpoint"))
    rules = ModelRule.objects.order_by("priority", "id").prefetch_related("stop_strings")
    return [
        RuleLine(
            rule=rule,
            does=list(_does(rule)),
            fitting=sum(fits(rule, model) for model in models),
            models=len(models),
        )
        for rule in rules
    ]


def preview_of(model: LanguageModel, server: Server | None) -> Preview:
    """Return what a turn on `model` in `server` would get now."""
    rules = matching_rules(model)
    effective = effective_rules(model, server)
    own = {rule.name for rule in rules}
    return Preview(
        model=model,
        server=server,
        rules=rules,
        built_in=[name for name in effective.applied if name not in own],
        effective=effective,
        stops=_stop_lines(rules, server, effective),
        parameters=json.dumps(effective.extra, indent=2, ensure_ascii=False) if effective.extra else "",
        drops=sorted(effective.drop),
        clocks=clock_limits(model, server),
    )


def _does(rule: ModelRule) -> Iterator[str]:
    stops = rule.stop_strings.all()
    if stops:
        yield f"{len(stops)} stop string{'' if len(stops) == 1 else 's'}"
    if rule.reasoning_tags:
        yield f"reasoning in {', '.join(rule.reasoning_tags)}"
    if rule.starts_in_reasoning is not None:
        yield "starts in reasoning" if rule.starts_in_reasoning else "does not start in reasoning"
    if rule.extra_parameters:
        yield f"sets {', '.join(rule.extra_parameters)}"
    if rule.dropped_parameters:
        yield f"leaves out {', '.join(rule.dropped_parameters)}"
    if rule.first_token_seconds:
        yield f"first-token clock {rule.first_token_seconds} s"
    if rule.idle_seconds:
        yield f"idle clock {rule.idle_seconds} s"


def _stop_lines(rules: list[ModelRule], server: Server | None, effective: EffectiveRules) -> list[StopLine]:
    asked: dict[str, tuple[StopString | None, str]] = {}
    for rule in rules:
        asked |= {stop.text: (stop, f"rule {rule}") for stop in rule.stop_strings.all()}
    if server is not None:
        asked |= {stop.text: (stop, f"server {server}") for stop in server.stop_strings.all()}
    for text in (*effective.stop_sent, *effective.stop_local):
        asked.setdefault(text, (None, BUILT_IN))
    return sorted(
        (_stop_line(text, stop, owner, effective) for text, (stop, owner) in asked.items()),
        key=lambda line: ("sent", "local", "dropped").index(line.fate),
    )


def _stop_line(text: str, stop: StopString | None, owner: str, effective: EffectiveRules) -> StopLine:
    typed = encode_stop_string(text)
    if text in effective.stop_sent:
        return StopLine(typed=typed, fate="sent", owner=owner)
    if text not in effective.stop_local:
        why = "" if stop is not None and stop.mode == StopMode.DROP else "another rule says never"
        return StopLine(typed=typed, fate="dropped", owner=owner, why=why)
    if stop is not None and stop.mode == StopMode.LOCAL:
        return StopLine(typed=typed, fate="local", owner=owner)
    why = (
        "the parameter stop is left out"
        if "stop" in effective.drop
        else "the provider takes no more than it was sent"
    )
    return StopLine(typed=typed, fate="local", owner=owner, why=why)
