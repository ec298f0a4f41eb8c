"""The labels of a task, for those who review or manage a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from reasoning import events
from reasoning.labels.decided import led_to
from reasoning.narration import Narrator
from reasoning.run import TERSE
from reasoning.told_readings import ToldReading
from reasoning.wording import RunWords
from webapp.annotation.draft import Draft, decided_of, terms_of
from webapp.annotation.models import Assignment, State
from webapp.annotation.roles import Right, project_may, project_may_ensure
from webapp.annotation.schemas import SeenLabelOut, TaskLabelsOut
from webapp.annotation.told import project_graph
from webapp.http.errors import ProductError

if TYPE_CHECKING:
    from datetime import datetime

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from webapp.accounts.viewer import Viewer
    from webapp.annotation.models import Project

_LABELS_SHOWN = 20
_ANSWERS_LISTED = 20


def task_labels_out(project: Project, *, task_id: int, viewer: Viewer) -> TaskLabelsOut:
    """The labels of a task that were handed in.

    Raises:
        ProductError: the viewer may not, there is no such task, or the graph is not what it was.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    if not project.tasks.filter(pk=task_id).exists():
        raise ProductError(404, "unknown_task", "There is no such task in this project.")
    scored = project_may(project, viewer, Right.MANAGE)
    rows = Assignment.objects.filter(task=task_id, state=State.SUBMITTED).select_related("task__question", "person")
    with project_graph(project) as store:
        labels = [_seen(row, store, scored=scored) for row in rows.order_by("-submitted_at", "-pk")[:_LABELS_SHOWN]]
    return TaskLabelsOut(labels=labels, total=rows.count())


def _seen(row: Assignment, store: GraphStore, *, scored: bool) -> SeenLabelOut:
    draft = Draft.model_validate(row.draft)
    words, answers = "", tuple(terms_of(draft.marked))
    if draft.kind == "derivation":
        words, answers = _decided(row.task.question.text, draft, store)
    listed = answers[:_ANSWERS_LISTED]
    narrator = Narrator(store)
    narrator.learn(listed)
    return SeenLabelOut(
        who="" if row.person is None else row.person.display_name,
        kind=draft.kind,
        words=words,
        answers=[narrator.term(term) for term in listed],
        answers_total=len(answers),
        note=draft.note,
        flagged=draft.flagged,
        seconds=row.seconds,
        submitted_at=cast("datetime", row.submitted_at),
        score=row.score if scored else None,
    )


def _decided(question: str, draft: Draft, store: GraphStore) -> tuple[str, tuple[Term, ...]]:
    """The decisions of a label in a line, and the answers that they lead to."""
    reached = led_to(question, store, decided_of(draft), TERSE)
    nodes: list[events.SemanticNodeRecord] = []
    constraints: list[events.ConstraintRecord] = []
    for event in reached.told:
        match event:
            case events.EntityLinked(root=events.SemanticNodeRecord() as root):
                nodes.append(root)
            case events.SearchStepTaken(node=node):
                nodes.append(node)
            case events.ConstraintChosen(constraint=constraint):
                constraints.append(constraint)
            case _:
                pass
    told = ToldReading(tuple(nodes), tuple(constraints), draft.answer)
    return (RunWords().reading(told) if nodes else ""), reached.answers
