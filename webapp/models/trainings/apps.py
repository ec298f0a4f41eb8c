"""The app of scorers."""

from __future__ import annotations

from django.apps import AppConfig


class ScorersConfig(AppConfig):
    """Scorers, and training them."""

    name = "webapp.models.trainings"
    # The tables of the database are named after it.
    label = "scorers"
    verbose_name = "Scorers"

    def ready(self) -> None:
        """Register the work."""
        from webapp.models.trainings.transitions import TASK, trainings  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        kind_register(Kind(TASK, trainings.recover))
