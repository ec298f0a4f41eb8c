"""What may be decided otherwise in a run: every option, why a change cannot be made, what it adds, how it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Date, Entity, Number, Relation
from reasoning import events
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.errors import ContinuationRefusedError, UnknownStrategyError
from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from reasoning.engine.changes import AskedRun
from reasoning.engine.engine import answer, go_on
from reasoning.run.continuation import Continuation, EndStage, Insert, Remove, Replace, TakeReading
from reasoning.run.run import RunLimits
from tests.reasoning.rules import KITT, KITT_QUESTION, Arbitrary, RuleScorer

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.run.continuation import Change

CREATOR = SearchStep(0, Relation("tv.tv_program.program_creator"))
CHARACTER = SearchStep(1, Relation("tv.regular_tv_appearance.character"))
ACTOR = SearchStep(1, Relation("tv.regular_tv_appearance.actor"))
IS_KITT = Constraint(3, Operator.EQUAL, Entity("en.kitt"))
IS_MICHAEL = Constraint(3, Operator.EQUAL, Entity("en.michael_knight"))
ONE_ONLY = "Of this decision a run has exactly one. Choose another option instead."
CHOSEN = "The run has chosen this. Choose something else."
ENDED = "This stage ended there already."


def asked(store: GraphStore, **more: object) -> AskedRun:
    """Cast, actor, character; the character is KITT; the answer is the actor."""
    return AskedRun(list(answer(KITT_QUESTION, store, KITT)), store, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (Replace(Stage.SEARCH, 1, CHARACTER), ""),
        (Replace(Stage.SEARCH, 1, ACTOR), CHOSEN),
        (Replace(Stage.SEARCH, 3, None), CHOSEN),
        (
            Replace(Stage.SEARCH, 1, SearchStep(1, Relation("no.such.thing"))),
            "“thing” was not among the options of this decision. Choose one of those.",
        ),
        (Insert(Stage.SEARCH, 1, CREATOR), ""),
        (EndStage(Stage.SEARCH, 1), ""),
        (EndStage(Stage.SEARCH, 3), ENDED),
        (Remove(Stage.SEARCH, 2), ""),
        (Remove(Stage.LINK, 0), ONE_ONLY),
        (Insert(Stage.LINK, 0, Entity("en.kitt")), ONE_ONLY),
        (EndStage(Stage.INFER, 0), ONE_ONLY),
        (Replace(Stage.LINK, 0, Entity("en.kitt")), ""),
        (Replace(Stage.LINK, 0, Entity("en.knight_rider")), CHOSEN),
        (Replace(Stage.LINK, 0, Entity("en.super_bowl")), ""),
        (Replace(Stage.LINK, 0, Entity("en.nobody")), "The graph does not hold en.nobody. Choose another topic."),
        (
            Replace(Stage.LINK, 0, None),
            "“none” was not among the options of this decision. Choose one of those.",
        ),
        (
            Replace(Stage.SEARCH, 1, Entity("en.kitt")),
            "“KITT” was not among the options of this decision. Choose one of those.",
        ),
        (Replace(Stage.INFER, 0, 2), CHOSEN),
        (
            Replace(Stage.INFER, 0, 1),
            "“regular cast” was not among the options of this decision. Choose one of those.",
        ),
        (Replace(Stage.PRUNE, 0, IS_MICHAEL), ""),
        (Replace(Stage.PRUNE, 0, IS_KITT), CHOSEN),
        (Insert(Stage.PRUNE, 0, IS_KITT), "This condition exists already."),
        (Insert(Stage.PRUNE, 1, IS_KITT), "This condition exists already."),
        (Insert(Stage.PRUNE, 1, IS_MICHAEL), ""),
        (
            Insert(Stage.PRUNE, 1, Constraint(2, Operator.EQUAL, Entity("en.david_hasselhoff"))),
            "With this condition, no place would be left that could hold the answer.",
        ),
        (
            Insert(Stage.PRUNE, 0, Constraint(0, Operator.EQUAL, Entity("en.kitt"))),
            "This run has no place 0 that can have a condition.",
        ),
        (
            Insert(Stage.PRUNE, 0, Constraint(4, Operator.EQUAL, Entity("en.kitt"))),
            "This run has no place 4 that can have a condition.",
        ),
        (
            Insert(Stage.PRUNE, 0, Constraint(1, Operator.EQUAL, Entity("en.kitt"))),
            "“regular cast” only links others, so its only condition can be that it held. Choose what it leads to.",
        ),
        (Insert(Stage.PRUNE, 1, Constraint(1, Operator.HOLDS, Date("1982"))), ""),
        (
            Insert(Stage.PRUNE, 0, Constraint(1, Operator.HOLDS, Entity("en.kitt"))),
            "What held did so at a date. Write one, such as 2011 or 2011-02-06.",
        ),
        (
            Insert(Stage.PRUNE, 0, Constraint(3, Operator.HOLDS, Date("1982"))),
            "“character” holds no links, of which alone can be said that they held. Choose another comparison.",
        ),
        (
            Insert(Stage.PRUNE, 0, Constraint(3, Operator.MAX, None)),
            "“character” holds no numbers or dates, which “max” needs.",
        ),
        (
            Insert(Stage.PRUNE, 0, Constraint(3, Operator.EQUAL, None)),
            "The smallest and the largest have no target, and other comparisons need one.",
        ),
        (
            Insert(Stage.PRUNE, 0, Constraint(3, Operator.LESS, Entity("en.kitt"))),
            "“character” holds no numbers or dates, which “<” needs.",
        ),
        (
            Insert(Stage.PRUNE, 0, Constraint(3, Operator.EQUAL, Date("2011"))),
            '“character” holds things of the graph, and "2011"^^xsd:gYear is none.',
        ),
        (
            Insert(Stage.PRUNE, 0, Constraint(3, Operator.EQUAL, Entity("en.nobody"))),
            "The graph does not hold en.nobody. Choose another target.",
        ),
        (Insert(Stage.PRUNE, 1, Constraint(2, Operator.KIND, Entity("people.person"))), ""),
        (
            Insert(Stage.PRUNE, 1, Constraint(1, Operator.KIND, Entity("people.person"))),
            "“regular cast” only links others, so its only condition can be that it held. Choose what it leads to.",
        ),
        (
            Insert(Stage.PRUNE, 1, Constraint(2, Operator.KIND, Date("2011"))),
            '"2011"^^xsd:gYear is no type. Choose one such as location.country.',
        ),
        (TakeReading(0), "This run has no other reading 1. Choose one that it reported."),
    ],
    ids=str,
)
def test_a_change_can_be_made_or_has_its_fault(toy: GraphStore, change: Change, fault: str) -> None:
    assert asked(toy).fault(change) == fault


DATED = RuleScorer(
    (
        "0 tv.tv_program.regular_cast",
        "1 tv.regular_tv_appearance.actor",
        "1 tv.regular_tv_appearance.from",
        "0 tv.tv_program.number_of_seasons",
        "answer 2",
    )
)
"""Cast, actor, the date that they joined, and the number of seasons."""


@pytest.mark.parametrize(
    ("condition", "fault"),
    [
        (Constraint(3, Operator.LESS, Date("1983")), ""),
        (Constraint(3, Operator.MAX, None), ""),
        (Constraint(3, Operator.EQUAL, Number(4)), "“from” holds dates, and {} is none."),
        (Constraint(3, Operator.EQUAL, Entity("en.kitt")), "“from” holds dates, and en.kitt is none."),
        (Constraint(4, Operator.GREATER, Number(3)), ""),
        (Constraint(4, Operator.MIN, None), ""),
        (Constraint(4, Operator.MIN, Number(2)), ""),
        (
            Constraint(4, Operator.MIN, Number(1.5)),
            "The smallest and the largest have no target but their place: a whole number from 2 on.",
        ),
        (Constraint(4, Operator.EQUAL, Date("1983")), "“number of seasons” holds numbers, and {} is none."),
    ],
    ids=str,
)
def test_numbers_and_dates_are_compared_with_their_own_kind(toy: GraphStore, condition: Constraint, fault: str) -> None:
    run = AskedRun(list(answer(KITT_QUESTION, toy, DATED)), toy)
    assert run.fault(Insert(Stage.PRUNE, 0, condition)) == fault.format(condition.target)


def test_a_condition_does_not_take_the_place_of_one_while_another_is_the_same(toy: GraphStore) -> None:
    first = list(answer(KITT_QUESTION, toy, KITT))
    more = Continuation(tuple(first), Insert(Stage.PRUNE, 1, IS_MICHAEL))
    two = AskedRun(list(go_on(KITT_QUESTION, toy, KITT, more)), toy)
    assert two.fault(Replace(Stage.PRUNE, 0, IS_MICHAEL)) == "This condition exists already."
    assert two.fault(Replace(Stage.PRUNE, 0, Constraint(3, Operator.EQUAL, Entity("en.devon_miles")))) == ""


def test_what_was_not_decided_is_not_changed(toy: GraphStore) -> None:
    for change in (Remove(Stage.SEARCH, 3), Replace(Stage.SEARCH, 4, CHARACTER)):
        with pytest.raises(ContinuationRefusedError) as refused:
            asked(toy).fault(change)
        number = change.number + 1
        message = f"This run has no decision {number} in its stage “Search”, so it cannot be changed. "
        assert refused.value.for_people == f"{message}Choose one that it made."


def test_a_run_sets_so_many_conditions_and_none_where_they_are_off(toy: GraphStore) -> None:
    few = "A run sets {} conditions at most. Drop one first."
    another = Insert(Stage.PRUNE, 1, IS_MICHAEL)
    assert asked(toy, limits=RunLimits(constraints=2)).fault(another) == ""
    assert asked(toy, limits=RunLimits(constraints=1)).fault(another) == few.format(1)
    assert asked(toy, limits=RunLimits(constraints=1)).fault(Replace(Stage.PRUNE, 0, IS_MICHAEL)) == ""
    without = asked(toy, switches=EngineSwitches(constraints=False))
    assert without.fault(another) == few.format(RunLimits().constraints)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Replace(Stage.SEARCH, 1, CHARACTER), "character instead of actor"),
        (Replace(Stage.SEARCH, 3, CREATOR), "with programme creator"),
        (Replace(Stage.SEARCH, 1, None), "stopped before actor"),
        (Insert(Stage.SEARCH, 1, CREATOR), "with programme creator"),
        (Insert(Stage.SEARCH, 1, None), "stopped before actor"),
        (Remove(Stage.SEARCH, 2), "without character"),
        (EndStage(Stage.SEARCH, 0), "stopped before regular cast"),
        (Replace(Stage.LINK, 0, Entity("en.kitt")), "KITT instead of Knight Rider"),
        (Replace(Stage.PRUNE, 0, IS_MICHAEL), "character is Michael Knight instead of character is KITT"),
        # Nothing was left to choose there, so nothing was.
        (Insert(Stage.PRUNE, 1, IS_MICHAEL), "with character is Michael Knight"),
        (Insert(Stage.PRUNE, 1, Constraint(2, Operator.KIND, Entity("film.actor"))), "with actor is an actor"),
        (Replace(Stage.INFER, 0, 3), "character instead of actor"),
        (TakeReading(1), "other reading 2"),
    ],
    ids=str,
)
def test_a_change_is_reported_in_words(toy: GraphStore, change: Change, words: str) -> None:
    assert asked(toy).words(change) == words


def test_every_option_of_a_decision_is_offered_with_the_probabilities_that_were_reported(toy: GraphStore) -> None:
    run = AskedRun(list(answer(KITT_QUESTION, toy, KITT, limits=RunLimits(options_shown=2))), toy)
    options = run.options(Stage.SEARCH, 1)
    assert [run.option_names(option) for option in options] == [
        ("number of seasons", "tv.tv_program.number_of_seasons"),
        ("programme creator", "tv.tv_program.program_creator"),
        ("actor", "tv.regular_tv_appearance.actor"),
        ("character", "tv.regular_tv_appearance.character"),
        ("from", "tv.regular_tv_appearance.from"),
        ("regular cast", "^tv.tv_program.regular_cast"),
        ("none",),
    ]
    shown = {option.index: option.probability for option in options if option.probability is not None}
    assert len(shown) == 2
    assert shown[2] == 0.8
    assert run.fault(Replace(Stage.SEARCH, 1, SearchStep(1, Relation("tv.regular_tv_appearance.from")))) == ""
    names = {stage: [run.option_names(option) for option in run.options(stage, 0)] for stage in Stage}
    assert names[Stage.LINK] == [("Knight Rider", "en.knight_rider"), ("KITT", "en.kitt")]
    assert names[Stage.PRUNE] == [("character is KITT",), ("none",)]
    assert names[Stage.INFER] == [("actor", "2")]


def test_every_option_is_offered_however_few_are_shown(toy: GraphStore) -> None:
    assert len(asked(toy, limits=RunLimits(options_shown=2)).options(Stage.SEARCH, 1)) == 7


def test_only_the_options_of_the_run_s_own_switches_are_offered(toy: GraphStore) -> None:
    switches = EngineSwitches(search="chain")
    run = AskedRun(list(answer(KITT_QUESTION, toy, KITT, switches=switches)), toy, switches=switches)
    assert [run.option_names(option)[0] for option in run.options(Stage.SEARCH, 1)] == [
        "actor",
        "character",
        "from",
        "regular cast",
        "none",
    ]
    assert run.fault(Insert(Stage.SEARCH, 1, CREATOR)) == (
        "“programme creator” was not among the options of this decision. Choose one of those."
    )


def test_what_the_asker_chose_offers_what_the_question_names_without_probabilities(toy: GraphStore) -> None:
    run = AskedRun(list(answer(KITT_QUESTION, toy, KITT, topic=Entity("en.knight_rider"))), toy)
    offered = [(run.option_names(option)[0], option.probability) for option in run.options(Stage.LINK, 0)]
    assert offered == [("Knight Rider", None), ("KITT", None)]


def test_a_question_that_names_nothing_offers_no_topic(toy: GraphStore) -> None:
    run = AskedRun(list(answer("green ideas", toy, KITT)), toy)
    assert run.options(Stage.LINK, 0) == []


def test_a_stage_that_ended_at_its_limit_offers_nothing_of_the_next_one(toy: GraphStore) -> None:
    limits = RunLimits(steps=3)
    run = AskedRun(list(answer(KITT_QUESTION, toy, KITT, limits=limits)), toy, limits=limits)
    assert run.options(Stage.SEARCH, 3) == []
    assert len(run.options(Stage.SEARCH, 2)) > 0


def test_a_strategy_that_is_gone_offers_nothing(toy: GraphStore) -> None:
    with pytest.raises(UnknownStrategyError):
        asked(toy, strategy="gone").options(Stage.SEARCH, 1)


def test_another_reading_is_taken_whole(toy: GraphStore) -> None:
    switches = EngineSwitches.of(width=3)
    emitted = list(answer(KITT_QUESTION, toy, Arbitrary(1), strategy="beam", switches=switches))
    run = AskedRun(emitted, toy, strategy="beam", switches=switches)
    finished = emitted[-1]
    assert isinstance(finished, events.Finished)
    assert finished.readings
    assert run.fault(TakeReading(0)) == ""
    first, *_, last = run.preview(TakeReading(0))
    assert first.kind == "entity_linked"
    assert isinstance(last, events.Finished)
    assert last.confidence == pytest.approx(finished.readings[0].probability)
    # What the best one decided is offered as that of a run without a width.
    decided = next(
        event for event in emitted if isinstance(event, events.SearchStepTaken | events.SearchEnded)
    ).decision
    assert decided is not None
    assert len(run.options(Stage.SEARCH, 0)) == decided.total


def test_a_preview_tells_what_the_change_itself_leads_to_and_no_more(toy: GraphStore) -> None:
    run = asked(toy, limits=RunLimits(facts_shown=2))
    step, *rest = run.preview(Replace(Stage.SEARCH, 1, CHARACTER))
    assert isinstance(step, events.SearchStepTaken)
    assert (step.node.relation and step.node.relation.label, len(step.facts), step.facts_gained) == ("character", 2, 3)
    assert [event.kind for event in rest] == ["undecided"]
    kinds = [event.kind for event in run.preview(Replace(Stage.PRUNE, 0, IS_MICHAEL))]
    assert kinds[:2] == ["constraint_chosen", "pruned"]
    assert next(event.kind for event in run.preview(Replace(Stage.LINK, 0, Entity("en.kitt")))) == "entity_linked"
