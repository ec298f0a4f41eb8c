"""The app of learning."""

from __future__ import annotations

from django.apps import AppConfig


class LearningConfig(AppConfig):
    """From labels to a model that may become the default: pipelines, held-out questions, the default model."""

    name = "webapp.models.pipelines"
    # The tables of the database are named after it.
    label = "learning"
    verbose_name = "Learning"
