"""The app of feedback."""

from __future__ import annotations

from django.apps import AppConfig


class FeedbackConfig(AppConfig):
    """Whether people call answers right, kept with the runs."""

    name = "webapp.asking.feedback"
    verbose_name = "Feedback"
