"""A loaded graph as N-Triples, in the form that the queries of `reasoning.compiling` ask.

It holds what can be asked: every fact along a relation that is offered, those that loading added included, and every
entity's types, names and aliases. Terms stand as `kgstore.sparql.rdf` says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from pyoxigraph import Literal as OxigraphLiteral
from pyoxigraph import NamedNode, RdfFormat, serialize
from pyoxigraph import Triple as OxigraphTriple

from kgstore.disk import why_not_written, written_whole
from kgstore.loading.errors import GraphLoadError
from kgstore.sparql.rdf import RDFS_LABEL, SKOS_ALT_LABEL, address, rdf_literal, type_relation
from kgstore.terms import Entity, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.store import EntityCard
    from kgstore.terms import Term

_AT_ONCE = 5_000
_EXAMPLES = 10
_NODES_KEPT = 100_000


@dataclass(slots=True)
class GraphFileReport:
    """What an exported graph holds, and what it does not."""

    facts: int = 0
    types: int = 0
    """Triples that say the type of an entity."""
    names: int = 0
    """Triples that name an entity, aliases included."""
    entities: int = 0
    relations_left_out: int = 0
    """Relations that are never offered, with all their facts."""
    refused: int = 0
    """Triples with a term that no RDF can hold."""
    refused_examples: list[str] = field(default_factory=list)


class _GraphTriples:
    """The triples of a store, one after another; counts them."""

    def __init__(self, store: ExplorableStore, progress: Callable[[float], None]) -> None:
        self.report = GraphFileReport()
        self._store = store
        self._progress = progress
        self._size = max(store.info().triples, 1)

    def __iter__(self) -> Iterator[OxigraphTriple]:
        predicates = [relation.predicate for relation in self._store.offered() if not relation.is_reverse]
        self.report.relations_left_out = self._store.info().predicates - len(predicates)
        yield from self._naming()
        for predicate in predicates:
            cursor: str | None = None
            while True:
                page = self._store.facts_of(predicate, _AT_ONCE, cursor)
                for triple in page.triples:
                    if (written := self._written(triple.subject.mid, triple.predicate, triple.object)) is not None:
                        self.report.facts += 1
                        yield written
                self._progress(min(self._written_so_far() / self._size, 1.0))
                if (cursor := page.next) is None:
                    break

    def _naming(self) -> Iterator[OxigraphTriple]:
        """What says the types and the names of entities."""
        while cards := self._store.best_known(_AT_ONCE, self.report.entities):
            self.report.entities += len(cards)
            for card in cards:
                for kind in card.types:
                    if (triple := self._written(card.entity.mid, type_relation(kind), Entity(kind))) is not None:
                        self.report.types += 1
                        yield triple
                for relation, name in _names(card):
                    if (triple := self._written(card.entity.mid, relation, Text(name))) is not None:
                        self.report.names += 1
                        yield triple
            self._progress(min(self._written_so_far() / self._size, 1.0))

    def _written_so_far(self) -> int:
        return self.report.facts + self.report.types + self.report.names

    def _written(self, subject: str, predicate: str, target: Term) -> OxigraphTriple | None:
        try:
            return OxigraphTriple(_node(subject), _node(predicate), _object(target))
        except ValueError as error:
            self.report.refused += 1
            if len(self.report.refused_examples) < _EXAMPLES:
                self.report.refused_examples.append(f"{subject} {predicate} {target}: {error}")
            return None


def write_ntriples(
    store: ExplorableStore, path: Path, progress: Callable[[float], None] = lambda _: None
) -> GraphFileReport:
    """Write a graph as N-Triples, gzipped where the name ends in .gz; nothing is left where it fails.

    ``progress`` is called with the finished share, 0 to 1. Memory holds some thousand facts at a time.

    Raises:
        GraphLoadError: the file cannot be written.
        GraphStoreError: the graph cannot be read.

    """
    triples = _GraphTriples(store, progress)
    try:
        with written_whole(path) as file:
            serialize(iter(triples), file, RdfFormat.N_TRIPLES)
    except OSError as error:
        raise GraphLoadError(f"{path} cannot be written: {why_not_written(error)}") from error
    return triples.report


@lru_cache(_NODES_KEPT)
def _node(name: str) -> NamedNode:
    return NamedNode(address(name))


def _names(card: EntityCard) -> Iterator[tuple[str, str]]:
    if card.name is not None:
        yield RDFS_LABEL, card.name
    for alias in card.aliases:
        yield SKOS_ALT_LABEL, alias


def _object(term: Term) -> NamedNode | OxigraphLiteral:
    if isinstance(term, Entity):
        return _node(term.mid)
    text, language, datatype = rdf_literal(term)
    if language:
        return OxigraphLiteral(text, language=language)
    return OxigraphLiteral(text, datatype=NamedNode(datatype)) if datatype else OxigraphLiteral(text)
