"""The app of evaluations."""

from __future__ import annotations

from django.apps import AppConfig


class EvaluationsConfig(AppConfig):
    """Evaluations over benchmarks, and what became of each question."""

    name = "webapp.evaluations"
    verbose_name = "Evaluations"
