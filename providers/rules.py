"""What the rules make of one model: a pure merge, for the engine and the console's preview (DOMAIN 4.5).

Rules apply in order of priority, lowest first; a later one wins where two set the same thing, and "drop" wins
over "send" and "local" wherever it stands, so that a model's rule can switch off a string of the server.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from providers.policy import GuardPolicy

type StopMode = Literal["send", "local", "drop"]

MAX_STOP_ENTRIES = 40
MAX_STOP_CHARS = 200
_DEFAULT_MAX_SENT = 4
_MAX_SENT: Mapping[str, int] = {"deepseek": 16}
_ESCAPES: Mapping[str, str] = {"n": "\n", "r": "\r", "t": "\t", ",": ",", "\\": "\\"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StopStringValue:
    """A text at which the visible reply ends, and who sees to it: the provider, StreamHub, or nobody."""

    text: str
    mode: StopMode = "send"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRuleValue:
    """A rule for the models that both patterns fit (`*`, `?`, any case). Empty or None changes nothing."""

    kind_pattern: str = "*"
    model_pattern: str = "*"
    priority: int = 100
    name: str = ""
    stop_strings: tuple[StopStringValue, ...] = ()
    reasoning_tags: tuple[str, ...] = ()
    starts_in_reasoning: bool | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    drop: tuple[str, ...] = ()

    def fits(self, kind: str, model_id: str) -> bool:
        """Whether the rule applies to a model, compared trimmed and in lower case."""
        return _fits(self.kind_pattern, kind) and _fits(self.model_pattern, model_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveRules:
    """What one model gets. `applied` names the rules that took part, in order."""

    stop_sent: tuple[str, ...] = ()
    stop_local: tuple[str, ...] = ()
    reasoning_tags: tuple[str, ...] = GuardPolicy().reasoning_tags
    starts_in_reasoning: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()
    applied: tuple[str, ...] = ()


_BEGIN_OF_SENTENCE = "<\uff5cbegin\u2581of\u2581sentence\uff5c>"

BUILT_IN_RULES: tuple[ModelRuleValue, ...] = (
    ModelRuleValue(
        name="DeepSeek begins another text",
        model_pattern="*deepseek*",
        priority=-10_000,
        stop_strings=(StopStringValue(text=_BEGIN_OF_SENTENCE),),
    ),
    ModelRuleValue(
        name="GLM 4.6 at NovelAI goes on with the next role",
        kind_pattern="novelai",
        model_pattern="glm-4-6",
        priority=-10_000,
        stop_strings=tuple(
            StopStringValue(text=text) for text in ("<|user|>", "<|observation|>", "<|system|>", "</think>")
        ),
    ),
)


def effective_rules(
    kind: str,
    model_id: str,
    *,
    rules: Iterable[ModelRuleValue] = (),
    server_stops: Iterable[StopStringValue] = (),
    request_stops: Iterable[str] = (),
    persona: str = "",
) -> EffectiveRules:
    """Merge everything that is known about a model into what one request to it gets.

    Stop strings are taken in the order request, built-in, rules, server, persona; the persona's label is used
    only if a name is given. What the provider would not take (more than its cap, or `stop` is a dropped
    parameter) is enforced by StreamHub instead.
    """
    candidates = sorted((*BUILT_IN_RULES, *rules), key=lambda rule: rule.priority)
    fitting = [rule for rule in candidates if rule.fits(kind, model_id)]
    extra, drop = _parameters(fitting)
    stops = [StopStringValue(text=text) for text in request_stops]
    stops += [stop for rule in fitting for stop in rule.stop_strings]
    stops += [*server_stops, StopStringValue(text=persona_stop(persona), mode="local")]
    sent, local = _placed(stops, 0 if "stop" in drop else _MAX_SENT.get(_plain(kind), _DEFAULT_MAX_SENT))
    tags = [rule.reasoning_tags for rule in fitting if rule.reasoning_tags]
    starts = [rule.starts_in_reasoning for rule in fitting if rule.starts_in_reasoning is not None]
    return EffectiveRules(
        stop_sent=sent,
        stop_local=local,
        reasoning_tags=tags[-1] if tags else GuardPolicy().reasoning_tags,
        starts_in_reasoning=starts[-1] if starts else False,
        extra=extra,
        drop=frozenset(drop),
        applied=tuple(rule.name for rule in fitting if rule.name),
    )


def persona_stop(name: str) -> str:
    """Return the label a persona's next line would begin with, or "" without a name.

    The line break in front lets a reply begin with the persona's own name.
    """
    words = " ".join(name.split())
    return f"\n{words}:" if words else ""


def parse_stop_list(text: str) -> tuple[str, ...]:
    r"""Return the stop strings a person typed: separated by commas or line breaks, `\n`, `\r`, `\t`, `\,`
    decoded.

    Raises ValueError, with a message for that person, for more than 40 entries or one over 200 characters.
    """
    entries = tuple(dict.fromkeys(entry for entry in map(_decoded, _split(text)) if entry))
    if len(entries) > MAX_STOP_ENTRIES:
        raise ValueError(f"There are {len(entries)} stop strings; the limit is {MAX_STOP_ENTRIES}.")
    for number, entry in enumerate(entries, start=1):
        if len(entry) > MAX_STOP_CHARS:
            raise ValueError(
                f"Stop string {number} is {len(entry)} characters long; the limit is {MAX_STOP_CHARS}."
            )
    return entries


def _split(text: str) -> list[str]:
    """Cut at commas and line breaks that no backslash precedes; trim, but not what an escape stands for."""
    entries, start, place = [], 0, 0
    while place < len(text):
        if text[place] == "\\":
            place += 2
            continue
        if text[place] in ",\n\r":
            entries.append(text[start:place])
            start = place + 1
        place += 1
    return [entry.strip() for entry in (*entries, text[start:])]


def _decoded(entry: str) -> str:
    out, place = [], 0
    while place < len(entry):
        following = entry[place + 1 : place + 2]
        if entry[place] == "\\" and following in _ESCAPES and following:
            out.append(_ESCAPES[following])
            place += 2
        else:
            out.append(entry[place])
            place += 1
    return "".join(out)


def _plain(text: str) -> str:
    return text.strip().lower()


def _fits(pattern: str, text: str) -> bool:
    return fnmatchcase(_plain(text), _plain(pattern).replace("[", "[[]"))


def _parameters(rules: list[ModelRuleValue]) -> tuple[dict[str, Any], set[str]]:
    extra: dict[str, Any] = {}
    drop: set[str] = set()
    for rule in rules:
        extra.update(rule.extra)
        drop.difference_update(rule.extra)
        drop.update(rule.drop)
        for name in rule.drop:
            extra.pop(name, None)
    return extra, drop


def _placed(stops: Iterable[StopStringValue], max_sent: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (sent, local): exact duplicates once, dropped ones nowhere, what is over the cap local."""
    modes: dict[str, StopMode] = {}
    for stop in stops:
        if stop.text and modes.get(stop.text) != "drop":
            modes[stop.text] = stop.mode
    sendable = [text for text, mode in modes.items() if mode == "send"]
    sent = tuple(sendable[:max_sent])
    return sent, tuple(text for text, mode in modes.items() if mode != "drop" and text not in sent)
