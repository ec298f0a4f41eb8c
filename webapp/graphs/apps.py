"""The app of graphs."""

from __future__ import annotations

from django.apps import AppConfig


class GraphsConfig(AppConfig):
    """The graphs that may be asked."""

    name = "webapp.graphs"
    verbose_name = "Graphs"

    def ready(self) -> None:
        """Register the work."""
        from webapp.graphs.transitions import TASK, graph_loads  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        kind_register(Kind(TASK, graph_loads.recover))
