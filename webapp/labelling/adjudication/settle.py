"""How the labels of a task stand to each other; where all say the same, they are accepted without anybody's click."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

from django.db import transaction

from reasoning.agreement.sets import overlap_f1
from webapp.labelling.adjudication.content import said
from webapp.labelling.adjudication.models import ACCEPTING, AcceptedLabel, Adjudication, How, Stand
from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.models import Assignment, Project, State, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

_PAIR = 2


def handed_in(task: Task) -> list[Assignment]:
    """The labels of a task that are handed in, the first one first."""
    rows = Assignment.objects.filter(task=task, state=State.SUBMITTED).select_related("person")
    return list(rows.order_by("submitted_at", "pk"))


def basis(labels: Sequence[Assignment]) -> list[list[int]]:
    """What an accepted label rests on: of each label its id and the number of its last move."""
    return sorted([label.pk, label.last] for label in labels)


def last_accepted(task: Task) -> AcceptedLabel | None:
    """The last entry of a task, also where it says that a label was withdrawn or holds no more."""
    return AcceptedLabel.objects.filter(task=task).order_by("-number").first()


def task_settle(task: Task) -> None:
    """Note how the labels of a task stand, and accept them where all that are wanted say the same.

    Tasks of qualification rounds are left out. The caller holds the row of the project.
    """
    if task.round > 0:
        return
    labels = handed_in(task)
    drafts = [Draft.model_validate(label.draft) for label in labels]
    says = [said(draft, label.answers or []) for draft, label in zip(drafts, labels, strict=True)]
    several = len(labels) >= _PAIR
    agreed = len(set(says)) == 1 if several else None
    accepted = last_accepted(task)
    complete = len(labels) >= task.project.overlap
    # What these same labels say may have been withdrawn, or hold no more: that is not undone.
    decided = accepted is not None and accepted.rests_on == basis(labels)
    stands = decided and accepted is not None and accepted.how in ACCEPTING
    if agreed and complete and not decided:
        accepted = _accept_equal(task, labels, 0 if accepted is None else accepted.number)
        stands = True
    Adjudication.objects.update_or_create(
        task=task,
        defaults={
            "project_id": task.project_id,
            "labels": len(labels),
            "agreed": agreed,
            "agreement": _agreement(labels, drafts) if several else None,
            "stand": Stand.ACCEPTED if stands else Stand.OPEN if labels and complete else Stand.WAITING,
            "accepted": None if accepted is None or accepted.how == How.WITHDRAWN else accepted,
        },
    )


def _agreement(labels: Sequence[Assignment], drafts: Sequence[Draft]) -> float:
    """How far labels agree, from 0 to 1: the mean over all pairs of the F1 of their answers.

    Where neither of two gives any, it is whether they are of one kind.
    """
    answers_given = [(set(label.answers or []), draft.kind) for label, draft in zip(labels, drafts, strict=True)]
    return fmean(
        overlap_f1(one, other) if one or other else float(kind == other_kind)
        for (one, kind), (other, other_kind) in combinations(answers_given, _PAIR)
    )


def _accept_equal(task: Task, labels: Sequence[Assignment], number: int) -> AcceptedLabel:
    first = labels[0]
    return AcceptedLabel.objects.create(
        task=task,
        project_id=task.project_id,
        number=number + 1,
        how=How.EQUAL,
        draft=first.draft,
        answers=first.answers or [],
        rests_on=basis(labels),
        taken_from=first.pk,
    )


def project_settle(project: Project) -> None:
    """Note how the labels stand that came by another way than by being handed in, as those of the sample project."""
    labelled = Assignment.objects.filter(project=project, round=0, state=State.SUBMITTED)
    unnoted = Task.objects.filter(pk__in=labelled.values("task"), adjudication__isnull=True).select_related("project")
    if not unnoted.exists():
        return
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        for task in unnoted:
            task_settle(task)
