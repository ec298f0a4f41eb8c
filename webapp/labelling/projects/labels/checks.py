"""Whether a label may be handed in: each kind of label has its own check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.labels.checks import LabelFault, derivation_faults, facts_faults
from webapp.labelling.projects.draft import Draft, LabelReadingIn, decided_of, facts_of, terms_of
from webapp.labelling.projects.labels.preview import project_graph
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kgstore.store import GraphStore
    from webapp.labelling.projects.draft import LabelKind
    from webapp.labelling.projects.models import Assignment

_READINGS = 2
"""Minimum of readings of an ambiguous question."""


def label_holds_ensure(faults: Sequence[LabelFault]) -> None:
    """See that a label has no faults.

    Raises:
        ProductError: it has; it tells the first one, and lists all.

    """
    if faults:
        listed = [{"code": one.code, "message": one.message} for one in faults]
        raise ProductError(409, "label_faulty", faults[0].message, faults=listed)


def label_faults(assignment: Assignment) -> list[LabelFault]:
    """Why a label cannot be handed in as it stands; empty where it can.

    Raises:
        ProductError: the graph is not what it was, or a marked term is none.

    """
    draft = Draft.model_validate(assignment.draft)
    with project_graph(assignment.project) as store:
        return draft_faults(draft, assignment.task.question.text, store)


def draft_faults(draft: Draft, question: str, store: GraphStore) -> list[LabelFault]:
    """What a draft lacks to be a label of a question over a graph; empty where it is one.

    Raises:
        GraphStoreError: the graph cannot be read.
        ProductError: a marked term is none.

    """
    return list(_CHECKS[draft.kind](draft, question, store))


def _derivation(draft: Draft, question: str, store: GraphStore) -> Iterator[LabelFault]:
    yield from derivation_faults(question, store, decided_of(draft), terms_of(draft.marked))


def _facts(draft: Draft, _question: str, store: GraphStore) -> Iterator[LabelFault]:
    yield from facts_faults(store, facts_of(draft), terms_of(draft.marked))


def _answers(draft: Draft, _question: str, store: GraphStore) -> Iterator[LabelFault]:
    if not draft.marked:
        yield LabelFault("no_answers", "Mark at least one answer.")
        return
    entities = [term for term in terms_of(draft.marked) if isinstance(term, Entity)]
    if unknown := set(entities) - store.cards(entities).keys():
        yield LabelFault(
            "unknown_answers", f"The graph does not hold {len(unknown)} of the marked answers: {min(unknown)}."
        )


def _unanswerable(draft: Draft, _question: str, _store: GraphStore) -> Iterator[LabelFault]:
    if draft.missing is None:
        yield LabelFault("nothing_missing", "Say what the graph lacks: an entity, a fact or a relation.")


def _ambiguous(draft: Draft, question: str, store: GraphStore) -> Iterator[LabelFault]:
    if len(draft.readings) < _READINGS:
        yield LabelFault("one_reading", f"Put {_READINGS} readings aside at least, each with its own decisions.")
    for number, reading in enumerate(draft.readings, start=1):
        for fault in derivation_faults(question, store, decided_of(reading_as_draft(reading)), ()):
            yield LabelFault(fault.code, f"Reading {number}: {fault.message}")


def _reword(draft: Draft, question: str, _store: GraphStore) -> Iterator[LabelFault]:
    if not draft.rewording.strip():
        yield LabelFault("no_rewording", "Write the question as it should be asked.")
    elif draft.rewording.split() == question.split():
        yield LabelFault("same_wording", "This is how the question is asked already. Write how it should be.")


def _benchmark(draft: Draft, _question: str, _store: GraphStore) -> Iterator[LabelFault]:
    if draft.benchmark is None:
        yield LabelFault("no_verdict", "Say whether the benchmark's answers are wrong, incomplete or outdated.")


_CHECKS: Mapping[LabelKind, Callable[[Draft, str, GraphStore], Iterator[LabelFault]]] = {
    "derivation": _derivation,
    "facts": _facts,
    "answers": _answers,
    "unanswerable": _unanswerable,
    "ambiguous": _ambiguous,
    "reword": _reword,
    "benchmark": _benchmark,
}


def reading_as_draft(reading: LabelReadingIn) -> Draft:
    """A reading of an ambiguous question as the draft of a label."""
    return Draft(
        topic=reading.topic,
        steps=reading.steps,
        steps_ended=True,
        conditions=reading.conditions,
        conditions_ended=True,
        answer=reading.answer,
        counted=reading.counted,
    )
