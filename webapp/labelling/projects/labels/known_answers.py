"""Known answers: those that a dataset says and a graph gives, and how right the answers of a label are."""

from __future__ import annotations

from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING, TypedDict

from kgstore.terms import Entity, parse_term
from reasoning.datasets import discern
from reasoning.datasets.question import ANSWERS, ONE_OF_SEVERAL, UNKNOWN
from reasoning.evaluation.judging.comparison import compared_terms, knows_names_alone
from reasoning.evaluation.judging.gold_from_graph import with_answers_from
from reasoning.evaluation.reporting.intervals import interval
from reasoning.gold.fitting import answer_f1, read_with_answers, replay
from webapp.labelling.projects.draft import Draft, decided_of, terms_of
from webapp.labelling.projects.labels.checks import reading_as_draft
from webapp.labelling.projects.labels.preview import project_graph
from webapp.labelling.projects.schemas import MeasuredOut

if TYPE_CHECKING:
    from collections.abc import Collection

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation
    from reasoning.datasets.question import BenchmarkQuestion, GoldParse
    from webapp.labelling.projects.models import Assignment


class Known(TypedDict):
    """What is kept of known answers."""

    answers: list[list[str]]
    """The answers of each accepted reading; none where the question cannot be answered."""


def known_answers(question: BenchmarkQuestion, of_format: str, store: GraphStore) -> Known | None:
    """The answers of a question where they are known on a graph beyond doubt; None where they are not.

    They are where every reading of the benchmark leads, over this graph, to exactly those of its answers that the graph
    holds. Without a way to the answers, the graph must hold all of them.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if of_format == discern.FORMAT.name and discern.says_unanswerable(question):
        return Known(answers=[])
    question = with_answers_from(store, question)
    if question.labels.get(ANSWERS) in (UNKNOWN, ONE_OF_SEVERAL):
        return None
    readings = [_held(parse, question, store) for parse in question.parses if parse.answers]
    if not readings or not all(readings):
        return None
    return Known(answers=[sorted(map(str, answers)) for answers in readings])


def _held(parse: GoldParse, question: BenchmarkQuestion, store: GraphStore) -> Collection[Term]:
    """The answers of a reading; none where they are in doubt."""
    by_name = knows_names_alone(question)
    entities = [term for term in parse.answers if isinstance(term, Entity)]
    held = store.cards(entities).keys()
    if parse.derivation is None:
        return parse.answers if not by_name and len(held) == len(parse.answers) else ()
    read = read_with_answers(store, parse.derivation, topic_may_answer=question.topic_may_answer)
    if read is None:
        return ()
    _, given = read
    gold = parse.answers if by_name else {*held, *(term for term in parse.answers if not isinstance(term, Entity))}
    same = set(compared_terms(given, store, by_name=by_name)) == set(compared_terms(gold, store, by_name=by_name))
    return given if same else ()


def rightness(draft: Draft, known: Known, question: BenchmarkQuestion, store: GraphStore) -> float:
    """How right the answers of a label are, from 0 to 1: their F1 against the accepted reading that they fit best.

    A label without answers is right where the question cannot be answered and it says so, else wrong. Of an ambiguous
    question it is the mean of the readings that were put aside.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if not known["answers"] or draft.kind == "unanswerable":
        return float(not known["answers"] and draft.kind == "unanswerable")
    accepted = [frozenset(parse_term(each) for each in answers) for answers in known["answers"]]
    said = said_answers(draft, question, store)
    return fmean(max(answer_f1(each, gold) for gold in accepted) for each in said) if said else 0.0


def said_answers(draft: Draft, question: BenchmarkQuestion, store: GraphStore) -> list[Collection[Term]]:
    """The answers that a label says, those of each reading of an ambiguous question; none for kinds that say none.

    Raises:
        GraphStoreError: the graph cannot be read.

    """

    def led_to(derivation: Derivation) -> Collection[Term]:
        return replay(derivation, store, topic_may_answer=question.topic_may_answer)

    if draft.kind == "ambiguous":
        return [
            led_to(derivation)
            for reading in draft.readings
            if (derivation := decided_of(reading_as_draft(reading)).derivation) is not None
        ]
    derivation = decided_of(draft).derivation
    if draft.kind == "derivation" and derivation is not None:
        return [led_to(derivation)]
    return [terms_of(draft.marked)] if draft.kind in ("answers", "facts") else []


def label_answers(assignment: Assignment) -> list[str]:
    """The terms that a label gives as answers, sorted; none where its kind gives none.

    Raises:
        ProductError: the graph is not what it was.

    """
    question = assignment.task.question.to_benchmark()
    with project_graph(assignment.project) as store:
        return answers_given(Draft.model_validate(assignment.draft), question, store)


def answers_given(draft: Draft, question: BenchmarkQuestion, store: GraphStore) -> list[str]:
    """The terms that a draft gives as answers over a graph, sorted; none where its kind gives none.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    return sorted({str(term) for answers in said_answers(draft, question, store) for term in answers})


def score_of(assignment: Assignment) -> float | None:
    """How right a label is that is handed in; None where its answers are not known.

    Raises:
        ProductError: the graph is not what it was.

    """
    task = assignment.task
    if task.known is None:
        return None
    with project_graph(assignment.project) as store:
        question = task.question.to_benchmark()
        return rightness(Draft.model_validate(assignment.draft), task.known, question, store)


def measured(scores: Collection[float]) -> MeasuredOut:
    """Rightness in figures; there is at least one score."""
    mean, low, high = _mean(tuple(sorted(scores)))
    return MeasuredOut(done=len(scores), right=sum(score == 1 for score in scores), mean=mean, low=low, high=high)


@lru_cache(maxsize=4_096)
def _mean(scores: tuple[float, ...]) -> tuple[float, float, float]:
    """The mean and its interval: a thousand draws, which a page of many people would wait for each time."""
    return fmean(scores), *interval(scores)
