"""What was to blame for an answer that is not right: the first decision that went wrong, on runs decided by rules."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.terms import Entity, Relation
from reasoning.core.blame import Blame, Cause, Wanted
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.options import Stage
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.evaluation.judging.blame import blame
from reasoning.evaluation.judging.judging import ask
from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.report import figures
from tests.reasoning.rules import KITT, KITT_GOLD, KITT_QUESTION, Arbitrary, RuleScorer

if TYPE_CHECKING:
    from kgstore.store import GraphStore

GOLD = Derivation.from_json(KITT_GOLD)
CAST, ACTOR, CHARACTER = GOLD.steps
DANIELS = Entity("en.william_daniels")
ASKED = BenchmarkQuestion("kitt", KITT_QUESTION, (GoldParse(GOLD.topic, frozenset({DANIELS}), GOLD),))
WISHES = KITT.wishes


def blamed(scorer: RuleScorer | Arbitrary, store: GraphStore, question: BenchmarkQuestion = ASKED) -> Blame | None:
    return blame(ask(question, store, scorer, EvaluationSettings()), question, store)


def without(*wishes: str, instead: tuple[str, ...] = ()) -> RuleScorer:
    """Decides as the gold derivation does, but for some wishes."""
    return RuleScorer((*instead, *(wish for wish in WISHES if wish not in wishes)))


@pytest.mark.parametrize(
    ("scorer", "expected"),
    [
        (KITT, None),
        (RuleScorer((WISHES[0], WISHES[2], WISHES[1], "2 = en.kitt", "answer 3")), None),
        (
            without(WISHES[0], instead=("0 tv.tv_program.program_creator",)),
            Blame(Cause.WRONG_RELATION, Stage.SEARCH, 0, (CAST,)),
        ),
        (without(WISHES[2]), Blame(Cause.STOPPED_EARLY, Stage.SEARCH, 2, (CHARACTER,))),
        (without(*WISHES), Blame(Cause.STOPPED_EARLY, Stage.SEARCH, 0, (CAST,))),
        (
            RuleScorer((*WISHES[:4], "2 people.person.date_of_birth", "answer 4")),
            Blame(Cause.WENT_ON, Stage.SEARCH, 3, (None,)),
        ),
        (without(WISHES[3]), Blame(Cause.MISSING_CONSTRAINT, Stage.PRUNE, 0, GOLD.constraints)),
    ],
    ids=[
        "right",
        "right in another order",
        "wrong relation",
        "stopped early",
        "nothing at all",
        "went on",
        "missing constraint",
    ],
)
def test_the_first_decision_that_went_wrong_is_found(
    toy: GraphStore, scorer: RuleScorer, expected: Blame | None
) -> None:
    assert blamed(scorer, toy) == expected


def test_conditions_and_the_place_of_the_answer_may_be_wrong(toy: GraphStore) -> None:
    everybody = frozenset(map(Entity, ("en.william_daniels", "en.david_hasselhoff", "en.edward_mulhare")))
    asked = replace(ASKED, parses=(GoldParse(GOLD.topic, everybody, replace(GOLD, constraints=())),))
    assert blamed(KITT, toy, asked) == Blame(Cause.WRONG_CONSTRAINT, Stage.PRUNE, 0, (None,))
    elsewhere = without(WISHES[3], WISHES[4], instead=("answer 3",))
    assert blamed(elsewhere, toy, asked) == Blame(Cause.WRONG_PLACE, Stage.INFER, 0, (2,))


def test_the_linking_is_to_blame_where_another_topic_was_taken(toy: GraphStore) -> None:
    outcome = ask(ASKED, toy, without(*WISHES), EvaluationSettings())
    shown = blame(replace(outcome, topic="en.kitt"), ASKED, toy)
    assert shown == Blame(Cause.LINKING, Stage.LINK, 0, (GOLD.topic,))


def test_a_limit_is_to_blame_where_it_ended_the_search(toy: GraphStore) -> None:
    outcome = replace(ask(ASKED, toy, without(*WISHES), EvaluationSettings()), reason="timeout")
    found = blame(outcome, ASKED, toy)
    assert found == Blame(Cause.CUT, Stage.SEARCH, 0, (CAST,))


@pytest.mark.parametrize(
    ("answers", "cause"),
    [
        ({"en.william_daniels"}, {Cause.ORDER, Cause.GOLD}),
        ({"en.david_hasselhoff", "m.not_in_this_graph"}, {Cause.ORDER, Cause.GOLD}),
        ({"en.william_daniels", "en.david_hasselhoff", "en.edward_mulhare", "m.not_in_this_graph"}, {Cause.GAP}),
    ],
)
def test_where_each_decision_was_right_the_answers_are_looked_at(
    toy: GraphStore, answers: set[str], cause: set[Cause]
) -> None:
    whole_cast = Derivation(GOLD.topic, (CAST, ACTOR), (), 2)
    asked = BenchmarkQuestion("cast", "who?", (GoldParse(GOLD.topic, frozenset(map(Entity, answers)), whole_cast),))
    outcome = ask(asked, toy, RuleScorer((*WISHES[:2], "answer 2")), EvaluationSettings())
    found = {blame(replace(outcome, hit_first=first), asked, toy) for first in (True, False)}
    assert found == {Blame(each) for each in cause}


def test_a_condition_that_the_graph_cannot_meet_is_a_gap(toy: GraphStore) -> None:
    nobody = Constraint(3, Operator.EQUAL, Entity("m.nobody"))
    asked = replace(ASKED, parses=(replace(ASKED.parses[0], derivation=replace(GOLD, constraints=(nobody,))),))
    assert blamed(without(WISHES[3]), toy, asked) == Blame(Cause.GAP)


def test_what_the_graph_lacks_is_a_gap(toy: GraphStore) -> None:
    nowhere = replace(GOLD, steps=(SearchStep(0, Relation.parse("tv.tv_program.no_such_relation")),), constraints=())
    for derivation, answer in ((replace(nowhere, answer_position=1), DANIELS), (GOLD, Entity("m.nobody"))):
        asked = BenchmarkQuestion("gap", "who?", (GoldParse(GOLD.topic, frozenset({answer}), derivation),))
        assert blamed(without(*WISHES), toy, asked) == Blame(Cause.GAP)


def test_without_a_gold_derivation_nothing_is_proposed(toy: GraphStore) -> None:
    asked = BenchmarkQuestion("none", "who?", (GoldParse(GOLD.topic, frozenset({DANIELS}), None),))
    assert blamed(without(*WISHES), toy, asked) is None


def test_of_several_readings_any_may_be_followed(toy: GraphStore) -> None:
    other = Derivation(GOLD.topic, (SearchStep(0, Relation.parse("tv.tv_program.program_creator")),), (), 1)
    parses = (*ASKED.parses, GoldParse(GOLD.topic, frozenset({Entity("en.glen_larson")}), other))
    asked = replace(ASKED, parses=parses)
    assert blamed(RuleScorer(("0 tv.tv_program.program_creator", "answer 1")), toy, asked) is None
    found = blamed(RuleScorer(("0 tv.tv_program.number_of_seasons", "answer 1")), toy, asked)
    assert found == Blame(Cause.WRONG_RELATION, Stage.SEARCH, 0, (CAST, other.steps[0]))


def test_of_two_like_branches_each_may_be_meant(toy: GraphStore) -> None:
    """Both hold a cast: the character of one is demanded, the actor of the other is the answer."""
    kitt = Constraint(2, Operator.EQUAL, Entity("en.kitt"))
    gold = Derivation(
        GOLD.topic, (CAST, SearchStep(1, CHARACTER.relation), CAST, SearchStep(3, ACTOR.relation)), (kitt,), 4
    )
    everybody = frozenset(map(Entity, ("en.william_daniels", "en.david_hasselhoff", "en.edward_mulhare")))
    asked = BenchmarkQuestion("two", "who?", (GoldParse(GOLD.topic, everybody, gold),))
    outcome = ask(asked, toy, without(*WISHES), EvaluationSettings())
    made = replace(gold, steps=(CAST, SearchStep(1, ACTOR.relation)), constraints=(), answer_position=2)
    found = blame(replace(outcome, derivation=made), asked, toy)
    assert found is not None
    assert (found.cause, found.number) == (Cause.STOPPED_EARLY, 2)
    assert found.wanted == (CAST,), "the character is demanded of the other branch alone"


@pytest.mark.slow
@given(seed=st.integers(0, 400))
def test_a_wrong_decision_is_one_that_the_run_took_otherwise(toy: GraphStore, seed: int) -> None:
    """Whatever a model does: what is wanted at the first wrong decision is not what it chose there."""
    outcome = ask(ASKED, toy, Arbitrary(seed), EvaluationSettings())
    found, made = blame(outcome, ASKED, toy), outcome.derivation
    assert (found is None) == outcome.exact
    if found is None or found.stage is None:
        return
    assert found.wanted
    assert made is not None
    assert found.number is not None
    steps, constraints = [*made.steps, None], [*made.constraints, None]
    chosen = {Stage.SEARCH: steps, Stage.PRUNE: constraints, Stage.INFER: [made.answer_position]}[found.stage]
    assert chosen[found.number] not in found.wanted


def test_causes_are_counted(toy: GraphStore) -> None:
    scorers = (KITT, without(WISHES[3]), without(WISHES[2]), without(WISHES[3]))
    outcomes = [ask(ASKED, toy, scorer, EvaluationSettings()) for scorer in scorers]
    counted = figures(outcomes, topics="gold", graph="Toy")["causes"]
    assert list(counted.items()) == [("missing constraint", 2), ("stopped too early", 1)]


@pytest.mark.parametrize(
    "wanted",
    [
        GOLD.topic,
        CAST,
        SearchStep(2, Relation.parse("^tv.tv_program.regular_cast")),
        GOLD.constraints[0],
        Constraint(1, Operator.MAX),
        3,
        None,
    ],
    ids=str,
)
def test_what_is_written_down_is_read_again(wanted: Wanted) -> None:
    shown = Blame(Cause.WRONG_RELATION, Stage.SEARCH, 1, (wanted,))
    assert Blame.from_json(json.loads(json.dumps(shown.to_json()))) == shown


def test_an_outcome_keeps_what_was_to_blame(toy: GraphStore) -> None:
    outcome = ask(ASKED, toy, without(WISHES[2]), EvaluationSettings())
    read = Outcome.from_json(json.loads(json.dumps(outcome.to_json())))
    assert read.blame == Blame(Cause.STOPPED_EARLY, Stage.SEARCH, 2, (CHARACTER,))
    earlier = {name: value for name, value in outcome.to_json().items() if name != "blame"}
    assert Outcome.from_json(earlier).blame is None
    assert outcome.relation == ACTOR.relation.predicate
