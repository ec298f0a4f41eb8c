"""What is compared of answers: ids, or names where a benchmark knows its answers by name alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.terms import Date, Entity, Number, Term, Text

if TYPE_CHECKING:
    from collections.abc import Collection

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion

_YEAR = re.compile(r"-?\d+")


def answers_of(question: BenchmarkQuestion) -> frozenset[Term]:
    """The gold answers of all readings of a question."""
    return frozenset[Term]().union(*(parse.answers for parse in question.parses))


def asks_for_number(question: BenchmarkQuestion) -> bool:
    """Whether a gold answer is one number, so that the number of counted answers is compared with it."""
    return any(
        len(parse.answers) == 1 and all(isinstance(compared_term(term), Number) for term in parse.answers)
        for parse in question.parses
    )


def knows_names_alone(question: BenchmarkQuestion) -> bool:
    """Whether the benchmark writes its answers as names, and not as ids that are names."""
    answers = answers_of(question)
    return question.compared_by == "name" and bool(answers) and all(isinstance(term, Text) for term in answers)


def compared_terms(terms: Collection[Term], store: GraphStore, *, by_name: bool) -> list[Term]:
    """What is compared of terms: themselves, or ``by_name`` their names in small letters.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if not by_name:
        return [compared_term(term) for term in terms]
    labels = store.labels([term for term in terms if isinstance(term, Entity)])
    return [
        Text(labels[term].casefold() if isinstance(term, Entity) else term.value.casefold())
        if isinstance(term, Entity | Text)
        else compared_term(term)
        for term in terms
    ]


def bearers(answers: Collection[Term], store: GraphStore) -> list[Entity]:
    """The entities of a graph that gold answers written as names may mean, best known first.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    found = store.named([term.value for term in answers if isinstance(term, Text)])
    return list(dict.fromkeys(match.card.entity for matches in found.values() for match in matches))


def compared_term(term: Term) -> Term:
    """A term as it is compared, gold or predicted.

    Of texts the words count alone, because benchmarks do not say in which language they are. A year and an integer of
    the same digits are equal: ``1523`` may be a year or a count, and neither benchmarks nor systems write which.
    """
    if isinstance(term, Text):
        return Text(term.value)
    if isinstance(term, Date) and _YEAR.fullmatch(term.value):
        return Number(float(term.value))
    return term
