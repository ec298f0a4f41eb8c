"""What a graph lacks of a question's gold answers, or of the way to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.terms import Entity
from reasoning.core.compared import as_compared, compared_term
from reasoning.core.derivation import Derivation
from reasoning.evaluation.judging.comparison import answers_of
from reasoning.gold.fitting import read_with_answers

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.derivation import SearchStep
    from reasoning.datasets.question import BenchmarkQuestion


@dataclass(frozen=True, slots=True)
class Missing:
    """What is not in a graph; all empty where nothing is missing that can be named."""

    entities: tuple[Entity, ...] = ()
    """Topics, gold answers and targets of conditions that the graph does not hold."""
    step: SearchStep | None = None
    """The first step of the gold derivation that leads nowhere."""
    answers: tuple[Term, ...] = ()
    """The gold answers that the gold derivation does not lead to, though it leads somewhere."""


def missing(question: BenchmarkQuestion, store: GraphStore) -> Missing:
    """What the graph lacks of the first reading that has a derivation, or of the answers where none has.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    parse = next((each for each in question.parses if each.derivation is not None), None)
    named = {term for term in answers_of(question) if isinstance(term, Entity)}
    if parse is None or parse.derivation is None:
        return Missing(_absent(named, store))
    gold = parse.derivation
    named = {term for term in parse.answers if isinstance(term, Entity)}
    named |= {gold.topic, *(each.target for each in gold.constraints if isinstance(each.target, Entity))}
    absent = _absent(named, store)
    whole = read_with_answers(store, gold, topic_may_answer=question.topic_may_answer)
    if whole is None:
        return Missing(absent, _first_missing(gold, store))
    given = as_compared(whole[1])
    lacks = (answer for answer in parse.answers if compared_term(answer) not in given)
    return Missing(absent, None, tuple(sorted(lacks, key=str)))


def _first_missing(gold: Derivation, store: GraphStore) -> SearchStep | None:
    """The step after the longest beginning of a derivation that the graph holds; it may hold two steps as one."""
    for count in range(len(gold.steps) - 1, 0, -1):
        if read_with_answers(store, Derivation(gold.topic, gold.steps[:count], (), count), topic_may_answer=True):
            return gold.steps[count]
    return gold.steps[0] if gold.steps else None


def _absent(named: set[Entity], store: GraphStore) -> tuple[Entity, ...]:
    return tuple(sorted(named - store.cards(named).keys(), key=str)) if named else ()
