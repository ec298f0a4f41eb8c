"""The app of exploring."""

from __future__ import annotations

from django.apps import AppConfig


class ExplorerConfig(AppConfig):
    """Looking around in a graph, and keeping what one drew of it."""

    name = "webapp.explorer"
    verbose_name = "Explorations"
