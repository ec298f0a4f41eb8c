"""The app of evaluations."""

from __future__ import annotations

from django.apps import AppConfig


class EvaluationsConfig(AppConfig):
    """Evaluations over benchmarks, and what became of each question."""

    name = "webapp.evaluations"
    verbose_name = "Evaluations"

    def ready(self) -> None:
        """Register the work."""
        from webapp.evaluations.services import TASK, evaluations_recover  # noqa: PLC0415 - models are there by now
        from webapp.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        # An evaluation is handed over anew by its lease alone.
        kind_register(Kind(TASK, lambda **_: evaluations_recover()))
