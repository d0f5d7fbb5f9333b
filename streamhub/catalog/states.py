"""What state an endpoint and its keys are in, in words. Pure: rows and a time in, words out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from urllib.parse import urlsplit

from django.utils import timezone
from django.utils.timesince import timesince

from providers.redaction import redact
from streamhub.catalog.addresses import is_local_host
from streamhub.catalog.models import ApiKey, Endpoint, LanguageModel
from streamhub.core.crypto import SecretUnreadable

type Condition = Literal["ok", "untried", "failing", "cooling", "unreadable", "disabled"]

# Condition: the phase that colours it, and its sign.
_LOOKS: dict[Condition, tuple[str, str]] = {
    "ok": ("completed", "completed"),
    "untried": ("queued", "queued"),
    "failing": ("retry", "warn"),
    "cooling": ("late", "clock"),
    "unreadable": ("failed", "failed"),
    "disabled": ("killed", "lock"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """A key and what it can do now."""

    key: ApiKey
    condition: Condition
    title: str
    detail: str

    @property
    def phase(self) -> str:
        """The phase whose colour it takes."""
        return _LOOKS[self.condition][0]

    @property
    def sign(self) -> str:
        """Its sign in the sprite."""
        return _LOOKS[self.condition][1]

    @property
    def is_usable(self) -> bool:
        """Whether a turn that starts now may use it."""
        return self.condition in {"ok", "untried", "failing"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointState:
    """An endpoint with its keys and models, and in `phase` whether it can answer.

    `completed`, `late` and `queued` can; the last of them has not been tried yet.
    """

    endpoint: Endpoint
    keys: Sequence[KeyState]
    models: Sequence[LanguageModel]
    phase: str
    title: str
    detail: str = ""

    @property
    def sign(self) -> str:
        """Its sign in the sprite."""
        signs = {"completed": "completed", "queued": "queued", "late": "warn", "killed": "lock"}
        return signs.get(self.phase, "failed")


def key_state(key: ApiKey, *, now: datetime, disabled_by: str = "") -> KeyState:
    """Return what `key` can do at `now`; `disabled_by` says who disabled it and when."""
    if not key.is_enabled:
        return KeyState(key=key, condition="disabled", title="disabled", detail=disabled_by)
    try:
        key.secret()
    except SecretUnreadable as error:
        return KeyState(key=key, condition="unreadable", title="enter anew", detail=str(error))
    failure = _last_failure(key)
    if key.cooling_until and key.cooling_until > now:
        title = f"cooling until {_clock(key.cooling_until, now)}"
        return KeyState(key=key, condition="cooling", title=title, detail=failure)
    if key.error_count:
        return KeyState(key=key, condition="failing", title="failed last time", detail=failure)
    if key.last_used_at is None:
        return KeyState(key=key, condition="untried", title="not used yet", detail="")
    return KeyState(key=key, condition="ok", title="ok", detail=_last_use(key.last_used_at, now))


def endpoint_state(
    endpoint: Endpoint, *, keys: Sequence[KeyState], models: Sequence[LanguageModel], now: datetime
) -> EndpointState:
    """Return whether `endpoint` can answer, and if not, why."""
    phase, title, detail = _judge(endpoint, keys, models, now)
    return EndpointState(endpoint=endpoint, keys=keys, models=models, phase=phase, title=title, detail=detail)


def _judge(
    endpoint: Endpoint, keys: Sequence[KeyState], models: Sequence[LanguageModel], now: datetime
) -> tuple[str, str, str]:
    if not endpoint.is_enabled:
        return "killed", "Switched off", "No turn uses it until it is enabled again."
    if not any(model.is_enabled for model in models):
        return "failed", "No model to answer with", "Add a model, or enable one."
    if not keys:
        if is_local_host(urlsplit(endpoint.base_url).hostname or ""):
            return "completed", "Ready, without a key", ""
        return "late", "Has no key", "Calls go out without one."
    if not any(state.is_usable for state in keys):
        return "failed", *_no_key(keys, now)
    return _some_key(keys)


def _no_key(keys: Sequence[KeyState], now: datetime) -> tuple[str, str]:
    until = [state.key.cooling_until for state in keys if state.condition == "cooling"]
    soonest = min((moment for moment in until if moment), default=None)
    title = f"No key can answer until {_clock(soonest, now)}" if soonest else "No key can answer"
    return title, _count(keys)


def _some_key(keys: Sequence[KeyState]) -> tuple[str, str, str]:
    conditions = Counter(state.condition for state in keys)
    answering = conditions["ok"] + conditions["untried"] + conditions["failing"]
    answers = f"{_number(answering)} {'answers' if answering == 1 else 'answer'}"
    if conditions["cooling"]:
        cooling = conditions["cooling"]
        cools = f"{_number(cooling).capitalize()} {'key cools' if cooling == 1 else 'keys cool'}"
        return "late", f"{cools}, {answers}", ""
    if conditions["unreadable"]:
        return "late", f"A key needs re-entry, {answers}", ""
    if conditions["ok"]:
        return "completed", "Well", ""
    if conditions["failing"]:
        return "late", "The last call failed", ""
    return "queued", "Not tried yet", "No turn has used it so far."


def _count(keys: Sequence[KeyState]) -> str:
    words = {"cooling": "cooling", "unreadable": "to be entered anew", "disabled": "disabled"}
    conditions = Counter(state.condition for state in keys)
    return ", ".join(f"{conditions[name]} {word}" for name, word in words.items() if conditions[name])  # type: ignore[index]


def _number(count: int) -> str:
    return {1: "one", 2: "two", 3: "three"}.get(count, str(count))


def _last_use(at: datetime, now: datetime) -> str:
    if now - at < timedelta(minutes=1):
        return "used just now"
    return f"last used {timesince(at, now)} ago"


def _last_failure(key: ApiKey) -> str:
    at = f" at {timezone.localtime(key.last_error_at):%H:%M:%S}" if key.last_error_at else ""
    kind = key.last_error_type.replace("_", " ")
    said = f": {redact(key.last_error_message)}" if key.last_error_message else ""
    return f"{kind}{at}{said}"


def _clock(moment: datetime, now: datetime) -> str:
    """The time of day, with its date if that is not today."""
    local = timezone.localtime(moment)
    today = local.date() == timezone.localtime(now).date()
    return f"{local:%H:%M:%S}" if today else f"{local:%-d %b %H:%M}"
