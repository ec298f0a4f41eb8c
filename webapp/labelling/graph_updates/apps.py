"""The app of graph updates."""

from __future__ import annotations

from django.apps import AppConfig


class GraphUpdatesConfig(AppConfig):
    """Taking projects of labels to the newest version of their graphs."""

    name = "webapp.labelling.graph_updates"
    verbose_name = "Graph updates"

    def ready(self) -> None:
        """Register the work."""
        from webapp.labelling.graph_updates.services import TASK, updates  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        kind_register(Kind(TASK, updates.recover))
