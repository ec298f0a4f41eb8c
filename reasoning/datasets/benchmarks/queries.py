"""Gold queries as derivations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.core.boundary import UnforeseenError, one_question
from reasoning.datasets.question import NO_QUERY, GoldParse
from reasoning.gold.decomposition import decompose, decompose_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgstore.sparql.query_graph import QueryGraph
    from kgstore.terms import Entity, Term
    from reasoning.gold.decomposition import Decomposition


def parse_of(query: str, topic: Entity | None, answers: frozenset[Term]) -> GoldParse:
    """A reading whose way to the answer is a SPARQL query; where no topic is named, the derivation's own serves."""
    if not query.strip():
        return GoldParse(topic, answers, None, NO_QUERY)
    return _parse(lambda: decompose(query, topic), topic, answers)


def parse_of_graph(query: QueryGraph, topic: Entity | None, answers: frozenset[Term]) -> GoldParse:
    """A reading whose way to the answer is a query graph; see `parse_of`."""
    return _parse(lambda: decompose_graph(query, topic), topic, answers)


def _parse(decomposed: Callable[[], Decomposition], topic: Entity | None, answers: frozenset[Term]) -> GoldParse:
    try:
        with one_question("with a gold query"):
            gold = decomposed()
    except UnforeseenError as error:
        # The query tells nothing then, and the question can be asked all the same.
        return GoldParse(topic, answers, None, str(error))
    if topic is None and gold.derivation is not None:
        topic = gold.derivation.topic
    return GoldParse(topic, answers, gold.derivation, gold.problem)
