"""The labels of a task, for those who review or manage a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from reasoning import events
from reasoning.labels.decided import led_to
from reasoning.narration.narration import Narrator
from reasoning.narration.readings import ReadingText
from reasoning.narration.wording import RunWords
from reasoning.run.run import TERSE
from webapp.labelling.projects.draft import Draft, decided_of, terms_of
from webapp.labelling.projects.labels.preview import project_graph
from webapp.labelling.projects.labels.sending_back import may_send_back, sent_back_of
from webapp.labelling.projects.models import Assignment, State
from webapp.labelling.projects.roles import Right, project_may, project_may_ensure
from webapp.labelling.projects.schemas import SeenLabelOut, TaskLabelsOut
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.models import Project
    from webapp.labelling.projects.schemas import SentBackOut

_LABELS_SHOWN = 20
_ANSWERS_LISTED = 20


def task_labels_out(project: Project, *, task_id: int, viewer: Viewer) -> TaskLabelsOut:
    """The labels of a task that were handed in, or sent back since.

    Raises:
        ProductError: the viewer may not, there is no such task, or the graph is not what it was.

    """
    project_may_ensure(project, viewer, Right.REVIEW)
    if not project.tasks.filter(pk=task_id).exists():
        raise ProductError(404, "unknown_task", "There is no such task in this project.")
    scored = project_may(project, viewer, Right.MANAGE)
    found = Assignment.objects.filter(Q(state=State.SUBMITTED) | Q(state=State.OPEN, sent_back=True), task=task_id)
    rows = found.select_related("task__question", "person").order_by("sent_back", "-submitted_at", "-pk")[
        :_LABELS_SHOWN
    ]
    sent_back = sent_back_of(rows)
    with project_graph(project) as store:
        labels = [_seen(row, store, viewer, sent_back[row.pk], scored=scored) for row in rows]
    return TaskLabelsOut(labels=labels, total=found.count())


def _seen(
    row: Assignment, store: GraphStore, viewer: Viewer, sent_back: list[SentBackOut], *, scored: bool
) -> SeenLabelOut:
    draft = Draft.model_validate(row.draft)
    words, answers = "", tuple(terms_of(draft.marked))
    if draft.kind == "derivation":
        words, answers = _decided(row.task.question.text, draft, store)
    listed = answers[:_ANSWERS_LISTED]
    narrator = Narrator(store)
    narrator.learn(listed)
    return SeenLabelOut(
        id=row.pk,
        who="" if row.person is None else row.person.display_name,
        kind=draft.kind,
        words=words,
        answers=[narrator.term(term) for term in listed],
        answers_total=len(answers),
        note=draft.note,
        flagged=draft.flagged,
        seconds=row.seconds,
        submitted_at=row.submitted_at,
        sent_back=sent_back,
        may_send_back=may_send_back(row, viewer),
        score=row.score if scored else None,
    )


def _decided(question: str, draft: Draft, store: GraphStore) -> tuple[str, tuple[Term, ...]]:
    """The decisions of a label in a line, and the answers that they lead to."""
    reached = led_to(question, store, decided_of(draft), TERSE)
    nodes: list[events.SemanticNodeRecord] = []
    constraints: list[events.ConstraintRecord] = []
    for event in reached.emitted:
        match event:
            case events.EntityLinked(root=events.SemanticNodeRecord() as root):
                nodes.append(root)
            case events.SearchStepTaken(node=node):
                nodes.append(node)
            case events.ConstraintChosen(constraint=constraint):
                constraints.append(constraint)
            case _:
                pass
    shown = ReadingText(tuple(nodes), tuple(constraints), draft.answer)
    return (RunWords().reading(shown) if nodes else ""), reached.answers
