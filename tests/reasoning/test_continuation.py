"""A run that goes on from another: what is kept stays as it was, one change is made, and the rest fits or is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgstore.terms import Date, Entity, Relation
from reasoning import events
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.errors import ContinuationRefusedError
from reasoning.core.options import ConstraintOption, NoneOption, OptionPool, Stage
from reasoning.engine.changes import AskedRun
from reasoning.engine.engine import answer, go_on
from reasoning.narration.replay import choice_of_option, choices_again, decisions_made, recorded_costs
from reasoning.run.continuation import Continuation, EndStage, Insert, Remove, Replace, TakeReading, kept
from reasoning.run.run import DECISIONS_ALONE, RunLimits
from reasoning.scorers.base import Cost
from reasoning.scorers.calibration import Calibration
from tests.reasoning.rules import KITT, KITT_QUESTION, Arbitrary, Counting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgstore.store import GraphStore
    from reasoning.core.options import Choice
    from reasoning.run.continuation import Change
    from reasoning.scorers.base import Scorer

QUESTIONS = (KITT_QUESTION, "who won the last Super Bowl before 2013", "what does jamaican people speak")
CAST = SearchStep(0, Relation("tv.tv_program.regular_cast"))
ACTOR = SearchStep(1, Relation("tv.regular_tv_appearance.actor"))
CHARACTER = SearchStep(1, Relation("tv.regular_tv_appearance.character"))
anything = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def asked(store: GraphStore, question: str = KITT_QUESTION, scorer: Scorer = KITT) -> list[events.StageEvent]:
    return list(answer(question, store, scorer))


def changed(
    store: GraphStore, emitted: list[events.StageEvent], change: Change, scorer: Scorer | None = None, **more: object
) -> list[events.StageEvent]:
    """The result of a change where later decisions are kept, and the model is not asked."""
    how = {"later": "keep", "otherwise": "ask" if scorer else "stop", **more}
    return list(go_on(question_of(emitted), store, scorer, Continuation(tuple(emitted), change, **how)))  # type: ignore[arg-type]


def question_of(emitted: list[events.StageEvent]) -> str:
    (started,) = (event for event in emitted if isinstance(event, events.Started))
    return started.question


def choices(emitted: Iterable[events.StageEvent], stage: Stage | None = None) -> list[Choice]:
    return [made.choice for made in decisions_made(emitted) if stage in (None, made.stage)]


def essence(emitted: Iterable[events.StageEvent]) -> list[dict[str, object]]:
    """Events without times, and without what a change adds: who gave a decision, and what was kept."""
    documents = [event.model_dump(mode="json") for event in emitted]
    for document in documents:
        for name in ("seconds", "decision", "continued", "confidence", "cost", "costs", "scorer"):
            document.pop(name, None)
    return documents


@pytest.mark.slow
@anything
@given(st.sampled_from(QUESTIONS), st.integers(0, 10_000), st.data())
def test_any_prefix_goes_on_to_the_same_run(toy: GraphStore, question: str, seed: int, data: st.DataObject) -> None:
    shown = asked(toy, question, Arbitrary(seed))
    length = data.draw(st.integers(0, len(shown)))
    scorer = Counting(Arbitrary(seed))
    again = list(go_on(question, toy, scorer, Continuation(tuple(shown[:length]))))
    kept = [event for event in shown[:length] if event.kind != "finished"]
    assert again[: len(kept)] == kept
    assert essence(again) == essence(shown)
    assert scorer.asked == len([m for m in decisions_made(shown) if m.record]) - len(decisions_made(shown[:length]))
    assert recorded_costs(again) == recorded_costs(shown)


@pytest.mark.slow
@anything
@given(st.sampled_from(QUESTIONS), st.integers(0, 10_000), st.booleans(), st.data())
def test_a_decision_replaced_by_itself_changes_nothing(
    toy: GraphStore, question: str, seed: int, keep: bool, data: st.DataObject
) -> None:
    shown = asked(toy, question, Arbitrary(seed))
    made = [one for one in decisions_made(shown) if one.stage is not Stage.LINK]
    # What a person chose is shown, though it is of another kind than the question asks for.
    if not made or (isinstance(shown[-1], events.Finished) and shown[-1].reason == "another_kind"):
        return
    one = data.draw(st.sampled_from(made))
    change = Replace(one.stage, one.number, one.choice)
    again = changed(toy, shown, change, Arbitrary(seed), later="keep" if keep else "ask")
    assert essence(again) == essence(shown)


@pytest.mark.slow
@anything
@given(st.sampled_from(QUESTIONS), st.integers(0, 10_000), st.data())
def test_what_is_removed_is_not_chosen_again(toy: GraphStore, question: str, seed: int, data: st.DataObject) -> None:
    shown = asked(toy, question, Arbitrary(seed))
    made = [one for one in decisions_made(shown) if one.stage in (Stage.SEARCH, Stage.PRUNE) and one.choice is not None]
    if not made:
        return
    one = data.draw(st.sampled_from(made))
    for later in ("keep", "ask"):
        again = changed(toy, shown, Remove(one.stage, one.number), Arbitrary(seed), later=later)
        assert again[-1].kind == "finished"
        assert one.choice not in choices(again, one.stage)[one.number :]
        assert choices(again)[: len(choices(shown)) - len(made)][:1] == choices(shown)[:1]


def test_a_removed_step_takes_along_what_grew_from_it_and_nothing_else(toy: GraphStore) -> None:
    shown = asked(toy)
    again = changed(toy, shown, Remove(Stage.SEARCH, 1))
    # The actors are gone, and the characters moved up. They are all that may answer now, so nothing conditions them.
    assert choices(again, Stage.SEARCH) == [CAST, CHARACTER, None]
    assert choices(again, Stage.PRUNE) == []
    stopped = again[-1]
    assert isinstance(stopped, events.Undecided)
    assert (stopped.stage, stopped.number) == ("infer", 0)


def test_a_condition_moves_with_its_node(toy: GraphStore) -> None:
    shown = changed(toy, asked(toy), Insert(Stage.SEARCH, 3, SearchStep(0, Relation("tv.tv_program.program_creator"))))
    again = changed(toy, shown, Remove(Stage.SEARCH, 1))
    assert choices(again, Stage.PRUNE)[:1] == [Constraint(2, Operator.EQUAL, Entity("en.kitt"))]


def test_with_the_root_of_a_tree_everything_goes(toy: GraphStore) -> None:
    again = changed(toy, asked(toy), Remove(Stage.SEARCH, 0))
    assert choices(again, Stage.SEARCH) == [None]
    assert isinstance(again[-1], events.Finished)
    assert again[-1].verdict == "no_answer_found"


def test_an_inserted_step_moves_the_later_ones(toy: GraphStore) -> None:
    shown = asked(toy)
    again = changed(toy, shown, Insert(Stage.SEARCH, 1, CHARACTER))
    # The step that led to the characters before finds its relation taken, and is asked for.
    assert choices(again, Stage.SEARCH)[:3] == [CAST, CHARACTER, ACTOR]
    assert isinstance(again[-1], events.Undecided)
    again = changed(toy, shown, Insert(Stage.SEARCH, 1, CHARACTER), KITT)
    assert choices(again, Stage.INFER) == [3]


def test_a_stage_ends_where_it_is_reported_to(toy: GraphStore) -> None:
    again = changed(toy, asked(toy), EndStage(Stage.SEARCH, 2))
    assert choices(again, Stage.SEARCH) == [CAST, ACTOR, None]
    assert choices(again, Stage.PRUNE) == []
    finished = again[-1]
    assert isinstance(finished, events.Finished)
    assert finished.answers_total == 3


def test_a_condition_is_put_in_that_the_question_does_not_name(toy: GraphStore) -> None:
    shown = asked(toy, "who won the Super Bowl?", Arbitrary(1))
    steps = (
        SearchStep(0, Relation("sports.sports_championship.events")),
        SearchStep(1, Relation("time.event.start_date")),
    )
    grown = changed(toy, shown, Replace(Stage.SEARCH, 0, steps[0]), Arbitrary(1), later="ask")
    if steps[1] not in choices(grown, Stage.SEARCH):
        grown = changed(toy, grown, Insert(Stage.SEARCH, 1, steps[1]), Arbitrary(1), later="ask")
    place = choices(grown, Stage.SEARCH).index(steps[1]) + 1
    dated = Constraint(place, Operator.EQUAL, Date("2013"))
    again = changed(toy, grown, Insert(Stage.PRUNE, 0, dated), Arbitrary(1))
    assert dated in choices(again, Stage.PRUNE)
    # Kept through a further change, though no pool offers it.
    once_more = changed(toy, again, Replace(Stage.SEARCH, 0, steps[0]), Arbitrary(1))
    assert dated in choices(once_more, Stage.PRUNE)


def test_another_topic_is_chosen_as_an_asker_does(toy: GraphStore) -> None:
    again = changed(toy, asked(toy), Replace(Stage.LINK, 0, Entity("en.super_bowl")), KITT, later="ask")
    linked = again[1]
    assert isinstance(linked, events.EntityLinked)
    assert linked.topic is not None
    assert (linked.topic.id, linked.chosen_by_asker) == ("en.super_bowl", True)


@pytest.mark.parametrize("topic", [Entity("en.knight_rider"), None])
@pytest.mark.parametrize("length", range(12))
def test_decisions_that_were_reported_without_facts_are_told_anew_with_them(
    toy: GraphStore, length: int, topic: Entity | None
) -> None:
    full = list(answer(KITT_QUESTION, toy, KITT, topic=topic))
    terse = list(answer(KITT_QUESTION, toy, KITT, topic=topic, limits=DECISIONS_ALONE))
    assert any(event.facts for event in full if isinstance(event, events.SearchStepTaken))
    assert not any(event.facts for event in terse if isinstance(event, events.SearchStepTaken))
    # The model is not asked, whatever number of events was reported before the worker died.
    continuation = Continuation(tuple(full[:length]), retold=tuple(terse[1:]))
    again = list(go_on(KITT_QUESTION, toy, None, continuation))
    assert essence(again) == essence(full)
    assert sure_of(again) == sure_of(full)
    assert recorded_costs(again) == recorded_costs(full)


def sure_of(emitted: Iterable[events.StageEvent]) -> list[float | None]:
    """How probable each decision was when it was made."""
    records = [made.record for made in decisions_made(emitted)]
    return [record.options[0].probability for record in records if record is not None and not record.given]


def test_the_topic_that_an_asker_chose_stays_the_topic(toy: GraphStore) -> None:
    shown = list(answer(KITT_QUESTION, toy, Arbitrary(1), topic=Entity("en.super_bowl")))
    for continuation in (Continuation(tuple(shown[:2])), Continuation(tuple(shown[:1]), retold=tuple(shown[1:]))):
        again = list(go_on(KITT_QUESTION, toy, Arbitrary(1), continuation))
        linked = next(event for event in again if isinstance(event, events.EntityLinked))
        assert linked.topic is not None
        assert (linked.topic.id, linked.chosen_by_asker) == ("en.super_bowl", True)
        assert choices(again) == choices(shown)


def test_what_stops_where_nothing_is_kept_asks_nobody(toy: GraphStore) -> None:
    shown = asked(toy)
    again = list(go_on(KITT_QUESTION, toy, KITT, Continuation(tuple(shown[:3]), otherwise="stop")))
    stopped = again[-1]
    assert isinstance(stopped, events.Undecided)
    assert (stopped.stage, stopped.number, len(again)) == ("search", 1, 4)


def test_a_run_that_goes_on_is_as_sure_as_the_model_that_began_it(toy: GraphStore) -> None:
    emitted = asked(toy)
    (started,) = (event for event in emitted if isinstance(event, events.Started))
    learned = Calibration(0.5, -1.0)
    started = started.model_copy(update={"calibration": events.CalibrationRecord(**learned.to_json())})
    again = list(go_on(KITT_QUESTION, toy, KITT, Continuation((started, *emitted[1:4]))))
    finished = again[-1]
    assert isinstance(finished, events.Finished)
    assert finished.confidence is not None
    assert finished.calibrated == pytest.approx(learned(finished.confidence))
    # Where nothing of the kind was learned, nothing is claimed; and a changed run is another one.
    for changes in (
        Continuation(tuple(emitted[:4])),
        Continuation((started, *emitted[1:]), Replace(Stage.INFER, 0, 2)),
    ):
        finished = list(go_on(KITT_QUESTION, toy, KITT, changes))[-1]
        assert isinstance(finished, events.Finished)
        assert finished.calibrated is None


def test_the_same_topic_chosen_again_keeps_what_was_decided_of_it(toy: GraphStore) -> None:
    shown = asked(toy)
    again = changed(toy, shown, Replace(Stage.LINK, 0, Entity("en.knight_rider")))
    assert choices(again) == choices(shown)


def test_a_step_goes_where_search_had_ended_by_a_limit(toy: GraphStore) -> None:
    shown = list(answer(KITT_QUESTION, toy, KITT, limits=RunLimits(steps=1)))
    assert choices(shown, Stage.SEARCH) == [CAST]
    for change in (Replace(Stage.SEARCH, 1, ACTOR), Insert(Stage.SEARCH, 1, ACTOR)):
        assert choices(changed(toy, shown, change), Stage.SEARCH) == [CAST, ACTOR]


def test_what_comes_after_a_change_is_kept_only_where_that_is_wanted(toy: GraphStore) -> None:
    shown = asked(toy)
    stopped = changed(toy, shown, Replace(Stage.SEARCH, 0, CAST), later="ask")[-1]
    assert isinstance(stopped, events.Undecided)
    assert (stopped.stage, stopped.number) == ("search", 1)
    assert isinstance(changed(toy, shown, Replace(Stage.SEARCH, 0, CAST), later="keep")[-1], events.Finished)


def test_conditions_of_what_search_no_longer_reaches_are_gone(toy: GraphStore) -> None:
    shown = [
        event.model_copy(update={"reason": "chosen"}) if isinstance(event, events.PruningEnded) else event
        for event in asked(toy)
    ]
    taken = kept(Continuation(tuple(shown), EndStage(Stage.SEARCH, 2), later="keep"), toy)
    dated = ConstraintOption(Constraint(1, Operator.EQUAL, Date("2013")))
    left = taken.decisions.take(Stage.PRUNE, 0, OptionPool((dated, NoneOption())))
    # The condition on the characters went with them, and pruning ends as it did after that.
    assert left is not None
    assert left.pool.options[left.chosen] == NoneOption()


def test_the_new_run_says_what_it_kept_and_of_which_model(toy: GraphStore) -> None:
    shown = asked(toy)
    again = changed(toy, shown, Replace(Stage.SEARCH, 2, None), Arbitrary(3), later="ask")
    started = again[0]
    assert isinstance(started, events.Started)
    assert started.continued == events.ContinuedRecord(
        kept=3, change=events.ChangeRecord(kind="replace", stage="search", number=2), later="ask", scorer="rules"
    )
    assert started.scorer == "arbitrary"
    assert again[1:4] == shown[1:4]
    given = again[4]
    assert isinstance(given, events.SearchEnded)
    assert given.decision is not None
    assert (given.decision.given, given.decision.cost) == (True, None)


def test_costs_of_what_is_kept_count(toy: GraphStore) -> None:
    shown = asked(toy)
    again = changed(toy, shown, Replace(Stage.INFER, 0, 2))
    finished = again[-1]
    assert isinstance(finished, events.Finished)
    assert finished.cost.calls == 6, "of seven, all but the changed one"
    assert recorded_costs(again)[Stage.INFER] == Cost()


@pytest.mark.parametrize(
    "change",
    [
        Replace(Stage.SEARCH, 9, None),
        Remove(Stage.PRUNE, 4),
        Remove(Stage.SEARCH, 3),
        EndStage(Stage.PRUNE, 7),
        Insert(Stage.INFER, 2, 1),
    ],
)
def test_what_is_not_there_cannot_be_changed(toy: GraphStore, change: Change) -> None:
    shown = asked(toy)
    with pytest.raises(ContinuationRefusedError) as refused:
        changed(toy, shown, change)
    assert refused.value.for_people == (
        f"This run has no decision {change.number + 1} in its stage “{change.stage.label}”, so it cannot be changed. "
        "Choose one that it made."
    )


def test_a_run_that_had_not_begun_cannot_be_changed(toy: GraphStore) -> None:
    with pytest.raises(ContinuationRefusedError) as refused:
        kept(Continuation((), Replace(Stage.SEARCH, 0, CAST)), toy)
    shown = "This run had not begun, so there is no decision to change. Ask the question."
    assert refused.value.for_people == shown


def test_a_graph_that_was_loaded_anew_is_refused(toy: GraphStore) -> None:
    shown = asked(toy)
    started = shown[0].model_copy(update={"graph_version": "another"})
    with pytest.raises(ContinuationRefusedError) as refused:
        go_on(KITT_QUESTION, toy, KITT, Continuation((started, *shown[1:])))
    assert refused.value.for_people == (
        f"The graph “{toy.info().title}” was reloaded after this was asked, so its decisions cannot be kept. "
        "Ask the question again."
    )


def test_a_choice_that_the_graph_does_not_offer_ends_the_run_with_the_reason(toy: GraphStore) -> None:
    again = changed(toy, asked(toy), Replace(Stage.SEARCH, 0, SearchStep(0, Relation("no.such.relation"))))
    failed = again[-1]
    assert isinstance(failed, events.Failed)
    assert "no entity at position 0 has the relation no.such.relation" in failed.message


@pytest.mark.slow
@settings(anything, max_examples=40)
@given(st.sampled_from(QUESTIONS), st.integers(0, 10_000), st.booleans(), st.sampled_from(["reads", "beam"]), st.data())
def test_a_changed_run_that_was_broken_off_goes_on_to_the_same_run(
    toy: GraphStore, question: str, seed: int, keep: bool, strategy: str, data: st.DataObject
) -> None:
    shown = list(answer(question, toy, Arbitrary(seed), strategy=strategy))
    made = [one for one in decisions_made(shown) if one.stage is not Stage.LINK]
    if not made:
        return
    one = data.draw(st.sampled_from(made))
    possible: list[Change] = [Replace(one.stage, one.number, one.choice)]
    if one.stage is not Stage.INFER:
        possible += [EndStage(one.stage, one.number), Replace(one.stage, one.number, None)]
        possible += [Remove(one.stage, one.number)] if one.choice is not None else []
    change = data.draw(st.sampled_from(possible))
    how = Continuation(tuple(shown), change, later="keep" if keep else "ask")
    whole = list(go_on(question, toy, Arbitrary(seed + 1), how, strategy=strategy))
    assert whole[-1].kind == "finished"
    length = data.draw(st.integers(1, len(whole)))
    scorer = Counting(Arbitrary(seed + 1))
    again = list(go_on(question, toy, scorer, replace(how, emitted=tuple(whole[:length])), strategy=strategy))
    kept = [event for event in whole[:length] if event.kind != "finished"]
    assert again[: len(kept)] == kept
    assert essence(again) == essence(whole)


@pytest.mark.parametrize("topic", [None, Entity("en.knight_rider")])
def test_what_a_changed_run_decided_before_it_was_broken_off_asks_no_model(
    toy: GraphStore, topic: Entity | None
) -> None:
    shown = list(answer(KITT_QUESTION, toy, KITT, topic=topic))
    how = Continuation(tuple(shown), Replace(Stage.SEARCH, 1, CHARACTER))
    whole = list(go_on(KITT_QUESTION, toy, KITT, how))
    broken_off = replace(how, emitted=tuple(whole[:-1]))
    scorer = Counting(KITT)
    assert essence(go_on(KITT_QUESTION, toy, scorer, broken_off)) == essence(whole)
    assert scorer.asked == 0
    taken_over = kept(broken_off, toy)
    assert (taken_over.topic, taken_over.decides_topic) == (topic, topic is None)


def test_another_reading_is_taken_with_all_its_decisions_and_asks_nobody(toy: GraphStore) -> None:
    shown = list(answer(KITT_QUESTION, toy, KITT, strategy="beam"))
    finished = shown[-1]
    assert isinstance(finished, events.Finished)
    assert finished.readings
    for index, reading in enumerate(finished.readings):
        again = list(go_on(KITT_QUESTION, toy, None, Continuation(tuple(shown), TakeReading(index))))
        started, end = again[0], again[-1]
        assert isinstance(started, events.Started)
        assert started.continued is not None
        assert started.continued.change == events.ChangeRecord(kind="reading", stage="", number=index)
        assert isinstance(end, events.Finished)
        assert end.verdict == reading.verdict
        assert {answer.term.id for answer in end.answers} >= {term.id for term in reading.answers}
        assert end.answers_total == reading.answers_total
        assert end.confidence == pytest.approx(reading.probability)


def test_a_reading_that_was_not_kept_is_refused(toy: GraphStore) -> None:
    shown = asked(toy)
    with pytest.raises(ContinuationRefusedError, match="no other reading 1"):
        go_on(KITT_QUESTION, toy, None, Continuation(tuple(shown), TakeReading(0)))


def test_what_was_taken_out_stays_out_in_further_changes(toy: GraphStore) -> None:
    shown = asked(toy)
    dropped = changed(toy, shown, Remove(Stage.PRUNE, 0), KITT)
    assert choices(dropped, Stage.PRUNE) == []
    scorer = Counting(KITT)
    place = choices(dropped, Stage.INFER)[0]
    other = changed(toy, dropped, Replace(Stage.INFER, 0, 5 - place), scorer)  # type: ignore[operator]
    assert scorer.asked == 0
    assert choices(other, Stage.PRUNE) == []
    assert choices(other, Stage.INFER) == [5 - place]  # type: ignore[operator]
    # Nor does it come back where the run is only shown again.
    topic, given_again = choices_again(other)
    again = list(answer(KITT_QUESTION, toy, None, topic=topic, given=given_again))
    assert end_of(again).answers == end_of(other).answers
    offered = AskedRun(other, toy).options(Stage.INFER, 0)
    assert [choice_of_option(option) for option in offered] == [2, 3]


def end_of(emitted: list[events.StageEvent]) -> events.Finished:
    assert isinstance(emitted[-1], events.Finished)
    return emitted[-1]
