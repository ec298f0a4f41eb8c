"""The app of questions."""

from __future__ import annotations

from django.apps import AppConfig


class QuestionsConfig(AppConfig):
    """Asking, on the page and in the terminal. What was asked lies in `webapp.runs`, which bears the older label."""

    name = "webapp.questions"
    label = "ask"
