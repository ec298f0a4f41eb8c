"""Annotators label without seeing the answers, until the project is finished.

Reviewers and managers of a project see its labels and known answers in any case, so they are not blind in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q

from webapp.datasets.models import Question
from webapp.labelling.projects.models import Assignment, Member, MemberRole, Project, State, Task

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from webapp.accounts.models import User
    from webapp.datasets.models import Dataset


def projects_unfinished() -> QuerySet[Project]:
    """The projects in which something is still to be labelled: not put away, and not every label handed in."""
    free = Task.objects.filter(project=OuterRef("pk"), free__gt=0)
    begun = Assignment.objects.filter(project=OuterRef("pk"), state=State.OPEN, holds=True)
    return Project.objects.filter(Exists(free) | Exists(begun), archived_at__isnull=True)


def labelled_blind(user: User, name: str, dataset: Dataset | None) -> str:
    """The title of an unfinished project in which a user labels questions of a dataset as an annotator.

    Its words identify a question: another version of the dataset, and a dataset of accepted labels, hold the same.
    """
    blind = Member.objects.filter(
        project=OuterRef("pk"), person=user, role=MemberRole.ANNOTATOR, labels=True, left_at__isnull=True
    )
    found = projects_unfinished().filter(Exists(blind))
    of_it = Q(dataset__name=name)
    if dataset is not None:
        words = Question.objects.filter(dataset=dataset).values("text_hash")
        of_it |= Q(Exists(Task.objects.filter(project=OuterRef("pk"), question__text_hash__in=words)))
    title = found.filter(of_it).order_by("created_at").values_list("title", flat=True).first()
    return title or ""
