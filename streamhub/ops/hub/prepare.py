"""What happens before a hub serves: tables, static files, turns a crash left behind, the owner."""

from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import Error, connections
from django.utils import timezone

from streamhub.ops.hub.assets import collect_if_changed
from streamhub.ops.hub.owner import prepare_owner
from streamhub.ops.hub.printer import Printer
from streamhub.ops.hub.refusal import HubRefused
from streamhub.ops.schema import unapplied_migrations
from streamhub.turns import store, workers

PRIVATE = 0o600


def prepare(printer: Printer) -> str | None:
    """Make everything ready to serve; return the token of a set-up link while no owner exists.

    Raises HubRefused when the database does not answer or the owner's settings make no sense.
    """
    _keep_private(settings.DATA_DIR)
    try:
        _migrate(printer)
        recover(alone=owns_its_record())
        token = prepare_owner()
    except Error as error:
        raise HubRefused(f"The database does not answer as it should: {str(error).strip()}") from error
    finally:
        connections.close_all()
    _collect(printer)
    return token


def owns_its_record() -> bool:
    """Tell whether nobody else can write to the database: a SQLite file in the data directory, which is locked.

    A database elsewhere may be shared with other hubs, whose turns are theirs.
    """
    database = settings.DATABASES["default"]
    is_file = str(database["ENGINE"]).endswith("sqlite3")
    return is_file and Path(str(database["NAME"])).resolve().parent == Path(settings.DATA_DIR).resolve()


def recover(*, alone: bool) -> None:
    """End what a crashed worker left running, and forget workers that are gone.

    A hub that holds the data directory alone knows that every worker on record is dead. One that shares its
    database leaves workers that may live to their leases.
    """
    now = timezone.now()
    store.reap(now=now, everything=alone)
    workers.forget(now, everybody=alone)


def _keep_private(data_dir: Path) -> None:
    """Let only this user read the data directory's files, also those that another command left there."""
    for path in data_dir.iterdir():
        if path.is_file() and path.stat().st_mode & 0o077:
            path.chmod(PRIVATE)


def _migrate(printer: Printer) -> None:
    missing = unapplied_migrations()
    if missing:
        printer.doing(f"Preparing the database ({missing} migrations)")
        call_command("migrate", interactive=False, verbosity=0)


def _collect(printer: Printer) -> None:
    root = Path(settings.STATIC_ROOT)
    if collect_if_changed(root, settings.DATA_DIR / "static.stamp"):
        printer.doing("Static files collected")
