"""The app of adjudication."""

from __future__ import annotations

from django.apps import AppConfig


class AdjudicationConfig(AppConfig):
    """Labels of a question side by side, and which one is accepted."""

    name = "webapp.labelling.adjudication"
    verbose_name = "Adjudication"
