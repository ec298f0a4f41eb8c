"""The app of scorers."""

from __future__ import annotations

from django.apps import AppConfig


class ScorersConfig(AppConfig):
    """Scorers, and training them."""

    name = "webapp.models.trainings"
    # The tables of the database are named after it.
    label = "scorers"
    verbose_name = "Scorers"
