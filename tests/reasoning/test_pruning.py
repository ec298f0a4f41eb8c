"""Pruning against its definition: a term stays exactly if some assignment of terms to positions holds it."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.terms import Date, Entity, Number, TermKind, Text, Triple
from reasoning.core.derivation import Constraint, Operator
from reasoning.core.structure import AbstractStructure, InstanceGraph
from reasoning.facts.pruning import Removal, meets, prune
from tests.reasoning.trees import RELATION, constraints_on, graphs

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.core.structure import Fact


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


@pytest.mark.slow
@given(graphs(), st.data())
def test_the_semi_join_keeps_exactly_the_terms_of_some_solution(
    toy: GraphStore, grown: tuple[AbstractStructure, InstanceGraph], data: st.DataObject
) -> None:
    structure, graph = grown
    constraints = data.draw(constraints_on(structure))
    pruning = prune(structure, graph, constraints, toy)
    for position, members in enumerate(graph.members):
        expected = {term for term in members if _stays(structure, graph, constraints, position, term)}
        assert pruning.members[position] == expected
    for fact in graph.facts:
        parent = structure.nodes[fact.position].parent
        assert parent is not None
        stays = fact.source in pruning.members[parent] and fact.target in pruning.members[fact.position]
        assert stays == (fact.id not in pruning.removed)
        if not stays:
            assert pruning.removed[fact.id] == _reason(fact, structure, constraints, pruning.members[fact.position])
    assert pruning.leaves_nothing == (not pruning.members[0])


def _reason(fact: Fact, structure: AbstractStructure, constraints: list[Constraint], left: frozenset[Term]) -> Removal:
    """Why a fact that comparisons removed is told to have left."""
    for number, c in enumerate(constraints, start=1):
        if c.position == fact.position and c.target is not None and not meets(fact.target, c.operator, c.target):
            return Removal("fails", number)
    below = [
        number
        for number, c in enumerate(constraints, start=1)
        if fact.position in [node.position for node in structure.path(c.position)[:-1]]
    ]
    if below and fact.target not in left:
        return Removal("unsupported", below[0] if len(below) == 1 else None)
    return Removal("cut_off", 1 if len(constraints) == 1 else None)


def valued(*values: Term) -> tuple[AbstractStructure, InstanceGraph]:
    """A root whose entities have a value each; position 2 holds the values, position 3 further facts of the values'."""
    entities = [Entity(f"m.{number}") for number in range(len(values))]
    root = Entity("root")
    structure = AbstractStructure.rooted("root").grow(0, RELATION, TermKind.ENTITY).grow(1, RELATION, TermKind.NUMBER)
    graph = InstanceGraph.rooted(root).grow(RELATION, [Triple(root, "r", entity) for entity in entities])
    return structure, graph.grow(RELATION, [Triple(e, "r", v) for e, v in zip(entities, values, strict=True)])


@pytest.mark.parametrize(
    ("values", "smallest", "largest"),
    [
        ([Number(3), Number(-1), Number(2.5)], [Number(-1)], [Number(3)]),
        ([Date("2011-03-01"), Date("2011-01-20"), Date("2011-03-02")], [Date("2011-01-20")], [Date("2011-03-02")]),
        ([Date("2010-12-31"), Date("2011-01-01"), Date("-0044-03-15")], [Date("-0044-03-15")], [Date("2011-01-01")]),
        # By the first day, and every tie stays.
        ([Date("2011"), Date("2011-01-01"), Date("2011-02")], [Date("2011"), Date("2011-01-01")], [Date("2011-02")]),
        # Among dates a number is a year.
        ([Number(2012), Date("2011-12-31"), Date("2012-01-01")], [Date("2011-12-31")], [Date("2012-01-01")]),
        ([Number(2011), Date("2011"), Number(2010)], [Number(2010)], [Date("2011")]),
        # What has no order is left out.
        ([Number(7), Text("12", "en"), Text("a"), Entity("m.x")], [Number(7)], [Number(7)]),
        ([Text("12", datatype="xsd:duration"), Entity("m.x")], [], []),
        # A code keeps its text, and has the order of its number.
        ([Text("076"), Number(392), Text("032"), Text("818")], [Text("032")], [Text("818")]),
        ([Text("032"), Number(32), Number(400)], [Text("032"), Number(32)], [Number(400)]),
    ],
)
def test_extremes(toy: GraphStore, values: list[Term], smallest: list[Term], largest: list[Term]) -> None:
    structure, graph = valued(*values)
    for operator, best in ((Operator.MIN, smallest), (Operator.MAX, largest)):
        assert prune(structure, graph, [Constraint(2, operator)], toy).members[2] == frozenset(best)


def test_what_a_rank_took_out_is_reported_with_the_number_of_its_condition(toy: GraphStore) -> None:
    structure, graph = valued(Number(1), Number(2), Number(3), Number(3))
    pruning = prune(structure, graph, [Constraint(2, Operator.MIN), Constraint(2, Operator.GREATER, Number(1))], toy)
    # Comparisons come first, so 2 is the smallest; the facts 0 to 3 lead to the entities, 4 to 7 to their values.
    assert pruning.members[2] == {Number(2)}
    assert pruning.removed == {
        0: Removal("unsupported", None),
        2: Removal("unsupported", None),
        3: Removal("unsupported", None),
        4: Removal("fails", 2),
        6: Removal("fails", 1),
        7: Removal("fails", 1),
    }
    (only,) = [prune(structure, graph, [Constraint(2, Operator.MAX)], toy).removed]
    assert only == {
        0: Removal("unsupported", 1),
        1: Removal("unsupported", 1),
        4: Removal("fails", 1),
        5: Removal("fails", 1),
    }


def test_ranks_are_taken_in_the_order_given_each_of_what_the_one_before_left(toy: GraphStore) -> None:
    structure, graph = valued(Number(1), Number(2))
    structure = structure.grow(1, RELATION, TermKind.DATE)
    graph = graph.grow(RELATION, [Triple(Entity("m.0"), "r", Date("2011")), Triple(Entity("m.1"), "r", Date("2010"))])
    smallest, latest = Constraint(2, Operator.MIN), Constraint(3, Operator.MIN)
    assert prune(structure, graph, [smallest, latest], toy).members[1] == {Entity("m.0")}
    assert prune(structure, graph, [latest, smallest], toy).members[1] == {Entity("m.1")}


FEBRUARY, YEAR, DAY = Date("2011-02"), Date("2011"), Date("2011-02-06")
EARLIER, LATER = Date("2011-01"), Date("2011-03-01")


@pytest.mark.parametrize(
    ("term", "target", "held"),
    [
        (Number(1), Number(2), "< <="),
        (Number(2), Number(2), "= <= >="),
        (Number(3), Number(2), "> >="),
        (Date("2010-12-31"), YEAR, "< <="),
        (Date("2011-01-01"), YEAR, "= <= >="),
        (Date("2011-12-31"), YEAR, "= <= >="),
        (Date("2012-01-01"), YEAR, "> >="),
        (YEAR, DAY, "= <= >="),
        (DAY, YEAR, "= <= >="),
        (EARLIER, FEBRUARY, "< <="),
        (FEBRUARY, FEBRUARY, "= <= >="),
        (LATER, FEBRUARY, "> >="),
        # Terms of different kinds never compare.
        (Number(2011), YEAR, ""),
        (YEAR, Number(2011), ""),
        (Number(1), Entity("en.one"), ""),
        (Entity("en.one"), Number(1), ""),
        (DAY, Text("2011-02-06"), ""),
        (Text("2011-02-06"), DAY, ""),
        # Others are the same or not.
        (Entity("en.one"), Entity("en.one"), "="),
        (Entity("en.one"), Entity("en.two"), ""),
        (Text("a", "en"), Text("a", "en"), "="),
        (Text("a", "en"), Text("a", "de"), ""),
    ],
)
def test_terms_meet_a_target(term: Term, target: Term, held: str) -> None:
    assert (
        " ".join(operator for operator in ("=", "<", "<=", ">", ">=") if meets(term, Operator(operator), target))
        == held
    )
