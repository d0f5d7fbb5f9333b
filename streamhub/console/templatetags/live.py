"""How numbers, times and untrusted text are written on the live pages."""

import json
from datetime import datetime
from typing import Any

from django import template

register = template.Library()

THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
# Control characters become their pictures; tab, line feed and carriage return keep their meaning. The C1 set
# becomes the two characters it stands for. static/js/visible.js has the same table.
_PICTURES: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n\r"},
    0x7F: "\N{SYMBOL FOR DELETE}",
    **{code: "\N{SYMBOL FOR ESCAPE}" + chr(code - 0x40) for code in range(0x80, 0xA0)},
}


@register.filter
def visible(text: str) -> str:
    """Show control characters, escape sequences among them, as signs: a page interprets none of them."""
    return str(text).translate(_PICTURES)


@register.filter
def thousands(number: float | None) -> str:
    """Write a count with thin spaces between thousands."""
    return f"{number or 0:,.0f}".replace(",", THIN_SPACE)


@register.filter
def lasted(seconds: float | None) -> str:
    """Write a span of time: 0.08 s, 4.2 s, 1:14, 2:03:00."""
    seconds = max(0.0, seconds or 0.0)
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    return clock_time(seconds) if seconds >= 60 else f"{seconds:.0f} s"


@register.filter
def clock_time(seconds: float | None) -> str:
    """Write an age as minutes and seconds."""
    whole = int(max(0.0, seconds or 0.0))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


@register.filter
def unix_ms(at: datetime | None) -> str:
    """Write a moment for the scripts: Unix milliseconds, nothing if there is none."""
    return str(round(at.timestamp() * 1000)) if at else ""


@register.filter
def tenths(seconds: float) -> str:
    """Write seconds for an SVG coordinate, always with a point."""
    return f"{seconds:.3f}".rstrip("0").rstrip(".")


@register.filter
def as_json(value: Any) -> str:
    """Write tool arguments as JSON, with control characters made visible."""
    return visible(json.dumps(value, ensure_ascii=False))


@register.filter
def tokens(usage: dict[str, int | None], name: str) -> str:
    """Write a count of a provider's usage; what it did not report is unknown, which is not zero."""
    count = usage.get(name)
    return "unknown" if count is None else thousands(count)
