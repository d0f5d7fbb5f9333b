"""Addresses of the console: accounts."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, path

urlpatterns: list[URLPattern] = [
    path("login/", LoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
