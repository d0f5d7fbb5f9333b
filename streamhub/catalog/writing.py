"""How what a person typed becomes a row of the catalog: cleaned, checked, saved and audited, all or nothing.

Three kinds of writes go past it: secrets, what workers count of keys, and the demo's own rows.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import IntegrityError, models, transaction

from providers.registry import kinds
from streamhub.accounts.models import User
from streamhub.audit.services import record
from streamhub.catalog import validators
from streamhub.catalog.addresses import clean_base_url

# The field beside which an error of the whole row is shown: the one that must be unique.
_TELLING_FIELDS = ("model_id", "name", "label")


def clean_kind(kind: str) -> str:
    """Return the id of a dialect. Raises ValidationError for one that no adapter speaks."""
    if kind not in kinds():
        raise ValidationError(f"There is no dialect {kind[:60]!r}. Known are: {', '.join(kinds())}.")
    return kind


_CLEANERS: dict[str, Callable[[Any], Any]] = {
    "name": validators.clean_label,
    "label": validators.clean_label,
    "kind": clean_kind,
    "base_url": clean_base_url,
    "model_id": validators.clean_model_id,
    "kind_pattern": validators.clean_pattern,
    "model_pattern": validators.clean_pattern,
    "reasoning_tags": validators.check_reasoning_tags,
    "extra_parameters": validators.check_parameters,
    "dropped_parameters": validators.check_parameter_names,
}


@transaction.atomic
def write(row: models.Model, values: Mapping[str, Any], *, actor: User | None, action: str = "") -> bool:
    """Give `row` these values, save it and audit what changed; return whether anything did.

    Raises ValidationError with a message for each field that is wrong; then the row is as it was.
    """
    is_new = row._state.adding
    before = {name: getattr(row, name) for name in values}
    try:
        _assign(row, values)
        _check(row)
    except ValidationError:
        _restore(row, before)
        raise
    changed = [name for name in values if is_new or getattr(row, name) != before[name]]
    if not changed:
        return False
    _save(row, None if is_new else changed)
    record(
        actor,
        action or ("created" if is_new else "changed"),
        row,
        before=None if is_new else {name: before[name] for name in changed},
        after={name: getattr(row, name) for name in changed},
    )
    return True


def _assign(row: models.Model, values: Mapping[str, Any]) -> None:
    wrong: dict[str, Any] = {}
    for name, value in values.items():
        try:
            setattr(row, name, _CLEANERS[name](value) if name in _CLEANERS else value)
        except ValidationError as error:
            wrong[name] = error.messages
    if wrong:
        raise ValidationError(wrong)


def _check(row: models.Model) -> None:
    try:
        row.full_clean()
    except ValidationError as error:
        messages = error.message_dict
        for message in messages.pop(NON_FIELD_ERRORS, []):
            messages.setdefault(_telling_field(row), []).append(message)
        raise ValidationError(messages) from None


def _save(row: models.Model, changed: list[str] | None) -> None:
    """Write only what changed, so that counters another process moves meanwhile are kept."""
    try:
        with transaction.atomic():
            row.save(update_fields=changed)
    except IntegrityError:
        taken = "Somebody saved one of this name a moment ago."
        raise ValidationError({_telling_field(row): taken}) from None


def _restore(row: models.Model, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _telling_field(row: models.Model) -> str:
    own = {field.name for field in row._meta.fields}
    return next(name for name in _TELLING_FIELDS if name in own)
