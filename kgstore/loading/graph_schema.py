"""Counts the kinds and relations of a graph that is being loaded; see `kgstore.exploring.graph_schema`."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from kgstore.exploring.graph_schema import GraphSchema, KindCount, RelationUse
from kgstore.terms import Entity, TermKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from kgstore.freebase.knowledge import FreebaseKnowledge
    from kgstore.loading.arrange import ArrangedGraph, Node

KINDS_KEPT = 1_000
RELATIONS_KEPT = 2_000
_EXAMPLES = 3
_EDGES_AT_ONCE = 1_000_000


def graph_schema(graph: ArrangedGraph, knowledge: FreebaseKnowledge) -> GraphSchema:
    """The types with most entities and the relations with most triples, up to the maxima that are kept."""
    counts = Counter(name for node in graph.nodes for name in node.types)
    by_count = sorted(counts, key=lambda name: (-counts[name], name))[:KINDS_KEPT]
    examples = _examples(graph.nodes, frozenset(by_count))
    triples = graph.edges.counts(len(graph.predicates))
    offered = [number for number, predicate in enumerate(graph.predicates) if predicate.is_offered]
    offered.sort(key=lambda number: -triples[number])
    subject_kinds, object_kinds = _usual_kinds(graph)

    def known(name: str | None, usual: str | None) -> str | None:
        return name if name in counts else usual

    def use(number: int) -> RelationUse:
        predicate = graph.predicates[number]
        name, leads_to = predicate.name, predicate.object_kind
        of_object = known(knowledge.object_type(name), object_kinds[number])
        is_entity = leads_to in (TermKind.ENTITY, TermKind.MEDIATOR)
        subject_kind = known(knowledge.subject_type(name), subject_kinds[number])
        return RelationUse(name, triples[number], subject_kind, of_object if is_entity else None, leads_to)

    return GraphSchema(
        kinds=tuple(KindCount(name, counts[name], examples[name]) for name in by_count),
        kinds_total=len(counts),
        relations=tuple(map(use, offered[:RELATIONS_KEPT])),
        relations_total=len(offered),
        kinds_unknown=sum(not node.types for node in graph.nodes),
    )


def _examples(nodes: Sequence[Node], wanted: frozenset[str]) -> dict[str, tuple[Entity, ...]]:
    """The first entities of each kind: entities are sorted, the best known first."""
    named: defaultdict[str, list[Entity]] = defaultdict(list)
    others: defaultdict[str, list[Entity]] = defaultdict(list)
    for node in nodes:
        found = others if node.name is None or node.is_mediator else named
        for name in node.types:
            if len(found[name]) < _EXAMPLES and name in wanted:
                found[name].append(Entity(node.mid))
    return {name: tuple([*named[name], *others[name]][:_EXAMPLES]) for name in wanted}


def _usual_kinds(graph: ArrangedGraph) -> tuple[list[str | None], list[str | None]]:
    """For every predicate the first kind that most of its triples have at either end; None where none has one."""
    numbers: dict[str, int] = {}
    # By the id of a term, which counts from 1; 0 is no kind. Literals have none.
    kinds = np.zeros(len(graph.nodes) + len(graph.literals) + 1, np.int64)
    kinds[1 : len(graph.nodes) + 1] = [
        numbers.setdefault(node.types[0], len(numbers) + 1) if node.types else 0 for node in graph.nodes
    ]
    names = [None, *numbers]
    subjects, objects = (_commonest(graph, kinds[end]) for end in (graph.edges.subject, graph.edges.object))
    return [names[kind] for kind in subjects], [names[kind] for kind in objects]


def _commonest(graph: ArrangedGraph, kind: npt.NDArray[np.int64]) -> list[int]:
    """For every predicate the kind, other than 0, that most of its triples have; 0 where none has one."""
    counts: Counter[int] = Counter()
    width = int(kind.max(initial=0)) + 1
    for start in range(0, len(kind), _EDGES_AT_ONCE):
        part = slice(start, start + _EDGES_AT_ONCE)
        keys, found = np.unique(graph.edges.predicate[part] * width + kind[part], return_counts=True)
        counts.update(dict(zip(keys.tolist(), found.tolist(), strict=True)))
    best: dict[int, tuple[int, int]] = {}
    for key, count in counts.items():
        predicate, number = divmod(key, width)
        if number:
            # Of as many, the one whose first entity is the better known.
            best[predicate] = max(best.get(predicate, (0, 0)), (count, -number))
    return [-best.get(number, (0, 0))[1] for number in range(len(graph.predicates))]
