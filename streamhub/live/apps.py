from django.apps import AppConfig


class LiveConfig(AppConfig):
    name = "streamhub.live"
    label = "live"
