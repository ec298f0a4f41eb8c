"""Kinds that a question asks for and its gold query leaves out.

*Which countries border the US?* The gold query follows a relation that the whole of Freebase keeps between countries. A
part of it, or one with other facts, has states there too. Where answers fit better with the kind that the words ask
for, a lesson takes it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kgstore.terms import Entity, TermKind
from reasoning.core.derivation import Operator
from reasoning.core.structure import AbstractStructure
from reasoning.gold.fitting import answer_f1, replay
from reasoning.question.kinds import kinds_offered, words_for_kind
from reasoning.question.linking import link

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kgstore.store import EntityCard, GraphStore
    from kgstore.terms import Term
    from reasoning.core.derivation import Constraint, Derivation


def with_asked_kind(question: str, derivation: Derivation, answers: frozenset[Term], store: GraphStore) -> Derivation:
    """The derivation with the kind that the question asks for, where no right answer is lost and a wrong one is.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    found = replay(derivation, store)
    wrong = found - answers
    if derivation.counted or not wrong or any(c.operator is Operator.KIND for c in derivation.constraints):
        return derivation
    best, best_f1 = derivation, answer_f1(found, answers)
    for kind in _asked(question, derivation, found, store):
        narrowed = replace(derivation, constraints=(*derivation.constraints, kind))
        kept = replay(narrowed, store)
        if kept & answers == found & answers and answer_f1(kept, answers) > best_f1:
            best, best_f1 = narrowed, answer_f1(kept, answers)
    return best


def _asked(question: str, derivation: Derivation, found: frozenset[Term], store: GraphStore) -> Iterator[Constraint]:
    """The kinds of what was found that the question asks for."""
    structure = AbstractStructure.rooted("")
    for step in derivation.steps:
        structure = structure.grow(step.position, step.relation, TermKind.ENTITY)
    members = [found if node.position == derivation.answer_position else frozenset() for node in structure.nodes]
    names = link(question, store, derivation.topic).names

    def cards(terms: Iterable[Term]) -> Mapping[Entity, EntityCard]:
        return store.cards([term for term in terms if isinstance(term, Entity)])

    for kind in kinds_offered(question, names, structure, members, cards):
        said = None if kind.target is None else words_for_kind(question, names, kind.target)
        if said is not None and said.is_asked_for:
            yield kind
