"""What is compared of answers: ids, or names where a benchmark knows its answers by name alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.names import fold_name
from kgstore.terms import Entity, Number, Term, Text
from reasoning.core.compared import compared_term
from reasoning.datasets.benchmarks.values import YES_OR_NO

if TYPE_CHECKING:
    from collections.abc import Collection

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion


def answers_of(question: BenchmarkQuestion) -> frozenset[Term]:
    """The gold answers of all readings of a question."""
    return frozenset[Term]().union(*(parse.answers for parse in question.parses))


def asks_for_number(question: BenchmarkQuestion) -> bool:
    """Whether a gold answer is one number, so that the number of counted answers is compared with it."""
    return any(
        len(parse.answers) == 1 and all(isinstance(compared_term(term), Number) for term in parse.answers)
        for parse in question.parses
    )


def asks_yes_or_no(question: BenchmarkQuestion) -> bool:
    """Whether a gold answer is yes or no, so that whether a claim holds is compared with it."""
    return any(len(parse.answers) == 1 and parse.answers <= {*YES_OR_NO.values()} for parse in question.parses)


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
        compared_term(Text(labels[term].casefold() if isinstance(term, Entity) else term.value.casefold()))
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


def is_alias(answer: Term, question: BenchmarkQuestion, store: GraphStore) -> bool:
    """Whether an answer that is not compared as equal to a gold answer is one by another name.

    Names are compared folded (`fold_name`), and those of an entity are all that the graph gives it. Where a benchmark
    has ids, two entities with different ids are two things, whatever they are called.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    golds = answers_of(question)
    entities = [term for term in (answer, *golds) if isinstance(term, Entity)]
    cards, labels = store.cards(entities), store.labels(entities)

    def names(term: Term) -> set[str]:
        match term:
            case Entity():
                card = cards.get(term)
                return set(map(fold_name, (labels[term], *(() if card is None else card.aliases))))
            case Text(value=value):
                return {fold_name(value)}
            case _:
                return set()

    own = names(answer)
    by_name = question.compared_by == "name"
    return any(
        own & names(gold) for gold in golds if by_name or not (isinstance(answer, Entity) and isinstance(gold, Entity))
    )
