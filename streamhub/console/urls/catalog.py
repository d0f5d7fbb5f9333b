"""Addresses of the console: catalog."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
