"""`manage.py setuplink`: a fresh link that creates the owner, for when the printed one is gone."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from streamhub.accounts.models import SetupLink
from streamhub.accounts.services import issue_setup_token, needs_setup
from streamhub.ops.hub.printer import setup_url


class Command(BaseCommand):
    """Prints the link on standard output. Links from before stop working."""

    help = "Print a one-time link that creates the owner, while there is none."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address at which people reach this hub."""
        parser.add_argument(
            "--base-url", default="", help="address of the hub, such as https://hub.example.org"
        )

    def handle(self, *args: Any, base_url: str, **options: Any) -> None:
        """Print the link, or say that the way in is a password or that the tables are still missing."""
        if SetupLink._meta.db_table not in connection.introspection.table_names():
            raise CommandError("Start the hub once first (make run).")
        if not needs_setup():
            raise CommandError("An owner exists already: log in with that account.")
        self.stdout.write(setup_url(base_url.rstrip("/") or _default_base(), issue_setup_token()))


def _default_base() -> str:
    """Return the first trusted origin, else the hub's own address."""
    origins = settings.CSRF_TRUSTED_ORIGINS
    return origins[0] if origins else f"http://{settings.HUB_HOST}:{settings.HUB_PORT}"
