"""What every page of the console needs beside its own content."""

from django.http import HttpRequest

import streamhub


def shell(_request: HttpRequest) -> dict[str, object]:
    """Return the values of the frame around each page."""
    return {"version": streamhub.__version__}
