"""What people and addresses say in one line, made safe to look up and to store.

PostgreSQL refuses NUL, and no other control character means anything in a name, a filter or a reason. Forms refuse
NUL by themselves; whatever is read past a form comes through here.
"""

import re

from django.http import HttpRequest

_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


def one_line(text: str, limit: int) -> str:
    """Return `text` on one line of at most `limit` characters: every run of blanks and controls is one blank."""
    return _BLANK.sub(" ", text).strip()[:limit]


def asked(request: HttpRequest, name: str, default: str = "", limit: int = 200) -> str:
    """Return a parameter of the address, `default` if it is absent."""
    return one_line(request.GET.get(name, default), limit)
