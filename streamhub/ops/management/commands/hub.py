"""`manage.py hub`: the whole installation in one process."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from streamhub.ops.hub.refusal import HubRefused


class Command(BaseCommand):
    """Starts the hub. Everything it needs to know is in the environment; see docs/deploy.md."""

    help = "Run web server, engine, Celery worker and beat in one process, configured by the environment."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until a signal, and exit with the hub's status: 0 after an orderly stop.

        The import is the larger part of a start-up, so an early Ctrl-C mostly lands there.
        """
        try:
            from streamhub.ops.hub.process import run_hub

            status = run_hub(sys.stdout)
        except HubRefused as refused:
            self.stderr.write(str(refused))
            status = 1
        except KeyboardInterrupt:
            status = 130
        sys.exit(status)
