"""Labels that were handed in, as lines of Discern's own dataset format.

A label that is a derivation is a question with its way to the answers, and is read again as one. Answers, sets of facts
and what cannot be answered are questions without a way. Other kinds say that the question is not right as it is: they
are no questions to that format, and their lines are passed over when it is read. Everything that a label says stands
under one key, ``label``. Labels of a qualification round are marked there, and say nothing in terms of the format.
Answers are those that the label gave when it was handed in: the graph is not read again, and may be another by now.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webapp.annotation.draft import Draft, decided_of
from webapp.annotation.models import Assignment, State
from webapp.annotation.prelabels import suggested

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webapp.annotation.models import Project

_AT_ONCE = 500


def label_lines(project: Project, *, known: bool) -> Iterator[str]:
    """A line for every label that was handed in, in the order of tasks, with or without the answers that are known."""
    rows = (
        Assignment.objects.filter(project=project, state=State.SUBMITTED)
        .select_related("task__question", "person")
        .order_by("task__position", "pk")
    )
    task, number = None, 0
    for row in rows.iterator(chunk_size=_AT_ONCE):
        number = number + 1 if row.task_id == task else 1
        task = row.task_id
        document = _document(row, number, project)
        if known:
            document["label"] |= {"known": row.task.known, "score": row.score}
        yield json.dumps(document, ensure_ascii=False) + "\n"


def _document(row: Assignment, number: int, project: Project) -> dict[str, Any]:
    draft = Draft.model_validate(row.draft)
    question = row.task.question
    said = {} if row.round else _said(draft, row.answers or [])
    return {
        "id": f"{question.question_id}/label-{number}",
        "group": question.to_benchmark().group or question.question_id,
        "question": question.text,
        **said,
        "label": {
            "kind": draft.kind,
            "round": row.round,
            "who": "" if row.person is None else row.person.username,
            "question_id": question.question_id,
            "dataset": f"{project.dataset.name}, version {project.dataset.version}",
            "graph": project.graph,
            "graph_version": project.graph_version,
            "guideline": row.guideline,
            "seconds": row.seconds,
            "moves": row.last,
            "started_at": row.started_at.isoformat(),
            "submitted_at": None if row.submitted_at is None else row.submitted_at.isoformat(),
            "blind": row.task.blind,
            "suggested": suggested(row.task),
            "draft": draft.model_dump(mode="json"),
        },
    }


def _said(draft: Draft, answers: list[str]) -> dict[str, Any]:
    """What the label says in terms of the dataset format; nothing for kinds that it has no words for."""
    derivation = decided_of(draft).derivation
    if draft.kind == "derivation" and derivation is not None:
        return derivation.to_json() | {"answers": answers}
    if draft.kind in ("answers", "facts"):
        return {"topic": draft.topic, "answers": answers}
    if draft.kind == "unanswerable" and draft.missing is not None:
        return {"topic": draft.topic, "unanswerable": f"{draft.missing.what} missing"}
    return {}
