from django.apps import AppConfig
from django.db.models.signals import pre_migrate


class OpsConfig(AppConfig):
    name = "streamhub.ops"
    label = "ops"

    def ready(self) -> None:
        """Make our Celery application the one that tasks of every thread and process go through."""
        from streamhub.celery import app
        from streamhub.ops.schema import lift_time_limit

        pre_migrate.connect(lift_time_limit, sender=self)
        app.set_default()
