"""Addresses of the console: the live wall, channels and turns."""

from django.urls import path

from streamhub.console.views import channel, kill, turn, wall

urlpatterns = [
    path("", wall.wall, name="wall"),
    path("cards/", wall.wall_cards, name="wall-cards"),
    path("servers/<slug:slug>/kill/", kill.server_kill, name="server-kill"),
    path("channels/<int:pk>/", channel.channel, name="channel"),
    path("channels/<int:pk>/start/", channel.channel_start, name="channel-start"),
    path("channels/<int:pk>/kill/", kill.channel_kill, name="channel-kill"),
    path("channels/<int:pk>/clear/", kill.channel_clear, name="channel-clear"),
    path("turns/<uuid:pk>/", turn.turn, name="turn"),
    path("turns/<uuid:pk>/kill/", kill.turn_kill, name="turn-kill"),
]
