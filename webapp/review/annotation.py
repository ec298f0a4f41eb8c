"""Cases that are sent to be labelled, and the labels that come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from kgstore.store import GraphStoreError
from kgstore.terms import parse_term
from reasoning.narration.narration import Narrator
from webapp import engine
from webapp.accounts.permissions import Action, may_ensure
from webapp.evaluations.models import EvaluatedQuestion
from webapp.labelling.adjudication.models import ACCEPTING, AcceptedLabel
from webapp.labelling.projects.adding import task_add
from webapp.labelling.projects.models import MAX_TITLE_LENGTH, Assignment, Guideline, Project, State
from webapp.labelling.projects.roles import Right, rights_in
from webapp.platform.http.errors import ProductError, room_ensure
from webapp.review import schemas
from webapp.review.models import Case
from webapp.review.sources import case_find, case_of

if TYPE_CHECKING:
    import uuid

    from reasoning.events import TermRecord
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.models import Dataset
    from webapp.evaluations.models import Evaluation
    from webapp.labelling.projects.models import Task
    from webapp.review.sources import Source

_ANSWERS_LISTED = 30
_GUIDELINE = """These questions were answered wrongly, or so it seems. Label each as the graph has it.

Where the benchmark says something else, choose *The benchmark is wrong* and say how."""


def annotation_choices(*, source: Source, key: str, viewer: Viewer) -> list[schemas.AnnotationChoiceOut]:
    """The projects that a case can be labelled in: of its dataset and graph, and managed by the viewer.

    Raises:
        ProductError: the viewer may not, or there is no such case.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    thing = case_find(source, key)
    if not isinstance(thing, EvaluatedQuestion):
        return []
    return [schemas.AnnotationChoiceOut(project=each.pk, title=each.title) for each in _projects(thing, viewer)]


def case_to_annotation(*, source: Source, key: str, project_id: uuid.UUID | None, viewer: Viewer) -> Task:
    """Have a case labelled by the viewer, in one of the projects that are offered, or in a new one.

    Raises:
        ProductError: the viewer may not, the case is of no dataset that is kept, its graph is not what it was, or the
            project is not one of those.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    room_ensure()
    thing = case_find(source, key)
    if not isinstance(thing, EvaluatedQuestion) or thing.dataset_question is None:
        message = "Only questions of a loaded dataset are labelled; this one was asked on the site, or long ago."
        raise ProductError(409, "no_dataset_question", message)
    offered = _projects(thing, viewer)
    with transaction.atomic():
        if project_id is None:
            project = _new_project(thing.evaluation, thing.dataset_question.dataset, viewer)
        else:
            chosen = next((each for each in offered if each.pk == project_id), None)
            if chosen is None:
                message = "This project is of another dataset or graph, or is not yours. Choose one that is offered."
                raise ProductError(422, "unsuitable_project", message)
            project = chosen
        task = task_add(project=project, question=thing.dataset_question, viewer=viewer)
        Case.objects.filter(pk=case_of(thing).pk).update(task=task)
    return task


def label_out(case: Case) -> schemas.CaseLabelOut | None:
    """Where a case is labelled, and what came of it; None where it was sent nowhere."""
    task = case.task
    if task is None:
        return None
    accepted = AcceptedLabel.objects.filter(task=task).order_by("-number").first()
    handed_in = Assignment.objects.filter(task=task, state=State.SUBMITTED).order_by("-submitted_at")
    newest = handed_in.first()
    stands = accepted is not None and accepted.how in ACCEPTING
    answers = accepted.answers if accepted is not None and stands else [] if newest is None else newest.answers or []
    return schemas.CaseLabelOut(
        task=task.pk,
        project=task.project_id,
        title=task.project.title,
        labels=handed_in.count(),
        answers=_named(answers[:_ANSWERS_LISTED], task.project),
    )


def _projects(question: EvaluatedQuestion, viewer: Viewer) -> list[Project]:
    evaluation = question.evaluation
    same = Project.objects.filter(
        dataset=evaluation.snapshot,
        graph=evaluation.graph,
        graph_version=evaluation.graph_version,
        archived_at__isnull=True,
    )
    found = list(same.order_by("-created_at"))
    rights = rights_in([each.pk for each in found], viewer)
    return [each for each in found if Right.MANAGE in rights[each.pk]]


def _new_project(evaluation: Evaluation, dataset: Dataset, viewer: Viewer) -> Project:
    project = Project.objects.create(
        title=f"Error cases of {dataset} on {evaluation.graph_title}"[:MAX_TITLE_LENGTH],
        dataset=dataset,
        graph=evaluation.graph,
        graph_title=evaluation.graph_title,
        graph_version=evaluation.graph_version,
        creator=viewer.user,
    )
    Guideline.objects.create(project=project, version=1, text=_GUIDELINE, writer=viewer.user)
    return project


def _named(answers: list[str], project: Project) -> list[TermRecord]:
    """The names of some answers; none where the graph is gone."""
    try:
        narrator = Narrator(engine.graph(project.graph))
        terms = [parse_term(each) for each in answers]
        narrator.learn(terms)
        return [narrator.term(term) for term in terms]
    except GraphStoreError:
        return []
