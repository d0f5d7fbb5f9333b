"""Addresses of the console: servers, their channels and their settings."""

from django.urls import URLPattern, path

from streamhub.console.views import server_settings, servers

urlpatterns: list[URLPattern] = [
    path("servers/", servers.servers, name="servers"),
    path("servers/new/", servers.server_create, name="server-create"),
    path("servers/<slug:slug>/", server_settings.server_settings, name="server-settings"),
    path("servers/<slug:slug>/switches/<slug:name>/", server_settings.capability_set, name="capability-set"),
    path("servers/<slug:slug>/save/<slug:section>/", server_settings.section_save, name="server-save"),
    path("servers/<slug:slug>/stops/", server_settings.server_stops, name="server-stops"),
    path("servers/<slug:slug>/delete/", servers.server_delete, name="server-delete"),
    path("servers/<slug:slug>/channels/", servers.channel_create, name="channel-create"),
    path("channels/<int:pk>/rename/", servers.channel_rename, name="channel-rename"),
    path("channels/<int:pk>/model/", servers.channel_model, name="channel-model"),
    path("channels/<int:pk>/delete/", servers.channel_delete, name="channel-delete"),
]
