"""The app of adjudication."""

from __future__ import annotations

from django.apps import AppConfig


class AdjudicationConfig(AppConfig):
    """Labels of a question beside each other, and which one is accepted."""

    name = "webapp.labelling.adjudication"
    verbose_name = "Adjudication"

    def ready(self) -> None:
        """Follow what is handed in."""
        from webapp.labelling.adjudication.settle import task_settle  # noqa: PLC0415 - models are there by now
        from webapp.labelling.projects.labels.handed_in import follow_labels  # noqa: PLC0415 - models are there by now

        follow_labels(task_settle)
