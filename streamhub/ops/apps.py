from django.apps import AppConfig


class OpsConfig(AppConfig):
    name = "streamhub.ops"
    label = "ops"

    def ready(self) -> None:
        """Make our Celery application the one that tasks of every thread and process go through."""
        from streamhub.celery import app

        app.set_default()
