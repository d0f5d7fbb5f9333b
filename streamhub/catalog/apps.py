from django.apps import AppConfig


class CatalogConfig(AppConfig):
    name = "streamhub.catalog"
    label = "catalog"
