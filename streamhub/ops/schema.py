"""Whether the database has the tables that this code expects."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def unapplied_migrations() -> int:
    """Return how many migrations the database still lacks."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
