"""What the catalog answers: which endpoints can answer, which model, key and clocks a turn gets."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Prefetch, Q
from django.utils import timezone

from streamhub.audit.models import AuditEntry
from streamhub.catalog.addresses import origin_of
from streamhub.catalog.models import ApiKey, Endpoint, LanguageModel, ModelRoute, ModelRule
from streamhub.catalog.rules import matching_rules
from streamhub.catalog.states import EndpointState, KeyState, endpoint_state, key_state
from streamhub.core.crypto import SecretUnreadable
from streamhub.servers.models import Channel, Server

# What may hold a clock, with the word for it.
type _Owner = tuple[str, Server | ModelRule | Endpoint]

_CLOCK_NAMES = {"first_token_seconds": "first-token clock", "idle_seconds": "idle clock"}


@dataclass(frozen=True, slots=True)
class ClockLimit:
    """A clock's limit in seconds, and where an admin changes it, in words."""

    seconds: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockLimits:
    """The two clocks that the catalog has a say in."""

    first_token: ClockLimit
    idle: ClockLimit


def endpoints_overview(now: datetime | None = None) -> list[EndpointState]:
    """Return every endpoint with its keys and models, those that cannot answer first."""
    moment = now or timezone.now()
    rows = Endpoint.objects.prefetch_related(
        "keys__endpoint",
        Prefetch("models", LanguageModel.objects.prefetch_related("routes__server", "routes__channel")),
    )
    endpoints = list(rows)
    disablers = _disablers(key for endpoint in endpoints for key in endpoint.keys.all())
    states = [_state(endpoint, disablers, moment) for endpoint in endpoints]
    order = ("failed", "late", "queued", "killed", "completed")
    return sorted(states, key=lambda state: order.index(state.phase))


def endpoint_overview(endpoint: Endpoint, now: datetime | None = None) -> EndpointState:
    """Return one endpoint with its keys and models."""
    return _state(endpoint, _disablers(endpoint.keys.all()), now or timezone.now())


def route_for(channel: Channel) -> LanguageModel | None:
    """Return the model that answers in a channel: its own, else the server's; disabled ones never."""
    routes = (
        ModelRoute.objects.filter(server_id=channel.server_id)
        .filter(Q(channel=channel) | Q(channel=None))
        .filter(model__is_enabled=True, model__endpoint__is_enabled=True)
        .select_related("model__endpoint")
        .order_by("position")
    )
    own_first = sorted(routes, key=lambda route: route.channel_id is None)
    return own_first[0].model if own_first else None


def own_models(server: Server) -> dict[int, int]:
    """Return the id of the model that a channel has of its own, by channel id."""
    routes = ModelRoute.objects.filter(server=server, channel__isnull=False, position=0)
    return {channel: model for channel, model in routes.values_list("channel_id", "model_id") if channel}


def usable_key(endpoint: Endpoint, now: datetime) -> ApiKey | None:
    """Return the key whose turn it is: enabled, rested, readable, the least used; None if there is none."""
    rested = Q(cooling_until=None) | Q(cooling_until__lte=now)
    for key in endpoint.keys.filter(rested, is_enabled=True).order_by("usage_count", "id"):
        try:
            key.secret()
        except SecretUnreadable:
            continue
        return key
    return None


def key_to_test_with(endpoint: Endpoint, base_url: str, now: datetime) -> ApiKey | None:
    """Return the stored key for a call to `base_url`, which need not be saved yet; None if none is enabled.

    A stored key goes only to the scheme, host and port it was saved for: another address is saved first, which is
    audited, so nobody has a key sent elsewhere unseen. Raises ValidationError for another one.
    """
    key = usable_key(endpoint, now) or endpoint.keys.filter(is_enabled=True).first()
    home = origin_of(endpoint.base_url)
    if key is not None and origin_of(base_url) != home:
        raise ValidationError(f"A stored key goes to {home} only. Save the new address, then test it.")
    return key


def clock_limits(model: LanguageModel, server: Server | None) -> ClockLimits:
    """Return a turn's limits: the server's, else the last rule's, else the endpoint's, else the settings'."""
    owners: list[_Owner] = [("server", server)] if server else []
    owners += [("rule", rule) for rule in reversed(matching_rules(model))]
    owners.append(("endpoint", model.endpoint))
    return ClockLimits(
        first_token=_limit("first_token_seconds", "STREAM_FIRST_TOKEN_TIMEOUT_MS", owners),
        idle=_limit("idle_seconds", "STREAM_SDK_CALL_TIMEOUT_MS", owners),
    )


def users_of(models: Iterable[LanguageModel]) -> list[str]:
    """Return where these models answer, in words: "Harbour", "Harbour #quay"."""
    routes = ModelRoute.objects.filter(model__in=models).select_related("server", "channel")
    return sorted({route_name(route) for route in routes})


def route_name(route: ModelRoute) -> str:
    """Return the place a route belongs to, in words."""
    return f"{route.server} {route.channel}" if route.channel else str(route.server)


def _limit(field: str, setting: str, owners: Iterable[_Owner]) -> ClockLimit:
    for what, owner in owners:
        seconds = getattr(owner, field)
        if seconds is not None:
            return ClockLimit(float(seconds), f"{_CLOCK_NAMES[field]} of {what} {owner}")
    return ClockLimit(getattr(settings, setting) / 1000, f"setting {setting}")


def _state(endpoint: Endpoint, disablers: dict[int, str], now: datetime) -> EndpointState:
    keys: list[KeyState] = [
        key_state(key, now=now, disabled_by=disablers.get(key.pk, "")) for key in endpoint.keys.all()
    ]
    return endpoint_state(endpoint, keys=keys, models=list(endpoint.models.all()), now=now)


def _disablers(keys: Iterable[ApiKey]) -> dict[int, str]:
    """Who disabled which key, and when, from the audit record."""
    targets = {f"{ApiKey._meta.label_lower}:{key.pk}": key.pk for key in keys if not key.is_enabled}
    entries = AuditEntry.objects.filter(target__in=targets, action="disabled").order_by("at", "id")
    return {
        targets[entry.target]: f"by {entry.actor_label} on {timezone.localtime(entry.at):%-d %b %Y}"
        for entry in entries
    }
