"""What is wrong with a derivation in a graph is named, all of it; what READS comes to has no fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Constraint, Derivation, Operator, PartialDerivation, SearchStep, derivation_read
from reasoning.core.options import Stage
from reasoning.core.trace import Trace
from reasoning.engine.derivation_faults import Fault, derivation_faults
from reasoning.engine.engine import answer
from tests.reasoning.rules import KITT_GOLD, KITT_QUESTION, Arbitrary

if TYPE_CHECKING:
    from kgstore.store import GraphStore

CAST = "tv.tv_program.regular_cast"
ACTOR = "tv.regular_tv_appearance.actor"
EVENTS = "sports.sports_championship.events"
START = "time.event.start_date"


def faults(store: GraphStore, **document: object) -> list[tuple[str, int, str]]:
    whole = {"topic": "en.knight_rider", "constraints": [], "answer": None, **document}
    return [
        (str(fault.stage), fault.number, fault.message) for fault in derivation_faults(derivation_read(whole), store)
    ]


def test_gold_has_none(toy: GraphStore) -> None:
    assert derivation_faults(Derivation.from_json(KITT_GOLD), toy) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from([KITT_QUESTION, "who won the last Super Bowl before 2013"]), st.integers(0, 10_000))
def test_what_a_run_comes_to_has_none(toy: GraphStore, question: str, seed: int) -> None:
    trace = Trace()
    last = list(answer(question, toy, Arbitrary(seed), trace=trace))[-1]
    found = trace.derivation
    assert found is not None
    assert isinstance(found, Derivation) == (trace.position is not None)
    assert derivation_read(found.to_json()) == found
    if getattr(last, "verdict", "") != "conditions_leave_nothing":
        assert derivation_faults(found, toy) == []


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({"topic": "m.nobody", "search": []}, [("link", 0, "The graph does not hold the topic m.nobody.")]),
        (
            {"search": [[0, "no.such.relation"], [1, ACTOR]]},
            [
                ("search", 0, "Nothing at position 0 has the relation no.such.relation in this graph."),
                ("search", 1, f"Nothing at position 1 has the relation {ACTOR} in this graph."),
            ],
        ),
        (
            {"search": [[0, CAST], [0, CAST]]},
            [("search", 1, f"The relation {CAST} was followed from position 0 before.")],
        ),
        (
            {"search": [[0, CAST]], "answer": 1},
            [("infer", 0, "Position 1 holds events without names, which answer nothing.")],
        ),
        ({"search": [[0, CAST]], "answer": 0}, [("infer", 0, "The topic itself cannot be the answer.")]),
        (
            {"search": [[0, CAST], [1, ACTOR]], "constraints": [[2, "=", "en.william_daniels"]], "answer": 2},
            [("infer", 0, "Position 2 has a condition, so it cannot hold the answer.")],
        ),
        (
            {"search": [[0, CAST], [1, ACTOR]], "constraints": [[0, "=", "en.kitt"], [2, "max", None]]},
            [
                ("prune", 0, "The topic itself cannot have a condition."),
                ("prune", 1, "Position 2 holds no numbers or dates, which “max” needs."),
            ],
        ),
        (
            {
                "topic": "en.super_bowl",
                "search": [[0, EVENTS], [1, START]],
                "constraints": [
                    [2, "=", "en.kitt"],
                    [2, ">", '"1900"^^xsd:gYear'],
                    [2, ">", '"1900"^^xsd:gYear'],
                    [2, "<", '"1800"^^xsd:gYear'],
                ],
            },
            [
                ("prune", 0, "Position 2 holds dates, and en.kitt is none."),
                ("prune", 2, "This condition exists twice."),
                ("prune", 3, "No fact meets this condition together with those before it."),
            ],
        ),
    ],
)
def test_every_fault_is_named(toy: GraphStore, document: dict[str, object], found: list[tuple[str, int, str]]) -> None:
    assert faults(toy, **document) == found


@pytest.mark.parametrize("position", [-1, 3, 9])
def test_positions_that_no_step_has_grown_are_faults(toy: GraphStore, position: int) -> None:
    """Read from JSON there are none; a derivation that is made in the code may have them."""
    cast, actor = SearchStep(0, Relation(CAST)), SearchStep(1, Relation(ACTOR))
    condition = Constraint(position, Operator.EQUAL, Entity("en.kitt"))
    made = PartialDerivation(Entity("en.knight_rider"), (cast, actor), (condition,), position)
    text = f"There is no position {position}."
    assert derivation_faults(made, toy) == [Fault(Stage.PRUNE, 0, text), Fault(Stage.INFER, 0, text)]


def test_a_number_is_reported_and_not_counted(toy: GraphStore) -> None:
    seasons = SearchStep(0, Relation("tv.tv_program.number_of_seasons"))
    cast, actor = SearchStep(0, Relation(CAST)), SearchStep(1, Relation(ACTOR))
    show = Entity("en.knight_rider")
    shown = "Position 1 holds numbers, which are shown and not counted."
    assert derivation_faults(Derivation(show, (seasons,), (), 1, counted=True), toy) == [Fault(Stage.INFER, 0, shown)]
    assert derivation_faults(Derivation(show, (seasons,), (), 1), toy) == []
    assert derivation_faults(Derivation(show, (cast, actor), (), 2, counted=True), toy) == []


@pytest.mark.parametrize("position", [-1, 1, 9])
def test_the_rest_is_looked_at_from_the_topic(toy: GraphStore, position: int) -> None:
    misplaced, actor = SearchStep(position, Relation(CAST)), SearchStep(1, Relation(ACTOR))
    made = PartialDerivation(Entity("en.knight_rider"), (misplaced, actor), (), 2)
    text = f"There is no position {position} yet to go on from."
    assert derivation_faults(made, toy) == [Fault(Stage.SEARCH, 0, text)]


def test_a_partial_derivation_is_no_whole_one() -> None:
    document = {**KITT_GOLD, "answer": None}
    read = derivation_read(document)
    assert type(read) is PartialDerivation
    assert read.answer_position is None
    with pytest.raises(ValueError, match="a position that no step has grown"):
        Derivation.from_json(document)
