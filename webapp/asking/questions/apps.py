"""The app of questions."""

from __future__ import annotations

from django.apps import AppConfig


class QuestionsConfig(AppConfig):
    """Asking, on the page and in the terminal. What was asked is in `webapp.asking.runs`, which has the older label."""

    name = "webapp.asking.questions"
    label = "ask"
