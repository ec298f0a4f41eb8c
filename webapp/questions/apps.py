"""The app of questions."""

from __future__ import annotations

from django.apps import AppConfig


class QuestionsConfig(AppConfig):
    """Questions, runs and their events."""

    name = "webapp.questions"
    verbose_name = "Questions"
