"""Small random trees S_k with their graphs G_k, small enough that every assignment can be tried."""

from __future__ import annotations

from hypothesis import strategies as st

from kgstore.terms import Entity, Number, Relation, Term, TermKind, Triple
from reasoning.core.derivation import Constraint, Operator
from reasoning.core.structure import AbstractStructure, InstanceGraph

RELATION = Relation("made.up.relation")
COMPARISONS = [Operator.EQUAL, Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[AbstractStructure, InstanceGraph]:
    """Small trees of entities whose leaves are numbers."""
    parents = [draw(st.integers(0, i)) for i in range(draw(st.integers(1, 4)))]
    leaves = {i + 1 for i in range(len(parents))} - set(parents)
    structure, graph = AbstractStructure.rooted("root"), InstanceGraph.rooted(Entity("root"))
    for position, parent in enumerate(parents, start=1):
        sources = sorted(graph.members[parent], key=str)
        targets: list[Term] = [
            Number(i) if position in leaves else Entity(f"m.{position}_{i}") for i in range(draw(st.integers(1, 3)))
        ]
        edges = draw(st.sets(st.tuples(st.sampled_from(sources), st.sampled_from(targets)), min_size=1))
        triples = [Triple(s, RELATION.predicate, o) for s, o in sorted(edges, key=str) if isinstance(s, Entity)]
        structure = structure.grow(parent, RELATION, TermKind.NUMBER if position in leaves else TermKind.ENTITY)
        graph = graph.grow(RELATION, triples)
    return structure, graph


def constraints_on(structure: AbstractStructure) -> st.SearchStrategy[list[Constraint]]:
    """Up to two comparisons of a tree's numbers."""
    numeric = [node.position for node in structure.nodes if node.kind is TermKind.NUMBER]
    one = st.builds(Constraint, st.sampled_from(numeric), st.sampled_from(COMPARISONS), st.integers(0, 2).map(Number))
    return st.lists(one, max_size=2)
