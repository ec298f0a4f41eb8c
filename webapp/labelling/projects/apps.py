"""The app of labelling."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_delete


class AnnotationConfig(AppConfig):
    """Projects, tasks, and what people label."""

    name = "webapp.labelling.projects"
    # The tables of the database are named after it.
    label = "annotation"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Register the work, what rests on a graph or a question, and who labels blind."""
        from webapp.asking.runs.models import Question  # noqa: PLC0415 - models are there by now
        from webapp.datasets.gold import labelled_blind_register  # noqa: PLC0415 - models are there by now
        from webapp.graphs.dependents import Dependent, dependent_register  # noqa: PLC0415 - models are there by now
        from webapp.labelling.projects.blind import labelled_blind  # noqa: PLC0415 - models are there by now
        from webapp.labelling.projects.labels.asked import asked_deleted  # noqa: PLC0415 - models are there by now
        from webapp.labelling.projects.labels.suggesting import TASK, suggestings  # noqa: PLC0415 - models are there by now
        from webapp.labelling.projects.selectors import projects_on_graph  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        post_delete.connect(asked_deleted, sender=Question)
        kind_register(Kind(TASK, suggestings.recover))
        labelled_blind_register(labelled_blind)
        dependent_register(Dependent("annotation project", "annotation projects", projects_on_graph))
