"""Addresses of the console: accounts."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
