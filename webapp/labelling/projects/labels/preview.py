"""What the decisions of a draft lead to on the graph of its project, as events. No model is asked."""

from __future__ import annotations

from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from kgstore.store import GraphStoreError
from kgstore.terms import Entity, Relation
from reasoning.labels.decided import led_to
from reasoning.narration.narration import Narrator
from reasoning.run.run import RunLimits
from webapp import engine
from webapp.labelling.projects.draft import Draft, decided_of, kinds_named, relations_named, terms_named, terms_of
from webapp.labelling.projects.schemas import LedToOut
from webapp.platform.http.errors import ProductError, graph_error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.events import RelationRecord, TermRecord
    from webapp.labelling.projects.models import Assignment, Project

_ANSWERS_LISTED = 100
_LIMITS = RunLimits(options_shown=1_000)
"""A person looks through all options of a pool; a pool of more is cut, and says so."""


@contextmanager
def project_graph(project: Project) -> Iterator[GraphStore]:
    """The graph of a project, as it was when the project was made.

    Raises:
        ProductError: it was loaded again, is gone or cannot be read.

    """
    try:
        store = engine.graph(project.graph)
        if store.info().version != project.graph_version:
            message = (
                f"The graph “{project.graph_title}” was loaded again since this project was made, so what is labelled "
                "may not hold any more. Ask a manager of the project."
            )
            raise ProductError(409, "graph_changed", message)
        yield store
    except GraphStoreError as error:
        raise graph_error(error, status=409) from error


def draft_led_to(assignment: Assignment) -> LedToOut:
    """What a draft leads to.

    Raises:
        ProductError: the graph is not what it was.

    """
    return decisions_led_to(assignment, Draft.model_validate(assignment.draft))


def decisions_led_to(assignment: Assignment, draft: Draft) -> LedToOut:
    """What other decisions for the task of a draft lead to.

    Raises:
        ProductError: the graph is not what it was, or a relation or a term is none.

    """
    decided, named = decided_of(draft), terms_named(draft)
    started = perf_counter()
    with project_graph(assignment.project) as store:
        reached = led_to(assignment.task.question.text, store, decided, _LIMITS, today=engine.today())
        listed = reached.answers[:_ANSWERS_LISTED]
        narrator = Narrator(store)
        narrator.learn([*listed, *named])
        return LedToOut(
            events=reached.emitted,
            answers=[narrator.term(term) for term in listed],
            answers_total=len(reached.answers),
            position=reached.position,
            named_terms=_named_terms(narrator, named, kinds_named(draft)),
            named_relations=[narrator.relation(relation) for relation in relations_named(draft)],
            milliseconds=1_000 * (perf_counter() - started),
        )


class Named(NamedTuple):
    """What drafts name, by name."""

    terms: list[TermRecord]
    relations: list[RelationRecord]


def names_of(drafts: Collection[Draft], project: Project) -> Named:
    """All that some drafts name, their decisions included.

    Raises:
        ProductError: the graph is not what it was.

    """
    if not drafts:
        return Named([], [])
    terms = {term for draft in drafts for term in [*terms_named(draft), *_decided(draft)]}
    kinds = frozenset[str]().union(*map(kinds_named, drafts))
    relations = {relation for draft in drafts for relation in relations_named(draft)}
    relations |= {Relation.parse(step.relation) for draft in drafts for step in draft.steps}
    with project_graph(project) as store:
        narrator = Narrator(store)
        narrator.learn(terms)
        return Named(
            _named_terms(narrator, sorted(terms, key=str), kinds),
            [narrator.relation(relation) for relation in sorted(relations, key=str)],
        )


def _named_terms(narrator: Narrator, terms: Iterable[Term], kinds: Collection[str]) -> list[TermRecord]:
    return [narrator.kind(term) if str(term) in kinds else narrator.term(term) for term in terms]


def _decided(draft: Draft) -> Iterator[Term]:
    if draft.topic is not None:
        yield Entity(draft.topic)
    yield from terms_of(condition.target for condition in draft.conditions if condition.target is not None)
