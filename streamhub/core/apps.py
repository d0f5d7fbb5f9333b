from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "streamhub.core"
    label = "core"
