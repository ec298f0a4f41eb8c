"""Which labels of a project there are to be compared, and whether they are still the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Count, Max, Sum

from webapp.labelling.projects.models import Assignment, State

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from webapp.labelling.projects.models import Project


def labels_of(project: Project) -> QuerySet[Assignment]:
    """The labels that were handed in, without those of qualification rounds."""
    return Assignment.objects.filter(project=project, state=State.SUBMITTED, round=0)


def stamp_of(project: Project) -> str:
    """A text that is another once a label is handed in or taken up again, its maker is erased, or the graph changed."""
    counts = labels_of(project).aggregate(
        labels=Count("pk"), newest=Max("submitted_at"), which=Sum("pk"), people=Count("person")
    )
    newest = "" if counts["newest"] is None else counts["newest"].isoformat()
    which = f"{counts['labels']} labels, sum {counts['which'] or 0}, {counts['people']} with a name, newest {newest}"
    return f"{which}, graph {project.graph_version}"


def tasks_labelled(project: Project) -> int:
    """How many tasks have a label."""
    return labels_of(project).values("task").distinct().count()
