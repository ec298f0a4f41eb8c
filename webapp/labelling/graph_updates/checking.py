"""What another version of a graph makes of a task: its known answers, its labels, and the one that was accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import parse_term
from reasoning.core.compared import compared_term
from reasoning.narration.narration import Narrator
from webapp.labelling.adjudication.models import ACCEPTING, AcceptedLabel, How
from webapp.labelling.adjudication.settle import basis, handed_in, last_accepted, task_settle
from webapp.labelling.projects.draft import Draft
from webapp.labelling.projects.labels.checks import draft_faults
from webapp.labelling.projects.labels.known_answers import answers_given, known_answers

if TYPE_CHECKING:
    from collections.abc import Collection

    from kgstore.store import GraphStore
    from webapp.labelling.projects.models import Assignment, Task

_NAMED = 3
"""Maximum of changed answers that are named."""


def task_taken_along(task: Task, store: GraphStore) -> bool | None:
    """Take a task to a version of its graph; whether its accepted label holds there, None where there is none.

    The answers of its labels are read again. A label that was accepted and does not pass the check of its kind any
    more, or gives other answers, is offered to reviewers again; one of which that was said holds again where it does
    after all, as after a graph that was loaded by mistake. Rightness that was measured stays as it was. The caller
    holds the row of the project.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    _known_again(task, store)
    if task.round > 0:
        return None
    labels = _answers_again(task, store)
    task_settle(task)
    newest = last_accepted(task)
    if newest is None or newest.how == How.WITHDRAWN or newest.rests_on != basis(labels):
        return None
    label = newest if newest.how in ACCEPTING else _before_it_lapsed(newest)
    fault = why_not(label, store)
    if label is newest and fault:
        _entry(task, newest, How.LAPSED, number=newest.number + 1, comment=fault)
    elif label is not newest and not fault:
        _entry(task, label, How(label.how), number=newest.number + 1, comment="It holds again.")
    return not fault


def why_not(label: AcceptedLabel, store: GraphStore) -> str:
    """Why an accepted label does not hold on a graph, in words; empty where it does.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    draft, question = Draft.model_validate(label.draft), label.task.question.to_benchmark()
    faults = draft_faults(draft, question.text, store)
    if faults:
        return faults[0].message
    given, accepted = (
        {compared_term(term): str(term) for term in map(parse_term, answers)}
        for answers in (answers_given(draft, question, store), label.answers)
    )
    if given.keys() == accepted.keys():
        return ""
    gone = _listed([accepted[term] for term in accepted.keys() - given.keys()], store)
    come = _listed([given[term] for term in given.keys() - accepted.keys()], store)
    lines = [words for words in (gone and f"no longer {gone}", come and f"now also {come}") if words]
    return f"It gives other answers: {'; '.join(lines)}."


def _listed(answers: Collection[str], store: GraphStore) -> str:
    """Some answers by name, and how many more there are: *KITT, KARR and 2 more*."""
    narrator = Narrator(store)
    terms = [parse_term(answer) for answer in sorted(answers)]
    names = ", ".join(narrator.term(term).label for term in terms[:_NAMED])
    return names if len(terms) <= _NAMED else f"{names} and {len(terms) - _NAMED:,} more"


def _known_again(task: Task, store: GraphStore) -> None:
    """Read the known answers of a task again; a qualification round keeps its earlier ones if none are known."""
    if task.known is None:
        return
    known = known_answers(task.question.to_benchmark(), task.project.dataset.format, store)
    if known != task.known and not (known is None and task.round > 0):
        task.known = known
        task.save(update_fields=["known"])


def _answers_again(task: Task, store: GraphStore) -> list[Assignment]:
    """Read the answers of the labels of a task again; they."""
    question, labels = task.question.to_benchmark(), handed_in(task)
    for label in labels:
        answers = answers_given(Draft.model_validate(label.draft), question, store)
        if answers != label.answers:
            label.answers = answers
            label.save(update_fields=["answers"])
    return labels


def _before_it_lapsed(lapsed: AcceptedLabel) -> AcceptedLabel:
    """The accepted label of which an entry says that it holds no more; labels have not become others since."""
    earlier = AcceptedLabel.objects.filter(task=lapsed.task, number__lt=lapsed.number, how__in=ACCEPTING)
    return earlier.order_by("-number")[0]


def _entry(task: Task, of: AcceptedLabel, how: How, *, number: int, comment: str) -> None:
    """Add to the history of a task, and note how it stands by that."""
    AcceptedLabel.objects.create(
        task=task,
        project_id=of.project_id,
        number=number,
        how=how,
        reviewer=None if how == How.LAPSED else of.reviewer,
        draft=of.draft,
        answers=of.answers,
        rests_on=of.rests_on,
        taken_from=of.taken_from,
        comment=comment,
    )
    task_settle(task)
