"""Addresses of the console: live."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
