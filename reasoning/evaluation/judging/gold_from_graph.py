"""Gold answers from a gold query: where a benchmark does not say all answers, its query is asked of the graph.

A question judged so cannot tell that the graph lacks an answer: what the query gives on this graph counts as all. Where
the query's derivation leaves out a part (see `reasoning.gold.decomposition.Note`), so do these answers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reasoning.datasets.question import ANSWERS, FROM_GRAPH, ONE_OF_SEVERAL, UNKNOWN
from reasoning.gold.fitting import read_with_answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.derivation import Derivation
    from reasoning.datasets.question import BenchmarkQuestion, GoldParse


def with_answers_from(store: GraphStore, question: BenchmarkQuestion) -> BenchmarkQuestion:
    """The question with the answers that its gold queries give on a graph, labelled so.

    It comes back as it is where the benchmark says all answers, or the graph gives none.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if question.labels.get(ANSWERS) not in (UNKNOWN, ONE_OF_SEVERAL):
        return question
    parses = tuple(_answered(question, store))
    if not parses:
        return question
    return replace(question, parses=parses, labels={**question.labels, ANSWERS: FROM_GRAPH}, compared_by="id")


def parses_read(
    question: BenchmarkQuestion, store: GraphStore
) -> Iterator[tuple[GoldParse, Derivation, frozenset[Term]]]:
    """The gold parses whose whole way a graph has, each with its derivation as read there and the answers that gives.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    for parse in question.parses:
        if parse.derivation is None:
            continue
        found = read_with_answers(store, parse.derivation, topic_may_answer=question.topic_may_answer)
        if found is not None:
            yield parse, *found


def _answered(question: BenchmarkQuestion, store: GraphStore) -> Iterator[GoldParse]:
    for parse, read, answers in parses_read(question, store):
        if answers and answers != {read.topic}:
            yield replace(parse, answers=answers)
