"""The app of evaluations."""

from __future__ import annotations

from django.apps import AppConfig


class EvaluationsConfig(AppConfig):
    """Evaluations over benchmarks, and what became of each question."""

    name = "webapp.evaluations"
    verbose_name = "Evaluations"

    def ready(self) -> None:
        """Register the work, and what rests on a graph or a run."""
        from webapp.asking.runs.rests import rests_register  # noqa: PLC0415 - models are there by now
        from webapp.evaluations.selectors import evaluations_on_graph, runs_shown  # noqa: PLC0415 - models are there by now
        from webapp.evaluations.working.transitions import TASK  # noqa: PLC0415 - models are there by now
        from webapp.evaluations.working.worker import evaluations_recover  # noqa: PLC0415 - models are there by now
        from webapp.graphs.dependents import Dependent, dependent_register  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        # An evaluation is handed over anew by its lease alone.
        kind_register(Kind(TASK, lambda **_: evaluations_recover()))
        rests_register(runs_shown)
        dependent_register(Dependent("evaluation", "evaluations", evaluations_on_graph))
