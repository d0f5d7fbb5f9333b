from django.apps import AppConfig


class OpsConfig(AppConfig):
    name = "streamhub.ops"
    label = "ops"
