"""The app of overlays."""

from __future__ import annotations

from django.apps import AppConfig


class OverlaysConfig(AppConfig):
    """Corrections of benchmarks' labels, and the figures of evaluations under them."""

    name = "webapp.evaluations.overlays"
    verbose_name = "Overlays"

    def ready(self) -> None:
        """Register the work, and what goes with an evaluation."""
        from webapp.evaluations.dependents import Hanging, hanging_register  # noqa: PLC0415 - models are there by now
        from webapp.evaluations.overlays.judging import TASK, judging  # noqa: PLC0415 - models are there by now
        from webapp.evaluations.overlays.selectors import overlaid_count  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        kind_register(Kind(TASK, judging.recover))
        words = ("set of figures under corrections", "sets of figures under corrections")
        hanging_register(Hanging(*words, overlaid_count, keeps=False))
