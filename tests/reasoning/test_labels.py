"""Labels: what a person's decisions lead to without a model, and what is wrong with one that does not hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Relation, Term, Triple, parse_term
from reasoning import events
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.labels.checks import derivation_faults, facts_faults
from reasoning.labels.decided import DecidedSoFar, led_to
from reasoning.run.run import RunLimits
from tests.reasoning.rules import KITT_QUESTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from reasoning.labels.decided import LedTo

RIDER = Entity("en.knight_rider")
CAST = SearchStep(0, Relation("tv.tv_program.regular_cast"))
ACTOR = SearchStep(1, Relation("tv.regular_tv_appearance.actor"))
CHARACTER = SearchStep(1, Relation("tv.regular_tv_appearance.character"))
IS_KITT = Constraint(3, Operator.EQUAL, Entity("en.kitt"))
WHOLE = DecidedSoFar(RIDER, (CAST, ACTOR, CHARACTER), True, (IS_KITT,), True, 2)
ACTORS = {Entity("en.william_daniels"), Entity("en.david_hasselhoff"), Entity("en.edward_mulhare")}


def reached(store: GraphStore, decided: DecidedSoFar, question: str = KITT_QUESTION) -> LedTo:
    return led_to(question, store, decided, RunLimits())


def open_decision(found: LedTo) -> tuple[str, int]:
    end = found.emitted[-1]
    assert isinstance(end, events.Undecided)
    assert end.total == len(end.options)
    return end.stage, end.number


@pytest.mark.parametrize(
    ("decided", "stage", "number"),
    [
        (DecidedSoFar(), "link", 0),
        (DecidedSoFar(RIDER), "search", 0),
        (DecidedSoFar(RIDER, (CAST,)), "search", 1),
        (DecidedSoFar(RIDER, (CAST, ACTOR, CHARACTER), True), "prune", 0),
        (DecidedSoFar(RIDER, (CAST, ACTOR, CHARACTER), True, (IS_KITT,)), "infer", 0),
        (DecidedSoFar(RIDER, (CAST, ACTOR), True), "infer", 0),
    ],
)
def test_the_first_decision_that_nobody_made_is_asked_next(
    toy: GraphStore, decided: DecidedSoFar, stage: str, number: int
) -> None:
    assert open_decision(reached(toy, decided)) == (stage, number)


def test_a_whole_label_runs_to_its_end_and_asks_no_model(toy: GraphStore) -> None:
    found = reached(toy, WHOLE)
    end = found.emitted[-1]
    assert isinstance(end, events.Finished)
    assert [answer.term.label for answer in end.answers] == ["William Daniels"]
    assert (found.answers, found.position) == ((Entity("en.william_daniels"),), 2)
    assert {cost.calls for cost in end.costs.values()} == {0}


@pytest.mark.parametrize(
    ("decided", "answers", "position"),
    [
        (DecidedSoFar(), set(), None),
        (DecidedSoFar(RIDER, (CAST,)), set(), None),
        (DecidedSoFar(RIDER, (CAST, ACTOR)), ACTORS, 2),
        (replace(WHOLE, answer_position=None), {Entity("en.william_daniels")}, 2),
    ],
)
def test_while_the_answer_is_open_its_newest_place_is_shown(
    toy: GraphStore, decided: DecidedSoFar, answers: set[Entity], position: int | None
) -> None:
    """A mediator holds no answer, and neither does what bears a condition."""
    found = reached(toy, decided)
    assert (set(found.answers), found.position) == (answers, position)


def test_a_decision_that_the_graph_does_not_allow_ends_with_the_reason(toy: GraphStore) -> None:
    found = reached(toy, DecidedSoFar(RIDER, (SearchStep(0, Relation("film.film.directed_by")),)))
    end = found.emitted[-1]
    assert isinstance(end, events.Failed)
    assert end.code == "invalid_decision"
    assert "film.film.directed_by" in end.message
    assert found.answers == ()


def codes(store: GraphStore, decided: DecidedSoFar, marked: Sequence[Term] = ()) -> list[str]:
    return [fault.code for fault in derivation_faults(KITT_QUESTION, store, decided, marked)]


def test_a_derivation_may_be_handed_in_when_it_is_whole_and_comes_to_what_is_marked(toy: GraphStore) -> None:
    assert codes(toy, WHOLE) == []
    assert codes(toy, WHOLE, [Entity("en.william_daniels")]) == []
    assert codes(toy, DecidedSoFar()) == ["no_topic"]
    assert codes(toy, DecidedSoFar(RIDER)) == ["no_step"]
    assert codes(toy, replace(WHOLE, answer_position=None)) == ["no_answer"]
    assert codes(toy, replace(WHOLE, topic=Entity("en.nobody"))) == ["decision_faulty"]
    of_gold = Constraint(3, Operator.EQUAL, Entity("en.glen_larson"))
    assert codes(toy, replace(WHOLE, constraints=(of_gold,))) == ["no_answers"]


def test_marked_answers_that_a_derivation_misses_and_those_it_adds_are_counted(toy: GraphStore) -> None:
    marked = [Entity("en.william_daniels"), Entity("en.kitt")]
    actors = DecidedSoFar(RIDER, (CAST, ACTOR), True, (), True, 2)
    (fault,) = derivation_faults(KITT_QUESTION, toy, actors, marked)
    assert fault.code == "other_answers"
    assert "1 that you marked and 2 that you did not mark" in fault.message


FACTS = (
    Triple(RIDER, "tv.tv_program.regular_cast", Entity("m.cast_kitt")),
    Triple(Entity("m.cast_kitt"), "tv.regular_tv_appearance.actor", Entity("en.william_daniels")),
)
SEASONS = Triple(RIDER, "tv.tv_program.number_of_seasons", parse_term('"4"^^xsd:integer'))


@pytest.mark.parametrize(
    ("facts", "answers", "expected"),
    [
        (FACTS, ["en.william_daniels"], []),
        ((*FACTS, SEASONS), ["en.william_daniels", '"4"^^xsd:integer'], []),
        ((), ["en.william_daniels"], ["no_facts"]),
        (FACTS, [], ["no_answers"]),
        (FACTS, ["en.kitt"], ["answer_without_fact"]),
        ((SEASONS, FACTS[1]), ["en.william_daniels"], ["not_connected"]),
        ((replace(SEASONS, object=parse_term('"5"^^xsd:integer')),), ['"5"^^xsd:integer'], ["fact_missing"]),
        ((replace(FACTS[0], predicate="tv.tv_program.genre"), FACTS[1]), ["en.william_daniels"], ["fact_missing"]),
        ((Triple(Entity("en.kitt"), "type.object.name", Entity("en.kitt")),), ["en.kitt"], ["fact_missing"]),
    ],
)
def test_a_set_of_facts_stands_in_the_graph_hangs_together_and_holds_the_answers(
    toy: GraphStore, facts: tuple[Triple, ...], answers: list[str], expected: list[str]
) -> None:
    found = [fault.code for fault in facts_faults(toy, facts, [parse_term(each) for each in answers])]
    assert found == expected
