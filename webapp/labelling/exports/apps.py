"""The app of label exports."""

from __future__ import annotations

from django.apps import AppConfig


class LabelExportsConfig(AppConfig):
    """What people labelled, as files for others."""

    name = "webapp.labelling.exports"
    # The tables of the database are named after it.
    label = "label_exports"
    verbose_name = "Label exports"
