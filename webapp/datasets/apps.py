"""The app of datasets."""

from __future__ import annotations

from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    """Datasets and their questions, each with an identity that evaluations point at."""

    name = "webapp.datasets"
    verbose_name = "Datasets"

    def ready(self) -> None:
        """Register the work."""
        from webapp.datasets.transitions import TASK, datasets_recover  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        kind_register(Kind(TASK, datasets_recover))
