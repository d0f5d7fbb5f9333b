"""Addresses of the console's pages and actions."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
