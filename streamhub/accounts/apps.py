from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "streamhub.accounts"
    label = "accounts"
