"""The Celery application. Its messages only say "look for work"; the database says which."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "streamhub.settings")

app = Celery("streamhub")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["streamhub.turns"])
# A worker process of its own runs an engine: streamhub/ops/worker.py starts it when Celery is ready.
app.autodiscover_tasks(["streamhub.ops"], related_name="worker")
