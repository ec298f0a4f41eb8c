"""What reviewers see: which tasks are to be decided, and the labels of one side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.db.models import Case, Count, F, IntegerField, Value, When

from reasoning.narration.narration import Narrator
from webapp.labelling.adjudication import schemas
from webapp.labelling.adjudication.models import AcceptedLabel, Adjudication, How, Stand
from webapp.labelling.adjudication.settle import handed_in, project_settle
from webapp.labelling.projects.draft import Draft, terms_of
from webapp.labelling.projects.labels.preview import names_of, project_graph
from webapp.labelling.projects.labels.sending_back import may_send_back, sent_back_of
from webapp.labelling.projects.models import Assignment, State
from webapp.labelling.projects.roles import Right, project_may, project_may_ensure
from webapp.labelling.projects.selectors import task_out

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet

    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.models import Project, Task

_ANSWERS_LISTED = 50
_ORDER = Case(
    When(stand=Stand.OPEN, accepted__how=How.LAPSED, then=Value(0)),
    When(stand=Stand.OPEN, then=Value(1)),
    When(stand=Stand.WAITING, then=Value(2)),
    default=Value(3),
    output_field=IntegerField(),
)


def adjudication_page(
    project: Project, *, viewer: Viewer, stand: schemas.StandName | None, offset: int, limit: int
) -> schemas.AdjudicationPageOut:
    """Some of the tasks with labels: the open ones first, of them those whose label holds no more, then by agreement.

    Raises:
        ProductError: the viewer may not.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    project_settle(project)
    found = Adjudication.objects.filter(project=project, labels__gt=0)
    counted = dict(found.order_by().values_list("stand").annotate(Count("pk")))
    if stand is not None:
        found = found.filter(stand=stand)
    rows = list(_worst_first(found).select_related("task__question", "accepted__reviewer")[offset : offset + limit])
    labelled = Assignment.objects.filter(task__in=[row.task_id for row in rows], person=viewer.user)
    own = set(labelled.exclude(state=State.ADJUDICATING).values_list("task", flat=True))
    return schemas.AdjudicationPageOut(
        tasks=[
            schemas.AdjudicationRowOut(
                task=row.task_id,
                position=row.task.position,
                question=row.task.question.text,
                question_id=row.task.question.question_id,
                stand=cast("schemas.StandName", row.stand),
                labels=row.labels,
                agreed=row.agreed,
                agreement=row.agreement,
                accepted=None if row.accepted is None else _accepted(row.accepted),
                own=row.task_id in own,
            )
            for row in rows
        ],
        total=found.count(),
        counts=schemas.StandCountsOut(**{name: counted.get(name, 0) for name in ("waiting", "open", "accepted")}),
        overlap=project.overlap,
    )


def _worst_first(found: QuerySet[Adjudication]) -> QuerySet[Adjudication]:
    return found.order_by(_ORDER, F("agreement").asc(nulls_last=True), "task__position")


def adjudication_out(assignment: Assignment, *, viewer: Viewer) -> schemas.AdjudicationOut:
    """The labels of a task side by side, and a reviewer's own draft.

    Raises:
        ProductError: the graph is not what it was.

    """
    task, project = assignment.task, assignment.project
    labels = handed_in(task)
    drafts = [Draft.model_validate(label.draft) for label in labels]
    answers = [terms_of(label.answers or []) for label in labels]
    sent_back = sent_back_of(labels)
    stands = Adjudication.objects.filter(task=task).first()
    history = AcceptedLabel.objects.filter(task=task).select_related("reviewer").order_by("-number")
    before, after = _neighbours(project, task)
    named = names_of(drafts, project)
    with project_graph(project) as store:
        narrator = Narrator(store)
        narrator.learn([term for each in answers for term in each[:_ANSWERS_LISTED]])
        return schemas.AdjudicationOut(
            task=task_out(assignment),
            sides=[
                schemas.SideOut(
                    label=label.pk,
                    who="" if label.person is None else label.person.display_name,
                    kind=draft.kind,
                    draft=draft,
                    answers=[narrator.term(term) for term in given[:_ANSWERS_LISTED]],
                    answers_total=len(given),
                    seconds=label.seconds,
                    submitted_at=cast("datetime", label.submitted_at),
                    sent_back=sent_back[label.pk],
                    may_send_back=may_send_back(label, viewer),
                )
                for label, draft, given in zip(labels, drafts, answers, strict=True)
            ],
            named_terms=named.terms,
            named_relations=named.relations,
            stand="waiting" if stands is None else cast("schemas.StandName", stands.stand),
            agreed=None if stands is None else stands.agreed,
            history=[_accepted(row) for row in history],
            may_manage=project_may(project, viewer, Right.MANAGE),
            previous=before,
            next=after,
        )


def _neighbours(project: Project, task: Task) -> tuple[int | None, int | None]:
    """The tasks before and after one in the list of what is to be decided."""
    listed = list(
        _worst_first(Adjudication.objects.filter(project=project, stand=Stand.OPEN)).values_list("task", flat=True)
    )
    if task.pk not in listed:
        return None, listed[0] if listed else None
    at = listed.index(task.pk)
    return listed[at - 1] if at > 0 else None, listed[at + 1] if at + 1 < len(listed) else None


def _accepted(row: AcceptedLabel) -> schemas.AcceptedOut:
    return schemas.AcceptedOut(
        number=row.number,
        how=cast("schemas.HowName", row.how),
        reviewer="" if row.reviewer is None else row.reviewer.display_name,
        at=row.at,
        comment=row.comment,
    )
