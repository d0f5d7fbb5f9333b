"""Addresses of the console: servers."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
