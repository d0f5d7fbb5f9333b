"""Addresses of the probes and of the demo's buttons."""

from django.urls import path

from streamhub.ops.views.demo import demo_remove, demo_start
from streamhub.ops.views.probes import healthz, readyz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("demo/start/", demo_start, name="demo-start"),
    path("demo/remove/", demo_remove, name="demo-remove"),
]
