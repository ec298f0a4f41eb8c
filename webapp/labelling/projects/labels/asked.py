"""Datasets of what people asked and agreed to have labelled: the words, and nothing of who asked or when."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from reasoning.datasets.asked import FORMAT
from reasoning.datasets.identity import text_hash
from reasoning.datasets.registry import FORMATS
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.asking.runs.selectors import questions_typed
from webapp.datasets import models as datasets
from webapp.datasets.services import question_forget
from webapp.datasets.snapshots import dataset_of_lines
from webapp.labelling.projects.labels.suggesting import uncount
from webapp.labelling.projects.models import Project
from webapp.labelling.projects.schemas import AskedOfGraphOut, AskedOut
from webapp.platform.http.errors import ProductError, room_ensure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.db.models import QuerySet

    from webapp.accounts.viewer import Viewer
    from webapp.asking.runs import models as runs

_ID_LENGTH = 16
"""The id of a question is this number of digits of the hash of its wording: the same in every dataset."""
_OF_PEOPLE = [name for name, format_ in FORMATS.items() if format_.of_people]


def asked_out(*, viewer: Viewer) -> AskedOut:
    """How many questions may be labelled, by the graph that they were asked of.

    Raises:
        ProductError: the viewer may not manage projects.

    """
    may_ensure(viewer, Action.MANAGE_PROJECTS)
    agreed = _agreed()
    return AskedOut(graphs=[AskedOfGraphOut(graph=graph, questions=len(agreed[graph])) for graph in sorted(agreed)])


def asked_snapshot(*, graph: str, viewer: Viewer) -> datasets.Dataset:
    """The dataset of all questions that were asked of a graph and may be labelled; a version that holds them is taken.

    Their order is that of their ids, which says nothing of who asked or when.

    Raises:
        ProductError: the viewer may not manage projects, there is no such question, or another snapshot is being made.

    """
    may_ensure(viewer, Action.MANAGE_PROJECTS)
    room_ensure()
    texts = _agreed().get(graph)
    if not texts:
        message = (
            "No user has released a question about this graph for labelling yet. "
            "The asker agrees on the page My questions."
        )
        raise ProductError(409, "nothing_agreed", message, graph=graph)
    name = f"Asked questions ({graph})"
    lines = (json.dumps({"id": id_, "question": texts[id_]}, ensure_ascii=False) + "\n" for id_ in sorted(texts))
    dataset, is_new = dataset_of_lines(lines, name=name, format_=FORMAT.name, starter=viewer.user)
    if is_new:
        audited(viewer, Audited.DATASET_LOADED, f"{name}, version {dataset.version}", after=f"{len(texts)} questions")
    return dataset


def asked_deleted(instance: runs.Question, **_: object) -> None:
    """Django's signal that a question of a user was deleted, by them or with their account; also an unticked one."""
    if instance.asker_id is not None:
        asked_forget(instance.text)


def asked_forget(text: str) -> None:
    """Take a question's words out of all projects and datasets, except where an annotator has started to label them.

    If another asker agreed to the same wording, nothing is removed.
    """
    id_ = asked_id(text)
    rows = datasets.Question.objects.filter(dataset__format__in=_OF_PEOPLE, question_id=id_).select_related("dataset")
    if not rows.exists() or any(id_ in texts for texts in _agreed().values()):
        return
    with transaction.atomic():
        # The row of the project serializes this with an assignment of the task at the same moment.
        for project in Project.objects.select_for_update().filter(tasks__question__in=rows):
            for task in project.tasks.filter(question__in=rows, assignments__isnull=True):
                task.delete()
                Project.objects.filter(pk=project.pk).update(tasks_total=F("tasks_total") - 1)
                if not task.blind:
                    uncount(task)
        for row in rows.filter(tasks__isnull=True):
            question_forget(question=row)


def questions_agreed() -> QuerySet[runs.Question]:
    """What people asked and agreed to have labelled.

    Who agreed to a question agreed to its words, also where they ask them again.
    """
    typed = questions_typed()
    same = typed.filter(may_be_labelled=True, asker=OuterRef("asker"), text=OuterRef("text"))
    return typed.filter(Exists(same))


def asked_id(text: str) -> str:
    """The id of a wording in datasets of what people asked: the same in each."""
    return text_hash(text)[:_ID_LENGTH]


def _agreed() -> Mapping[str, Mapping[str, str]]:
    """By graph and id, the wording that was asked first."""
    rows = questions_agreed().order_by("asked_at", "pk").values_list("runs__graph", "text")
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for graph, text in rows:
        found[graph].setdefault(asked_id(text), text)
    return found
