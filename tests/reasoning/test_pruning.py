"""Pruning against its definition: a term stays exactly if some assignment of terms to positions holds it."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from kgstore.terms import Entity, Number, Relation, Term, TermKind, Triple
from reasoning.derivation import Constraint, Operator
from reasoning.pruning import meets, prune
from reasoning.structure import AbstractStructure, InstanceGraph

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


def _stays(
    structure: AbstractStructure, graph: InstanceGraph, constraints: list[Constraint], position: int, term: Term
) -> bool:
    """By enumeration of every assignment to the positions that matter."""
    wanted = sorted(
        {n.position for c in constraints for n in structure.path(c.position)}
        | {n.position for n in structure.path(position)}
    )
    edges = {(fact.position, fact.source, fact.target) for fact in graph.facts}
    for terms in product(*(sorted(graph.members[p], key=str) for p in wanted)):
        chosen = dict(zip(wanted, terms, strict=True))
        if chosen[position] != term:
            continue
        holds = all(
            (node.position, chosen[node.parent], chosen[node.position]) in edges
            for node in structure.nodes
            if node.position in chosen and node.parent is not None
        )
        if holds and all(meets(chosen[c.position], c.operator, c.target) for c in constraints if c.target is not None):
            return True
    return False


@given(graphs(), st.data())
def test_the_semi_join_keeps_exactly_the_terms_of_some_solution(
    grown: tuple[AbstractStructure, InstanceGraph], data: st.DataObject
) -> None:
    structure, graph = grown
    numeric = [node.position for node in structure.nodes if node.kind is TermKind.NUMBER]
    constraints = data.draw(
        st.lists(
            st.builds(
                Constraint, st.sampled_from(numeric), st.sampled_from(COMPARISONS), st.integers(0, 2).map(Number)
            ),
            max_size=2,
        )
    )
    pruning = prune(structure, graph, constraints)
    for position, members in enumerate(graph.members):
        expected = {term for term in members if _stays(structure, graph, constraints, position, term)}
        assert pruning.members[position] == expected
    for fact in graph.facts:
        parent = structure.nodes[fact.position].parent
        assert parent is not None
        stays = fact.source in pruning.members[parent] and fact.target in pruning.members[fact.position]
        assert stays == (fact.id not in pruning.removed)
