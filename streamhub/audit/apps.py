from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "streamhub.audit"
    label = "audit"
