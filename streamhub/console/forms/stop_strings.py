"""Rows of stop strings, for a rule or a server: each has its own error, and bad ones stay as typed."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.http import QueryDict

from streamhub.catalog.models import StopMode, StopString
from streamhub.catalog.services import StopValue
from streamhub.catalog.validators import (
    MAX_STOP_LENGTH,
    MAX_STOP_STRINGS,
    decode_stop_string,
    encode_stop_string,
)

SPARE = 3


@dataclass(slots=True)
class StopRow:
    """A row as it was typed; `value` is None while it is wrong or empty."""

    number: int
    typed: str = ""
    mode: str = StopMode.SEND
    error: str = ""
    value: StopValue | None = None


class StopRows:
    """The rows of a form, from what was sent (`stop` and `stop_mode`, repeated) or from what is stored."""

    modes = StopMode.choices
    max_rows = MAX_STOP_STRINGS
    max_length = MAX_STOP_LENGTH

    def __init__(self, data: QueryDict | None = None, stored: Iterable[StopString] = ()) -> None:
        if data is None:
            pairs = [(encode_stop_string(stop.text), stop.mode) for stop in stored]
        else:
            pairs = list(zip(data.getlist("stop"), data.getlist("stop_mode"), strict=False))
        filled = [(typed, mode) for typed, mode in pairs if typed.strip(" ")]
        self.error = ""
        self.rows = [_read(number, typed, mode) for number, (typed, mode) in enumerate(filled, start=1)]
        self._refuse_repeats()
        if len(self.rows) > MAX_STOP_STRINGS:
            self.error = f"These are {len(self.rows)} stop strings; at most {MAX_STOP_STRINGS} are allowed."

    def is_valid(self) -> bool:
        """Whether every row that was filled in may be saved."""
        return not self.error and all(row.value for row in self.rows)

    @property
    def values(self) -> list[StopValue]:
        """The stop strings of the rows that are right."""
        return [row.value for row in self.rows if row.value]

    @property
    def shown(self) -> list[StopRow]:
        """The rows with some spare ones to fill in."""
        free = max(0, min(SPARE, MAX_STOP_STRINGS - len(self.rows)))
        return self.rows + [StopRow(len(self.rows) + n) for n in range(1, free + 1)]

    def _refuse_repeats(self) -> None:
        seen: dict[str, int] = {}
        for row in self.rows:
            if row.value is None:
                continue
            first = seen.setdefault(row.value.text, row.number)
            if first != row.number:
                row.error, row.value = f"Row {first} says the same.", None


def _read(number: int, typed: str, mode: str) -> StopRow:
    row = StopRow(number, typed, mode)
    if mode not in StopMode.values:
        row.error = "Choose what to do with it."
        return row
    try:
        row.value = StopValue(decode_stop_string(typed), StopMode(mode))
    except ValidationError as error:
        row.error = error.messages[0]
    return row
