"""S_k and G_k: what grows where, and what it is called."""

from __future__ import annotations

import pytest
from hypothesis import given

from kgstore.terms import Date, Entity, Number, Relation, TermKind, Triple
from reasoning.core.structure import ROOT, AbstractStructure, Fact, InstanceGraph, SemanticNode
from tests.reasoning.trees import graphs

ACTOR, FILM = Relation("film.actor.film"), Relation.parse("^film.film.starring")
TOPIC = Entity("en.topic")


def test_nodes_are_named_by_what_they_hold_and_where_they_stand() -> None:
    structure = AbstractStructure.rooted("Knight Rider")
    assert structure.nodes == (SemanticNode(0, TermKind.ENTITY, "Knight Rider", None, None),)
    for parent, kind in enumerate((TermKind.MEDIATOR, TermKind.ENTITY, TermKind.NUMBER, TermKind.DATE, TermKind.TEXT)):
        structure = structure.grow(parent, ACTOR if parent else FILM, kind)
    assert [node.name for node in structure.nodes] == [
        "Knight Rider",
        "topic_1",
        "entity_2",
        "num_3",
        "date_4",
        "text_5",
    ]
    assert structure.nodes[1] == SemanticNode(1, TermKind.MEDIATOR, "topic_1", 0, FILM)
    assert structure.nodes[2] == SemanticNode(2, TermKind.ENTITY, "entity_2", 1, ACTOR)


@pytest.mark.slow
@given(graphs())
def test_a_structure_is_a_tree_in_the_order_of_its_steps(tree: tuple[AbstractStructure, InstanceGraph]) -> None:
    structure, _ = tree
    assert [node.position for node in structure.nodes] == list(range(structure.step + 1))
    for node in structure.nodes:
        path = structure.path(node.position)
        assert path[0] is structure.nodes[ROOT]
        assert path[-1] is node
        assert [below.parent for below in path] == [None, *(above.position for above in path[:-1])]
        grown_from_it = [other for other in structure.nodes if structure.path(other.position)[-2:-1] == (node,)]
        assert list(structure.children(node.position)) == grown_from_it


def test_facts_are_counted_and_lie_under_the_step_that_found_them() -> None:
    graph = InstanceGraph.rooted(TOPIC)
    assert (graph.members, graph.facts) == ((frozenset({TOPIC}),), ())
    films = [
        Triple(Entity("en.film_a"), "film.film.starring", TOPIC),
        Triple(Entity("en.film_b"), "film.film.starring", TOPIC),
    ]
    dates = [Triple(Entity("en.film_a"), "r", Date("2011")), Triple(Entity("en.film_b"), "r", Number(2))]
    grown = graph.grow(FILM, films).grow(Relation("r"), dates)
    assert graph.members == (frozenset({TOPIC}),), "a graph never changes"
    assert grown.members == (
        frozenset({TOPIC}),
        frozenset({Entity("en.film_a"), Entity("en.film_b")}),
        frozenset({Date("2011"), Number(2)}),
    )
    # Followed backwards, a fact goes from its object to its subject.
    first = (Fact(0, 1, films[0], TOPIC, Entity("en.film_a")), Fact(1, 1, films[1], TOPIC, Entity("en.film_b")))
    second = (
        Fact(2, 2, dates[0], Entity("en.film_a"), Date("2011")),
        Fact(3, 2, dates[1], Entity("en.film_b"), Number(2)),
    )
    assert grown.facts == first + second
    assert [grown.facts_at(position) for position in range(4)] == [(), first, second, ()]


def test_a_step_that_finds_nothing_has_a_place_all_the_same() -> None:
    graph = InstanceGraph.rooted(TOPIC).grow(ACTOR, [])
    assert graph.members[1] == frozenset()
    assert graph.facts_at(1) == ()
