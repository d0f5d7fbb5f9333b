"""A model id taken apart: `NAME` or `NAME:key=value,key=value`, values percent-encoded where they need it."""

from collections.abc import Mapping
from urllib.parse import unquote

MAX_SELECTOR_CHARS = 64 * 1024
SWITCHES = {
    "1": True,
    "yes": True,
    "true": True,
    "on": True,
    "0": False,
    "no": False,
    "false": False,
    "off": False,
}


class BadScript(ValueError):
    """The script exists, but it was asked for in a way that makes no sense; the text says what to change."""


class UnknownScript(LookupError):
    """There is no script (or no recording) of that name."""


def split_selector(selector: str) -> tuple[str, dict[str, str]]:
    """Return the script's name and its options, decoded. Raises BadScript for an option without `=`."""
    if len(selector) > MAX_SELECTOR_CHARS:
        raise BadScript(f"a model id has at most {MAX_SELECTOR_CHARS} characters")
    name, _, tail = selector.strip().partition(":")
    options: dict[str, str] = {}
    for pair in filter(None, tail.split(",")):
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadScript(f"option {pair!r} needs a value: key=value")
        options[key.strip()] = unquote(value)
    return unquote(name), options


class Options:
    """Reads a script's options with bounds and defaults, and knows which ones nobody read."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given
        self._read: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._given

    def _take(self, key: str) -> str | None:
        self._read.add(key)
        return self._given.get(key)

    def text(self, key: str, default: str) -> str:
        """Return free text."""
        value = self._take(key)
        return default if value is None else value

    def header_value(self, key: str) -> str | None:
        """Return text that can stand in an HTTP header, or None. Raises BadScript for any other."""
        value = self._take(key)
        if value and not (value.isascii() and value.isprintable() and value == value.strip()):
            raise BadScript(f"option {key}={value!r} cannot stand in a header")
        return value or None

    def number(self, key: str, default: float, *, low: float = 0, high: float = 1_000_000) -> float:
        """Return a number within bounds. Raises BadScript otherwise."""
        value = self._take(key)
        if value is None:
            return default
        try:
            number = float(value)
        except ValueError:
            raise BadScript(f"option {key}={value!r} is not a number") from None
        if not low <= number <= high:
            raise BadScript(f"option {key}={value} is not between {low:g} and {high:g}")
        return number

    def count(self, key: str, default: int, *, low: int = 0, high: int = 50_000_000) -> int:
        """Return a whole number within bounds. Raises BadScript otherwise."""
        number = self.number(key, default, low=low, high=high)
        if number != int(number):
            raise BadScript(f"option {key}={number:g} is not a whole number")
        return int(number)

    def maybe_seconds(self, key: str) -> float | None:
        """Return a duration, or None when the option is absent: for ever."""
        return self.number(key, 0) if key in self else None

    def switch(self, key: str, *, default: bool) -> bool:
        """Return a yes or no. Raises BadScript for any other word."""
        value = self._take(key)
        if value is None:
            return default
        if value.lower() not in SWITCHES:
            raise BadScript(f"option {key}={value!r} is not 1 or 0")
        return SWITCHES[value.lower()]

    def choice[T: str](self, key: str, default: T, allowed: Mapping[str, T]) -> T:
        """Return one of the allowed words. Raises BadScript otherwise."""
        value = self._take(key)
        if value is None:
            return default
        if value not in allowed:
            raise BadScript(f"option {key}={value!r} is not one of {', '.join(allowed)}")
        return allowed[value]

    def refuse_leftovers(self, script: str) -> None:
        """Raise BadScript when an option was given that this script never read: most often a typing slip."""
        unknown = sorted(set(self._given) - self._read)
        if unknown:
            known = ", ".join(sorted(self._read)) or "none"
            raise BadScript(f"script {script} has no option {', '.join(unknown)} (it has: {known})")
