"""Gold answers from a gold query: where a benchmark does not say all answers, its query is asked of the graph.

A question judged so cannot tell that the graph lacks an answer: what the query gives on this graph counts as all. Where
the query's derivation leaves out a part (see `reasoning.gold.decomposition.Note`), so do these answers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reasoning.datasets.question import ANSWERS, FROM_GRAPH, ONE_OF_SEVERAL, UNKNOWN
from reasoning.gold.fitting import read_on, replay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
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


def _answered(question: BenchmarkQuestion, store: GraphStore) -> Iterator[GoldParse]:
    for parse in question.parses:
        read = None if parse.derivation is None else read_on(store, parse.derivation)
        if read is None:
            continue
        answers = replay(read, store, topic_may_answer=question.topic_may_answer)
        if answers and answers != {read.topic}:
            yield replace(parse, answers=answers)
