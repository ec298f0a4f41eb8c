"""The app of graphs."""

from __future__ import annotations

from django.apps import AppConfig


class GraphsConfig(AppConfig):
    """The graphs that may be asked."""

    name = "webapp.graphs"
    verbose_name = "Graphs"
