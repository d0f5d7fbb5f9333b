"""The Celery application. Its messages only say "look for work"; the database says which."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "streamhub.settings")

app = Celery("streamhub")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["streamhub.turns"])
