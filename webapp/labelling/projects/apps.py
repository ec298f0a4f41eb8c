"""The app of labelling."""

from __future__ import annotations

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Projects, tasks, and what people label."""

    name = "webapp.labelling.projects"
    # The tables of the database are named after it.
    label = "annotation"
    verbose_name = "Annotation"
