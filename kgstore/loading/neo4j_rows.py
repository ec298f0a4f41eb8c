"""What the nodes of a graph hold in Neo4j; the online loader and the files for the import are written from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.reading import names_of
from kgstore.neo4j_format import FORMAT_VERSION, LONGEST_MID, MOST_PREDICATES, keys, place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.loading.arrange import ArrangedGraph
    from kgstore.loading.reading import ReadGraph


def check_graph(graph: ArrangedGraph) -> None:
    """See that Neo4j can hold a graph.

    Raises:
        GraphLoadError: an id is too long for its index, or there are too many predicates.

    """
    longest = max((node.mid for node in graph.nodes), key=len)
    if len(longest.encode()) > LONGEST_MID:
        raise GraphLoadError(
            f"The id that begins {longest[:80]!r} is longer than the {LONGEST_MID:,} bytes that Neo4j can look up. "
            "Shorten it, or leave its triples out."
        )
    if len(graph.predicates) > MOST_PREDICATES:
        raise GraphLoadError(
            f"The graph has {len(graph.predicates):,} predicates, and Neo4j Community holds {MOST_PREDICATES:,} "
            "relationship types. Leave some out."
        )


def about_row(read: ReadGraph, number: int) -> dict[str, Any]:
    """The properties of the node that says what a graph is, but for its state."""
    info = read.info
    return {
        "graph": number,
        "format": FORMAT_VERSION,
        "name": info.name,
        "title": info.title,
        "version": info.version,
        "source": info.source,
        "filters": list(info.filters),
        "loaded_at": info.loaded_at,
        "entities": info.entities,
        "triples": info.triples,
        "predicates": info.predicates,
    }


def predicate_rows(graph: ArrangedGraph, number: int) -> Iterator[dict[str, Any]]:
    """The properties of the predicates, in the order of their numbers."""
    for place_, predicate in enumerate(graph.predicates):
        yield {
            "graph": number,
            "number": place_,
            "name": predicate.name,
            "offered": predicate.is_offered,
            "reverse": predicate.reverse,
            "subject_kind": str(predicate.subject_kind),
            "object_kind": str(predicate.object_kind),
        }


def entity_rows(graph: ArrangedGraph, number: int, start: int = 0) -> Iterator[dict[str, Any]]:
    """The properties of the entities, the best known first, from one of them on."""
    for own, node in enumerate(graph.nodes[start:], start=start + 1):
        names = names_of(node)
        folded = list(names)
        yield {
            "graph": number,
            "place": place(number, own),
            "mid": node.mid,
            "name": node.name,
            "names": list(names.values()) or None,
            "folded": folded or None,
            "keys": keys(number, own, folded) if folded else None,
            "types": list(node.types),
            "mediator": node.is_mediator,
            "popularity": node.popularity,
            "relations": node.relations,
        }
