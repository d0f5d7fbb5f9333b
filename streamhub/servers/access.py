"""Who may see and operate what. Views, sockets and the API ask here and nowhere else.

For now an owner may do everything and nobody else anything. What a person may not see is not there for them.
"""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from streamhub.accounts.models import User
from streamhub.servers.models import Server

type Visitor = User | AnonymousUser


def is_owner(user: Visitor) -> bool:
    """Tell whether the person may change what all servers share: endpoints, rules, the list of servers."""
    return user.is_active and user.is_superuser


def visible_servers(user: Visitor) -> QuerySet[Server]:
    """Return the servers that the person may see; everything else is a 404 for them."""
    return Server.objects.all() if is_owner(user) else Server.objects.none()


def can_operate(user: Visitor, server: Server) -> bool:
    """Tell whether the person may start and kill turns of the server and change its settings."""
    return is_owner(user) and server.pk is not None
