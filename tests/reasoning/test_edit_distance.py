"""The edit distance is exact: hand-worked cases, and brute force on random graphs."""

from __future__ import annotations

from itertools import permutations
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.evaluation.metrics.edit_distance import EMPTY, LabelledGraph, edit_distance, query_graph

CAST, ACTOR, CHARACTER = "t.cast", "t.actor", "t.character"
VOICE = Constraint(3, Operator.EQUAL, Entity("en.kitt"))


def derivation(
    *steps: tuple[int, str], constraints: tuple[Constraint, ...] = (), answer: int = 1, topic: str = "en.knight_rider"
) -> Derivation:
    search = tuple(SearchStep(at, Relation.parse(relation)) for at, relation in steps)
    return Derivation(Entity(topic), search, constraints, answer)


GOLD = derivation((0, CAST), (1, ACTOR), (1, CHARACTER), constraints=(VOICE,), answer=2)


@pytest.mark.parametrize(
    ("other", "distance"),
    [
        (GOLD, 0),
        # The same in another order.
        (
            derivation(
                (0, CAST),
                (1, CHARACTER),
                (1, ACTOR),
                constraints=(Constraint(2, Operator.EQUAL, Entity("en.kitt")),),
                answer=3,
            ),
            0,
        ),
        # No condition: one label is gone.
        (derivation((0, CAST), (1, ACTOR), (1, CHARACTER), answer=2), 1),
        # No condition and no branch for it: a node and its edge are gone.
        (derivation((0, CAST), (1, ACTOR), answer=2), 2),
        # The wrong position: the answer's label and the other's change.
        (derivation((0, CAST), (1, ACTOR), (1, CHARACTER), answer=3), 2),
        # Another topic.
        (
            derivation((0, CAST), (1, ACTOR), (1, CHARACTER), constraints=(VOICE,), answer=2, topic="en.dallas"),
            1,
        ),
        # A relation backwards.
        (derivation((0, CAST), (1, f"^{ACTOR}"), (1, CHARACTER), constraints=(VOICE,), answer=2), 1),
        # Another relation.
        (derivation((0, CAST), (1, "t.guest"), (1, CHARACTER), constraints=(VOICE,), answer=2), 1),
    ],
)
def test_what_is_wrong_is_counted(other: Derivation, distance: int) -> None:
    assert edit_distance(query_graph(GOLD), query_graph(other)) == distance
    assert edit_distance(query_graph(other), query_graph(GOLD)) == distance


def test_a_dropped_mediator_is_no_difference() -> None:
    joined = derivation((0, f"{CAST}|{ACTOR}"))
    assert edit_distance(query_graph(joined), query_graph(derivation((0, CAST), (1, ACTOR), answer=2))) == 0


def test_against_nothing_everything_counts() -> None:
    assert edit_distance(EMPTY, query_graph(GOLD)) == 4 + 3
    assert edit_distance(EMPTY, EMPTY) == 0


@st.composite
def trees(draw: st.DrawFn) -> LabelledGraph:
    size = draw(st.integers(0, 4))
    nodes = tuple(draw(st.sampled_from(["", "", "a", "b"])) for _ in range(size))
    edges = {}
    for node in range(1, size):
        near = draw(st.integers(0, node - 1))
        edges[near, node] = (draw(st.sampled_from([near, node])), draw(st.sampled_from(["r", "s"])))
    return LabelledGraph(nodes, edges)


def brute_force(first: LabelledGraph, second: LabelledGraph) -> int:
    """The cheapest of all partial one-to-one assignments, each priced from scratch."""
    size, other = len(first.nodes), len(second.nodes)
    best = size + other + len(first.edges) + len(second.edges)
    for images in set(permutations([*range(other), *([-1] * size)], size)):
        cost = sum(1 if image < 0 else first.nodes[node] != second.nodes[image] for node, image in enumerate(images))
        cost += other - sum(image >= 0 for image in images)
        kept = 0
        for (near, far), (start, relation) in first.edges.items():
            ends = images[near], images[far]
            counterpart = second.edges.get((min(ends), max(ends))) if min(ends) >= 0 else None
            if counterpart is None:
                cost += 1
            else:
                kept += 1
                cost += counterpart != (images[start], relation)
        best = min(best, cost + len(second.edges) - kept)
    return best


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(trees(), trees())
def test_it_is_what_brute_force_finds(first: LabelledGraph, second: LabelledGraph) -> None:
    assert edit_distance(first, second) == brute_force(first, second)


def test_large_structures_that_share_little_do_not_take_long() -> None:
    first = derivation(*((number // 2, f"t.r{number}") for number in range(8)), answer=8)
    second = derivation(*((number, f"t.s{number % 3}") for number in range(8)), answer=8)
    started = perf_counter()
    # All eight relations differ; the answer's label and the topic's stay.
    assert edit_distance(query_graph(first), query_graph(second)) >= 8
    assert perf_counter() - started < 2
