"""The app of runs."""

from __future__ import annotations

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Questions that were asked, their runs and events.

    Tables and migrations bear the label ``questions``, as in databases that were made before this had a folder.
    """

    name = "webapp.asking.runs"
    label = "questions"
    verbose_name = "Questions"

    def ready(self) -> None:
        """Register the work, and what rests on a graph."""
        from webapp.asking.runs.selectors import runs_on_graph  # noqa: PLC0415 - models are there by now
        from webapp.asking.runs.transitions import TASK  # noqa: PLC0415 - models are there by now
        from webapp.asking.runs.worker import runs_recover  # noqa: PLC0415 - models are there by now
        from webapp.graphs.dependents import Dependent, dependent_register  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        kind_register(Kind(TASK, runs_recover))
        dependent_register(Dependent("question asked", "questions asked", runs_on_graph))
