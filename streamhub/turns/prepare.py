"""From a claimed turn to the plan that the engine runs: model, key, request, guards and clocks, read once."""

from logging import getLogger

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from providers.errors import ProviderError
from providers.policy import GuardPolicy
from providers.request import EndpointConfig, GenerationRequest
from streamhub.catalog.models import ApiKey, LanguageModel
from streamhub.catalog.rules import effective_rules
from streamhub.catalog.selectors import clock_limits, route_for, usable_key
from streamhub.core.crypto import SecretUnreadable
from streamhub.servers.models import ThoughtLogLevel
from streamhub.turns.conversation import messages_of, tools_of
from streamhub.turns.engine.clocks import ClockLimits, Limit
from streamhub.turns.engine.ports import RefusedPlan, TurnPlan
from streamhub.turns.models import Attempt, Turn

log = getLogger(__name__)

_THOUGHT_KINDS = {
    ThoughtLogLevel.OFF: frozenset[str](),
    ThoughtLogLevel.SUMMARY: frozenset({"summary"}),
    ThoughtLogLevel.RAW: frozenset({"summary", "raw"}),
}
_SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
)


class PlanRefused(Exception):
    """The turn cannot run as things are configured; the message says what to change."""

    def __init__(self, code: str, message: str) -> None:
        self.error = ProviderError(type="api_error", code=code, message=message)
        super().__init__(message)


def prepare(turn: Turn) -> TurnPlan | RefusedPlan:
    """Return the plan of a claimed turn, and note its attempt; a refusal carries the error the turn will end with."""
    try:
        model = _model_of(turn)
        key = _key_of(model)
        plan = _plan(turn, model, key)
    except PlanRefused as refused:
        return _refused(turn, refused.error)
    except DatabaseError:
        raise
    except Exception as error:  # whatever a row holds, it costs its own turn and no other
        log.exception("turn %s cannot be prepared", turn.pk)
        message = f"This turn cannot be prepared: {type(error).__name__}. The log of StreamHub says more."
        return _refused(turn, ProviderError(type="api_error", code="bad_request", message=message))
    _note_attempt(turn, model, key, plan)
    return plan


def _model_of(turn: Turn) -> LanguageModel:
    model = turn.model or route_for(turn.channel)
    if model is None:
        raise PlanRefused(
            "no_model", f"No model answers on {turn.server}. Choose one in the server's settings."
        )
    if not (model.is_enabled and model.endpoint.is_enabled):
        raise PlanRefused("model_disabled", f"The model {model} of {model.endpoint} is switched off.")
    return model


def _key_of(model: LanguageModel) -> ApiKey | None:
    """Return the key to use; an endpoint without any keys needs none (a local server)."""
    key = usable_key(model.endpoint, timezone.now())
    if key is None and model.endpoint.keys.exists():
        raise PlanRefused(
            "no_key", f"No key of {model.endpoint} can be used now. See the endpoint's page for why."
        )
    return key


def _plan(turn: Turn, model: LanguageModel, key: ApiKey | None) -> TurnPlan:
    capabilities = turn.server.capabilities
    rules = effective_rules(model, turn.server)
    tools = tools_of(turn, model_has_tools=model.has_tools)
    return TurnPlan(
        turn_id=str(turn.pk),
        server_id=turn.server_id,
        channel_id=turn.channel_id,
        fencing_token=turn.fencing_token,
        kind=model.endpoint.kind,
        request=GenerationRequest(
            model=model.model_id,
            messages=messages_of(turn),
            tools=tools,
            tool_choice=turn.request.get("tool_choice"),
            stop=(*rules.stop_sent,),
            max_output_tokens=turn.request.get("max_tokens") or model.max_output_tokens,
            sampling={name: turn.request[name] for name in _SAMPLING if turn.request.get(name) is not None},
            extra=rules.extra,
            drop=frozenset(rules.drop),
        ),
        endpoint=EndpointConfig(base_url=model.endpoint.base_url, api_key=_clear(key)),
        policy=GuardPolicy(
            think_tags=capabilities.think_tag_guard,
            reasoning_tags=rules.reasoning_tags,
            starts_in_reasoning=rules.starts_in_reasoning,
            verbatim_tool_calls=capabilities.verbatim_tool_calling,
            tools=tools,
            persona=turn.server.persona,
            local_stop_strings=rules.stop_local,
        ),
        clocks=_clocks(turn, model),
        thought_kinds=_THOUGHT_KINDS[ThoughtLogLevel(capabilities.thought_log)],
        output_cap_bytes=settings.STREAM_MAX_OUTPUT_BYTES,
        model_label=str(model),
        key_label=key.label if key else "",
        claimed_at=turn.claimed_at or timezone.now(),
    )


def _clear(key: ApiKey | None) -> str:
    try:
        return key.secret().reveal() if key else ""
    except SecretUnreadable as error:
        raise PlanRefused("key_unreadable", str(error)) from error


def _clocks(turn: Turn, model: LanguageModel) -> ClockLimits:
    limits = clock_limits(model, turn.server)
    return ClockLimits(
        first_token=Limit(
            ms=round(limits.first_token.seconds * 1000), setting=f"the {limits.first_token.source}"
        ),
        idle=Limit(ms=round(limits.idle.seconds * 1000), setting=f"the {limits.idle.source}"),
        total=Limit(ms=settings.STREAM_TOTAL_TIMEOUT_MS, setting="the setting STREAM_TOTAL_TIMEOUT_MS"),
        settle_ms=settings.STREAM_ABANDONED_SETTLE_TIMEOUT_MS,
    )


def _note_attempt(turn: Turn, model: LanguageModel, key: ApiKey | None, plan: TurnPlan) -> None:
    Attempt.objects.create(
        turn=turn,
        number=turn.fencing_token,
        model=model,
        model_label=plan.model_label[:300],
        endpoint_label=model.endpoint.name,
        key=key,
        key_label=plan.key_label,
        started_at=plan.claimed_at,
    )
    Turn.objects.filter(pk=turn.pk, fencing_token=turn.fencing_token).update(
        model_label=plan.model_label[:300],
        key_label=plan.key_label,
        clocks={
            "first_token": plan.clocks.first_token.seconds,
            "idle": plan.clocks.idle.seconds,
            "total": plan.clocks.total.seconds,
            "settle": plan.clocks.settle_ms / 1000,
        },
    )


def _refused(turn: Turn, error: ProviderError) -> RefusedPlan:
    return RefusedPlan(
        turn_id=str(turn.pk),
        server_id=turn.server_id,
        channel_id=turn.channel_id,
        fencing_token=turn.fencing_token,
        error=error,
    )
