"""The app of the log."""

from __future__ import annotations

from django.apps import AppConfig


class LabellingLogConfig(AppConfig):
    """Who did what in a project of labelling."""

    name = "webapp.labelling.log"
    # The tables of the database are named after it.
    label = "labelling_log"
    verbose_name = "Labelling log"
