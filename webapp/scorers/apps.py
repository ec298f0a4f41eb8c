"""The app of scorers."""

from __future__ import annotations

from django.apps import AppConfig


class ScorersConfig(AppConfig):
    """Scorers, and training them."""

    name = "webapp.scorers"
    verbose_name = "Scorers"
