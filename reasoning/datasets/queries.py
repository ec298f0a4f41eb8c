"""Gold queries as derivations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.datasets.question import GoldParse

if TYPE_CHECKING:
    from kgstore.terms import Entity, Term

NO_QUERY = "no SPARQL"


def parse_of(query: str, topic: Entity | None, answers: frozenset[Term]) -> GoldParse:
    """A reading whose way to the answer is a SPARQL query; where no topic is named, the query's own may serve."""
    return GoldParse(topic, answers, None, NO_QUERY if not query.strip() else "SPARQL is not decomposed")
