"""What every page of the console needs beside its own content."""

from django.http import HttpRequest

import streamhub
from streamhub.console.counts import workers_alive


def shell(request: HttpRequest) -> dict[str, object]:
    """Return the values of the frame around each page; who is not logged in learns only the version."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"version": streamhub.__version__}
    return {"version": streamhub.__version__, "worker_count": workers_alive()}
