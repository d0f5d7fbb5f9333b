from django.apps import AppConfig


class TurnsConfig(AppConfig):
    name = "streamhub.turns"
    label = "turns"
