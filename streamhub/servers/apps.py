from django.apps import AppConfig


class ServersConfig(AppConfig):
    name = "streamhub.servers"
    label = "servers"
