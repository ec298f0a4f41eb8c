"""The app of runs."""

from __future__ import annotations

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Questions that were asked, their runs and events.

    Tables and migrations bear the label ``questions``, as in databases that were made before this had a folder.
    """

    name = "webapp.asking.runs"
    label = "questions"
    verbose_name = "Questions"
