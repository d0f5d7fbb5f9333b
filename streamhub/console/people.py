"""Who is looking: the logged-in user of a request, with the type that services and cards expect."""

from django.http import HttpRequest

from streamhub.accounts.models import User


def person(request: HttpRequest) -> User:
    """Return the user of a view that needs a login. Raises TypeError where login was not required."""
    if not isinstance(request.user, User):
        raise TypeError("This view is open to people who are not logged in.")
    return request.user
