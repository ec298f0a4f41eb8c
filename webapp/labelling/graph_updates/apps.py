"""The app of graph updates."""

from __future__ import annotations

from django.apps import AppConfig


class GraphUpdatesConfig(AppConfig):
    """Taking projects of labels to the newest version of their graphs."""

    name = "webapp.labelling.graph_updates"
    verbose_name = "Graph updates"
