"""What people do to the catalog: endpoints, keys, models, rules, and which model answers where.

Each act is audited in its own transaction. A key's clear text goes into `ApiKey.set_secret` and nowhere
else; the audit names keys by label. All raise ValidationError with messages by field.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from django.core.exceptions import ValidationError
from django.db import models, transaction

from streamhub.accounts.models import User
from streamhub.audit.services import record
from streamhub.catalog.addresses import origin_of
from streamhub.catalog.models import (
    ApiKey,
    Endpoint,
    LanguageModel,
    ModelRoute,
    ModelRule,
    StopMode,
    StopString,
)
from streamhub.catalog.validators import MAX_STOP_STRINGS, clean_secret, clean_stop_string
from streamhub.catalog.values import EndpointValues, ModelValues, RuleValues
from streamhub.catalog.writing import write
from streamhub.core.crypto import SecretStr
from streamhub.servers.models import Channel, Server

_SECRET_FIELDS = (
    *("ring_id", "ciphertext", "last_four", "is_enabled", "cooling_until", "error_count"),
    *("last_error_at", "last_error_type", "last_error_message", "last_used_at"),
)


@dataclass(frozen=True, slots=True)
class StopValue:
    """A stop string and what to do with it."""

    text: str
    mode: StopMode = StopMode.SEND


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key as it was typed, for `connect_provider`."""

    secret: SecretStr
    label: str = "main"


def create_endpoint(*, actor: User | None, **values: Unpack[EndpointValues]) -> Endpoint:
    """Return a new endpoint without keys or models."""
    endpoint = Endpoint()
    write(endpoint, {"name": "", "base_url": "", **values}, actor=actor)
    return endpoint


@transaction.atomic
def update_endpoint(
    endpoint: Endpoint, *, actor: User | None, keeps_keys: bool = False, **values: Unpack[EndpointValues]
) -> bool:
    """Change an endpoint; return whether anything differed.

    Stored keys do not follow to another scheme, host or port: they are disabled until they are entered anew or
    enabled, unless `keeps_keys` says that they belong there as well.
    """
    before = origin_of(endpoint.base_url)
    changed = write(endpoint, values, actor=actor)
    if origin_of(endpoint.base_url) != before:
        _heed_new_origin(endpoint, actor, keeps_keys=keeps_keys)
    return changed


@transaction.atomic
def connect_provider(
    *, actor: User | None, key: NewKey | None, model_id: str, **values: Unpack[EndpointValues]
) -> Endpoint:
    """Return a new endpoint with its first key, if it takes one, and its first model."""
    endpoint = create_endpoint(actor=actor, **values)
    if key is not None:
        add_key(endpoint, label=key.label, secret=key.secret, actor=actor)
    add_model(endpoint, actor=actor, model_id=model_id)
    return endpoint


@transaction.atomic
def delete_endpoint(endpoint: Endpoint, *, actor: User | None) -> None:
    """Delete an endpoint with its keys and models. Servers that used one of them are left without a model."""
    _delete(endpoint, actor, before={"kind": endpoint.kind, "base_url": endpoint.base_url})


@transaction.atomic
def add_key(endpoint: Endpoint, *, label: str, secret: SecretStr, actor: User | None) -> ApiKey:
    """Return a new key of an endpoint, the last in its order."""
    key = ApiKey(endpoint=endpoint, position=endpoint.keys.count())
    key.set_secret(_checked(secret))
    write(key, {"label": label}, actor=actor, action="added")
    return key


@transaction.atomic
def replace_key(key: ApiKey, *, secret: SecretStr, actor: User | None) -> None:
    """Put another secret in a key's place and enable it. What was known of the old one is forgotten."""
    key.set_secret(_checked(secret))
    key.is_enabled = True
    key.cooling_until = key.last_error_at = key.last_used_at = None
    key.error_count = 0  # usage_count stays: from 0 the key would get every turn until it caught up
    key.last_error_type = key.last_error_message = ""
    key.save(update_fields=_SECRET_FIELDS)
    record(actor, "replaced the secret of", key)


def set_key_enabled(key: ApiKey, *, is_enabled: bool, actor: User | None) -> bool:
    """Enable or disable a key; return whether that was a change."""
    return write(key, {"is_enabled": is_enabled}, actor=actor, action="enabled" if is_enabled else "disabled")


@transaction.atomic
def end_cooling(key: ApiKey, *, actor: User | None) -> bool:
    """Let a cooling key be used at once; return whether it cooled."""
    if not ApiKey.objects.filter(pk=key.pk, cooling_until__isnull=False).update(cooling_until=None):
        return False
    key.refresh_from_db()
    record(actor, "ended the cooling of", key)
    return True


@transaction.atomic
def delete_key(key: ApiKey, *, actor: User | None) -> None:
    """Delete a key and its secret for good."""
    _delete(key, actor, before={"label": key.label, "is_enabled": key.is_enabled})


def add_model(endpoint: Endpoint, *, actor: User | None, **values: Unpack[ModelValues]) -> LanguageModel:
    """Return a new model of an endpoint."""
    model = LanguageModel(endpoint=endpoint)
    write(model, {"model_id": "", **values}, actor=actor, action="added")
    return model


def update_model(model: LanguageModel, *, actor: User | None, **values: Unpack[ModelValues]) -> bool:
    """Change a model; return whether anything differed."""
    return write(model, values, actor=actor)


@transaction.atomic
def delete_model(model: LanguageModel, *, actor: User | None) -> None:
    """Delete a model. Servers and channels that used it are left without one."""
    _delete(model, actor, before={"endpoint": str(model.endpoint), "model_id": model.model_id})


@transaction.atomic
def create_rule(
    *, actor: User | None, stop_strings: Sequence[StopValue] = (), **values: Unpack[RuleValues]
) -> ModelRule:
    """Return a new rule with its stop strings."""
    rule = ModelRule()
    write(rule, {"name": "", **values}, actor=actor)
    set_rule_stop_strings(rule, stop_strings, actor=actor)
    return rule


@transaction.atomic
def update_rule(
    rule: ModelRule,
    *,
    actor: User | None,
    stop_strings: Sequence[StopValue] | None = None,
    **values: Unpack[RuleValues],
) -> bool:
    """Change a rule, and its stop strings unless they are None; return whether anything differed."""
    changed = write(rule, values, actor=actor)
    if stop_strings is not None:
        changed = set_rule_stop_strings(rule, stop_strings, actor=actor) or changed
    return changed


@transaction.atomic
def delete_rule(rule: ModelRule, *, actor: User | None) -> None:
    """Delete a rule with its stop strings."""
    _delete(rule, actor, before={"kind_pattern": rule.kind_pattern, "model_pattern": rule.model_pattern})


def set_rule_stop_strings(rule: ModelRule, stops: Sequence[StopValue], *, actor: User | None) -> bool:
    """Make these the stop strings of a rule, in this order; return whether that was a change."""
    return _set_stops(rule, stops, actor, server_id=None)


def set_server_stop_strings(server: Server, stops: Sequence[StopValue], *, actor: User | None) -> bool:
    """Make these the server's own stop strings, in this order; return whether that was a change."""
    return _set_stops(server, stops, actor, server_id=server.pk)


def set_server_model(server: Server, model: LanguageModel | None, *, actor: User | None) -> bool:
    """Have `model` answer in a server (None: nothing does); return whether that was a change."""
    return _set_route(server, None, model, actor)


def set_channel_model(channel: Channel, model: LanguageModel | None, *, actor: User | None) -> bool:
    """Have `model` answer in a channel (None: the server's does); return whether that was a change."""
    return _set_route(channel.server, channel, model, actor)


def _heed_new_origin(endpoint: Endpoint, actor: User | None, *, keeps_keys: bool) -> None:
    for key in endpoint.keys.filter(is_enabled=True):
        if keeps_keys:
            record(actor, "let follow to the new address", key, after={"base_url": endpoint.base_url})
        else:
            set_key_enabled(key, is_enabled=False, actor=actor)


@transaction.atomic
def _set_route(
    server: Server, channel: Channel | None, model: LanguageModel | None, actor: User | None
) -> bool:
    place = ModelRoute.objects.filter(server=server, channel=channel, position=0)
    old = place.select_related("model").first()
    before = old.model if old else None
    if before == model:
        return False
    if model is None:
        place.delete()
    else:
        ModelRoute.objects.update_or_create(
            server=server, channel=channel, position=0, defaults={"model": model}
        )
    record(
        actor,
        "set the model of",
        channel or server,
        server_id=server.pk,
        before={"model": str(before) if before else None},
        after={"model": str(model) if model else None},
    )
    return True


@transaction.atomic
def _set_stops(
    owner: ModelRule | Server, stops: Sequence[StopValue], actor: User | None, *, server_id: int | None
) -> bool:
    after = _checked_stops(stops)
    before = [[stop.text, stop.mode] for stop in owner.stop_strings.all()]
    if before == after:
        return False
    owner.stop_strings.all().delete()
    link = {"server": owner} if isinstance(owner, Server) else {"rule": owner}
    StopString.objects.bulk_create(
        StopString(text=text, mode=mode, position=position, **link)
        for position, (text, mode) in enumerate(after)
    )
    owner._prefetched_objects_cache = {}  # type: ignore[union-attr]  # rows read before are gone
    record(actor, "set the stop strings of", owner, server_id=server_id, before=before, after=after)
    return True


def _checked_stops(stops: Sequence[StopValue]) -> list[list[str]]:
    if len(stops) > MAX_STOP_STRINGS:
        message = f"These are {len(stops)} stop strings; at most {MAX_STOP_STRINGS} are allowed."
        raise ValidationError({"stop_strings": message})
    rows = [[clean_stop_string(stop.text), StopMode(stop.mode).value] for stop in stops]
    if len({text for text, _ in rows}) < len(rows):
        raise ValidationError({"stop_strings": "A stop string is listed twice."})
    return rows


def _checked(secret: SecretStr) -> SecretStr:
    try:
        return clean_secret(secret.reveal())
    except ValidationError as error:
        raise ValidationError({"secret": error.messages}) from None


def _delete(row: models.Model, actor: User | None, *, before: dict[str, Any]) -> None:
    record(actor, "deleted", row, before=before)
    row.delete()
