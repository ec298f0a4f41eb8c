"""The app of scorers."""

from __future__ import annotations

from django.apps import AppConfig


class ScorersConfig(AppConfig):
    """Scorers, and training them."""

    name = "webapp.scorers"
    verbose_name = "Scorers"

    def ready(self) -> None:
        """Register the work."""
        from webapp.scorers.transitions import TASK, trainings  # noqa: PLC0415 - models are there by now
        from webapp.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        kind_register(Kind(TASK, trainings.recover))
