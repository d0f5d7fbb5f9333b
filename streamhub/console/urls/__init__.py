"""Addresses of the console's pages and actions, one module an area."""

from django.urls import include, path

urlpatterns = [
    path("", include("streamhub.console.urls.accounts")),
    path("", include("streamhub.console.urls.live")),
    path("", include("streamhub.console.urls.servers")),
    path("", include("streamhub.console.urls.catalog")),
]
