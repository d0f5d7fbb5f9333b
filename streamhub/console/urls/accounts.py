"""Addresses of the console: accounts, and the record of what people did."""

from django.urls import URLPattern, path

from streamhub.console.views import accounts, audit

urlpatterns: list[URLPattern] = [
    path("login/", accounts.login, name="login"),
    path("logout/", accounts.logout, name="logout"),
    path("setup/<str:token>/", accounts.setup, name="setup"),
    path("audit/", audit.audit, name="audit"),
]
