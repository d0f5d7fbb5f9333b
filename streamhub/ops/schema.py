"""Whether the database has the tables that this code expects, and the time to make them."""

from typing import Any

from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor


def unapplied_migrations() -> int:
    """Return how many migrations the database still lacks."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def lift_time_limit(*, using: str, **_kwargs: Any) -> None:
    """Let a migration of a large table take its time: statements of a running hub may not (settings/env.py)."""
    if connections[using].vendor == "postgresql":
        with connections[using].cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
