"""The address table: the console and the probes."""

from django.urls import include, path

urlpatterns = [
    path("", include("streamhub.ops.urls")),
    path("", include("streamhub.console.urls")),
]
