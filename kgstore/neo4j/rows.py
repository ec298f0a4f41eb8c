"""The properties of a graph's nodes in Neo4j, for the online loader and for the import files."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kgstore.commonest import commonest_to_json
from kgstore.exploring.graph_schema import schema_to_json
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.reading import names_of
from kgstore.neo4j.format import (
    FORMAT_VERSION,
    HUB_PART,
    HUB_TRIPLES,
    MAX_MID_LENGTH,
    MAX_PREDICATES,
    keys,
    place,
    type_code,
)
from kgstore.store_parts.relation_codes import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.loading.arrange import ArrangedGraph
    from kgstore.loading.edges import Ids
    from kgstore.loading.reading import ReadGraph

_NODES_AT_ONCE = 10_000


def check_graph(graph: ArrangedGraph) -> None:
    """See that Neo4j can hold a graph.

    Raises:
        GraphLoadError: an id is too long for its index, or there are too many predicates.

    """
    longest = max((node.mid for node in graph.nodes), key=len)
    if len(longest.encode()) > MAX_MID_LENGTH:
        raise GraphLoadError(
            f"The id that begins {longest[:80]!r} is longer than the {MAX_MID_LENGTH:,} bytes that Neo4j can look up. "
            "Shorten it, or leave its triples out."
        )
    if len(graph.predicates) > MAX_PREDICATES:
        raise GraphLoadError(
            f"The graph has {len(graph.predicates):,} predicates, and Neo4j Community holds {MAX_PREDICATES:,} "
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
        "named": info.named,
        "commonest": commonest_to_json(info.commonest),
        "schema": schema_to_json(read.schema),
        "types": json.dumps({name: len(entities) for name, entities in read.graph.instances.items()}),
    }


def predicate_rows(graph: ArrangedGraph, number: int) -> Iterator[dict[str, Any]]:
    """The properties of the predicates, in the order of their numbers."""
    counts = graph.edges.counts(len(graph.predicates))
    for place_, (predicate, triples) in enumerate(zip(graph.predicates, counts, strict=True)):
        yield {
            "graph": number,
            "number": place_,
            "name": predicate.name,
            "offered": predicate.is_offered,
            "reverse": predicate.reverse,
            "subject_kind": str(predicate.subject_kind),
            "object_kind": str(predicate.object_kind),
            "triples": triples,
            "label": predicate.label,
        }


def entity_rows(graph: ArrangedGraph, number: int, start: int = 0) -> Iterator[dict[str, Any]]:
    """The properties of the entities, the best known first, from one of them on."""
    for at in range(start, len(graph.nodes), _NODES_AT_ONCE):
        columns = entity_columns(graph, number, at, at + _NODES_AT_ONCE)
        for values in zip(*columns.values(), strict=True):
            yield dict(zip(columns, values, strict=True))


def entity_columns(graph: ArrangedGraph, number: int, start: int, end: int) -> dict[str, Sequence[Any]]:
    """The same of some entities, by property: a list has the property of each. Making these takes half the time."""
    nodes = graph.nodes[start:end]
    first = place(number, start + 1)
    names = list(map(names_of, nodes))
    folded = [list(each) or None for each in names]
    mid, name, _, types, is_mediator, popularity, relations = zip(*nodes, strict=True)
    return {
        "graph": [number] * len(nodes),
        "place": range(first, first + len(nodes)),
        "mid": mid,
        "name": name,
        "names": [list(each.values()) or None for each in names],
        "folded": folded,
        "keys": [keys(number, own, each) if each else None for own, each in enumerate(folded, start=start + 1)],
        "types": list(map(list, types)),
        "mediator": is_mediator,
        "popularity": popularity,
        "relations": relations,
    }


def hub_rows(graph: ArrangedGraph, number: int) -> list[dict[str, Any]]:
    """The properties of the parts of hubs, hub by hub and each in order; ``numbers`` are arrays of integers.

    The subjects of every predicate and the instances of every type come first: they are what the whole graph, as its
    term 0, leads to.
    """
    edges = graph.edges
    rows = [
        row
        for predicate, subjects in edges.sources()
        for row in _parts(number, place(number, 0), 2 * predicate, subjects)
    ]
    for own, entities in enumerate(graph.instances.values()):
        rows += _parts(number, place(number, 0), type_code(len(graph.predicates), own), np.array(entities))
    for backwards, hubs in enumerate(_hubs(graph)):
        if not hubs:
            continue
        owner, reached = (edges.object, edges.subject) if backwards else (edges.subject, edges.object)
        pairs = owner * len(graph.predicates) + edges.predicate
        of_hubs = np.isin(pairs, np.array(list(hubs)))
        pairs, reached = pairs[of_hubs], reached[of_hubs]
        order = np.lexsort((reached, pairs))
        pairs, reached = pairs[order], reached[order]
        bounds = np.append(np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])), len(pairs)).tolist()
        for start, end in pairwise(bounds):
            entity, predicate = divmod(int(pairs[start]), len(graph.predicates))
            rows += _parts(number, place(number, entity), 2 * predicate + backwards, reached[start:end])
    return rows


def _parts(graph: int, entity: int, code: int, numbers: Ids) -> Iterator[dict[str, Any]]:
    for at in range(0, len(numbers), HUB_PART):
        some = numbers[at : at + HUB_PART]
        yield {"graph": graph, "entity": entity, "code": code, "last": int(some[-1]), "numbers": some}


def _hubs(graph: ArrangedGraph) -> tuple[set[int], set[int]]:
    """The pairs (entity, predicate) with many triples, each as one number: followed forwards, and backwards."""
    hubs: tuple[set[int], set[int]] = set(), set()
    for entity, node in enumerate(graph.nodes, start=1):
        if node.popularity > HUB_TRIPLES:
            for code, triples in unpack(node.relations).tolist():
                if triples > HUB_TRIPLES:
                    hubs[code % 2].add(entity * len(graph.predicates) + code // 2)
    return hubs
