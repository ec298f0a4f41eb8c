"""The app of datasets."""

from __future__ import annotations

from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    """Files of questions that evaluations and trainings read."""

    name = "webapp.datasets"
    verbose_name = "Datasets"
