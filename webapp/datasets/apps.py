"""The app of datasets."""

from __future__ import annotations

from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    """Datasets and their questions, each with an identity that evaluations point at."""

    name = "webapp.datasets"
    verbose_name = "Datasets"
