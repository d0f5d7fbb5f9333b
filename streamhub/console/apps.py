from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "streamhub.console"
    label = "console"
