"""Rows of running turns, written many at a time with one prepared statement each.

They are encoded when the object is made, outside any transaction, so that the write lock is held only for the writing.
The ORM's own bulk calls build a tree of CASE expressions instead: 4 ms of CPU a turn and tick.
"""

from collections.abc import Container, Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Field

from streamhub.turns.engine.ports import Beat, Progress, TurnOutcome
from streamhub.turns.models import Turn, TurnChunk

COMPACT_CHUNKS = 2_000

type Row = list[Any]


class SpanRows:
    """The chunks of some turns that are not on record yet, one row a turn."""

    def __init__(self, beats: Iterable[Beat | TurnOutcome], at: datetime) -> None:
        self._fields = _fields_of(TurnChunk, {"turn", "first_seq", "last_seq", "chunks", "at"})
        self._rows = {beat.turn_id: self._row(beat, at) for beat in beats if beat.chunks}

    def write(self, turns: Container[str]) -> None:
        """Insert the rows of those turns."""
        table, names = (
            _quoted(TurnChunk._meta.db_table),
            ", ".join(_quoted(field.column) for field in self._fields),
        )
        places = ", ".join(["%s"] * len(self._fields))
        statement = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608  names of our own columns
        _write_many(statement, [row for turn, row in self._rows.items() if turn in turns])

    def _row(self, beat: Beat | TurnOutcome, at: datetime) -> Row:
        span = TurnChunk(
            turn_id=UUID(beat.turn_id),
            first_seq=beat.chunks[0][0],
            last_seq=beat.chunks[-1][0],
            chunks=[list(pair) for pair in beat.chunks],
            at=at,
        )
        return [_prepared(field, getattr(span, field.attname)) for field in self._fields]


class ProgressRows:
    """Where some turns are now, for the rows that pages read."""

    def __init__(self, beats: Iterable[Beat]) -> None:
        self._fields = _fields_of(Turn, set(Progress.__slots__))
        self._rows = {beat.turn_id: self._row(beat.turn_id, beat.progress) for beat in beats if beat.progress}

    def write(self, turns: Container[str]) -> None:
        """Update the rows of those turns."""
        table, key = _quoted(Turn._meta.db_table), _quoted(Turn._meta.pk.column)
        assignments = ", ".join(f"{_quoted(field.column)} = %s" for field in self._fields)
        statement = f"UPDATE {table} SET {assignments} WHERE {key} = %s"  # noqa: S608  names of our own columns
        _write_many(statement, [row for turn, row in self._rows.items() if turn in turns])

    def _row(self, turn_id: str, progress: Progress) -> Row:
        values = [_prepared(field, getattr(progress, field.name)) for field in self._fields]
        return [*values, _prepared(Turn._meta.pk, UUID(turn_id))]


def progress_fields(progress: Progress) -> dict[str, Any]:
    """Return the columns of a turn that say where it is."""
    return {name: getattr(progress, name) for name in Progress.__slots__}


def compact(turn_id: UUID) -> None:
    """Join the spans of an ended turn into few rows, a bounded number of chunks at a time."""
    spans = TurnChunk.objects.filter(turn_id=turn_id).order_by("first_seq")
    for group in _groups(list(spans.values_list("pk", "first_seq", "last_seq"))):
        if len(group) > 1:
            _join(group)


def _groups(spans: Sequence[tuple[int, int, int]]) -> list[list[int]]:
    """Return the keys of neighbouring spans that hold up to `COMPACT_CHUNKS` chunks together."""
    groups: list[list[int]] = []
    size = COMPACT_CHUNKS
    for key, first, last in spans:
        size += last - first + 1
        if size > COMPACT_CHUNKS:
            groups.append([])
            size = last - first + 1
        groups[-1].append(key)
    return groups


def _join(keys: Sequence[int]) -> None:
    first, *others = TurnChunk.objects.filter(pk__in=keys).order_by("first_seq")
    first.chunks = [*first.chunks, *(pair for span in others for pair in span.chunks)]
    first.last_seq = others[-1].last_seq
    with transaction.atomic():
        TurnChunk.objects.filter(pk__in=[span.pk for span in others]).delete()
        first.save(update_fields=["chunks", "last_seq"])


def _fields_of(model: type[Turn | TurnChunk], names: set[str]) -> "list[Field[Any, Any]]":
    return [field for field in model._meta.local_concrete_fields if field.name in names]


def _prepared(field: "Field[Any, Any]", value: Any) -> Any:
    return field.get_db_prep_save(value, connection)


def _quoted(name: str | None) -> str:
    return connection.ops.quote_name(str(name))


def _write_many(statement: str, rows: Sequence[Row]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)
