"""What every strategy is given by a run: decisions, texts, clocks and costs by stage, how it began and how it ended."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Entity, Relation, TermKind
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.errors import InvalidDecisionError, WriterMissingError
from reasoning.core.options import AnswerOption, NoneOption, OptionPool, Stage, StepOption
from reasoning.core.structure import AbstractStructure, InstanceGraph
from reasoning.core.switches import EngineSwitches
from reasoning.narration.narration import cost_record
from reasoning.question.linking import link
from reasoning.run.decisions import GivenDecisions
from reasoning.run.run import Run, RunLimits, UndecidedStopError
from reasoning.scorers.base import Cost
from reasoning.scorers.calibration import Calibration
from reasoning.writers.base import Message, Written
from tests.reasoning.rules import KITT_QUESTION, RuleScorer, Witness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore

KITT, KNIGHT_RIDER = Entity("en.kitt"), Entity("en.knight_rider")
POOL = OptionPool((AnswerOption(1), AnswerOption(2), AnswerOption(3), NoneOption()))
SECOND = RuleScorer(("answer 2",))
STRUCTURE = AbstractStructure.rooted("Knight Rider")
ASKED = Cost(calls=1, tokens_in=9)


def decided(run: Run, number: int = 0, pool: OptionPool = POOL) -> object:
    return run.decide(Stage.INFER, number, pool, STRUCTURE, link(run.question, run.store, KNIGHT_RIDER)).option


def test_a_stage_is_timed_as_long_as_its_block_lasts(toy: GraphStore) -> None:
    run = Run(KITT_QUESTION, toy, None)
    with run.timed(Stage.SEARCH) as clock:
        time.sleep(0.01)
        assert 0.01 <= clock() < 10
    first = clock()
    with pytest.raises(KeyError), run.timed(Stage.SEARCH) as clock:
        raise KeyError
    assert first >= 0.01
    assert run.stage_seconds[Stage.SEARCH] == pytest.approx(first + clock())
    assert run.stage_seconds[Stage.PRUNE] == 0.0


def test_what_is_not_given_is_asked_of_the_scorer_and_its_cost_is_the_stage_s(toy: GraphStore) -> None:
    run = Run(KITT_QUESTION, toy, SECOND, decisions=GivenDecisions({(Stage.INFER, 1): 3}))
    assert decided(run) == AnswerOption(2)
    assert run.costs[Stage.INFER] == ASKED
    assert decided(run, 1) == AnswerOption(3)
    assert decided(run, 2) == AnswerOption(2)
    assert run.costs[Stage.INFER] == ASKED + ASKED
    assert run.costs[Stage.SEARCH] == Cost()


def test_the_confidence_is_the_product_of_what_had_a_choice(toy: GraphStore) -> None:
    run = Run(KITT_QUESTION, toy, SECOND, decisions=GivenDecisions({(Stage.INFER, 2): 3}))
    assert run.confidence == 1.0
    decided(run)
    decided(run, pool=OptionPool((AnswerOption(1),)))
    decided(run, 1)
    assert run.confidence == pytest.approx(0.64)
    decided(run, 2)
    assert run.confidence is None
    decided(run, 3)
    assert run.confidence is None


def test_what_a_person_took_out_is_not_offered(toy: GraphStore) -> None:
    run = Run(KITT_QUESTION, toy, SECOND, decisions=GivenDecisions(barred=frozenset({(Stage.INFER, 2)})))
    assert decided(run) == NoneOption()


def test_without_a_scorer_a_decision_must_be_given(toy: GraphStore) -> None:
    with pytest.raises(InvalidDecisionError, match="No choice is given for infer decision 4, and there is no model"):
        decided(Run(KITT_QUESTION, toy, None), 4)


def test_a_run_that_is_asked_to_stop_tells_what_there_is_to_choose_from(toy: GraphStore) -> None:
    limits = RunLimits(options_shown=2)
    run = Run(KITT_QUESTION, toy, SECOND, decisions=GivenDecisions(otherwise="stop"), limits=limits)
    with pytest.raises(UndecidedStopError, match="infer decision 4 is open") as stopped:
        decided(run, 4)
    shown = stopped.value.undecided
    assert (shown.stage, shown.number, shown.total) == ("infer", 4, 4)
    assert [option.index for option in shown.options] == [0, 1, 3]
    assert run.costs[Stage.INFER] == Cost()


def test_the_scorer_is_shown_the_question_and_what_it_names(toy: GraphStore) -> None:
    scorer = Witness(("answer 2",))
    run = Run(KITT_QUESTION, toy, scorer)
    run.trace.graph = InstanceGraph((frozenset({KNIGHT_RIDER}), frozenset({KITT})))
    linking = link(KITT_QUESTION, toy, KNIGHT_RIDER)
    run.decide(Stage.PRUNE, 0, POOL, STRUCTURE, linking)
    [(state, pool)] = scorer.seen  # type: ignore[attr-defined]
    assert pool == POOL
    assert (state.stage, state.question, state.structure, state.constraints) == (
        Stage.PRUNE, KITT_QUESTION, STRUCTURE, (),
    )  # fmt: skip
    assert (state.topic, state.targets) == (linking.mention, linking.targets)
    assert state.labels == {KITT: "KITT", KNIGHT_RIDER: "Knight Rider"}
    assert state.reached == (KITT,)
    assert state.types[KNIGHT_RIDER] == ("tv.tv_program",)
    run.ask(Stage.PRUNE, 0, POOL, STRUCTURE, linking, graph=InstanceGraph.rooted(KNIGHT_RIDER))
    assert scorer.seen[-1][0].reached == ()  # type: ignore[attr-defined]


def test_a_switch_keeps_kinds_from_the_scorer(toy: GraphStore) -> None:
    scorer = Witness(())
    run = Run(KITT_QUESTION, toy, scorer, switches=EngineSwitches(entity_types=False))
    step = StepOption(SearchStep(0, Relation("r.s.t")), 1, 1, TermKind.DATE)
    linking = link(KITT_QUESTION, toy, KNIGHT_RIDER)
    run.ask(Stage.SEARCH, 0, OptionPool((step, NoneOption())), STRUCTURE, linking)
    [(state, pool)] = scorer.seen  # type: ignore[attr-defined]
    assert state.types == {}
    assert pool.options[0].kind is TermKind.ENTITY


def test_several_options_are_kept_with_their_weights(toy: GraphStore) -> None:
    scorer = Witness(("answer 2",))
    run = Run(KITT_QUESTION, toy, scorer, limits=RunLimits(options_shown=3))
    linking = link(KITT_QUESTION, toy, KNIGHT_RIDER)
    selection = run.select(Stage.SEARCH, 1, POOL, STRUCTURE, linking, keep=2)
    [(state, pool)] = scorer.seen  # type: ignore[attr-defined]
    assert (state.structure, pool, scorer.wanted) == (STRUCTURE, POOL, [2])  # type: ignore[attr-defined]
    (first, weight), (second, less) = selection.options
    assert (first, second) == (AnswerOption(2), AnswerOption(1))
    assert (weight, less) == (pytest.approx(0.8), pytest.approx(0.2 / 3))
    assert (selection.record.stage, selection.record.number) == ("search", 1)
    assert 0 <= selection.record.seconds <= run.stage_seconds[Stage.SEARCH]
    assert len(selection.record.selection.options) == 3
    assert run.confidence is None
    # The run that goes on with it takes the same without asking the model.
    again = Run(KITT_QUESTION, toy, None, kept=(selection.record,))
    assert again.select(Stage.SEARCH, 1, POOL, STRUCTURE, linking, keep=2) == selection
    for stage, number in ((Stage.SEARCH, 0), (Stage.PRUNE, 1)):
        with pytest.raises(InvalidDecisionError):
            again.select(stage, number, POOL, STRUCTURE, linking, keep=2)


# Texts


@dataclass
class Author:
    """Writes one text after the other, and keeps how it was asked."""

    texts: list[str]
    name: str = "author"
    asked: list[tuple[Sequence[Message], dict[str, Any]]] = field(default_factory=list)

    def write(self, messages: Sequence[Message], **how: Any) -> Written:
        self.asked.append((messages, how))
        return Written(self.texts.pop(0), Cost(1, 12, 3))


MESSAGES = (Message("system", "Be brief."), Message("user", "Who plays the voice of KITT?"))


def nobody_waits() -> bool:
    return True


def test_a_text_is_reported_with_what_was_sent_each_cut_where_it_is_long(toy: GraphStore) -> None:
    author = Author(["William Daniels does"])
    limits = RunLimits(characters_shown=10)
    run = Run(KITT_QUESTION, toy, None, writer=author, cancelled=nobody_waits, limits=limits)
    text, shown = run.write(Stage.INFER, "to answer", MESSAGES, limit=50, temperature=0.7, stop=("\n",))
    assert text == "William Daniels does"
    assert author.asked == [(MESSAGES, {"limit": 50, "temperature": 0.7, "stop": ("\n",), "cancelled": nobody_waits})]
    assert (shown.stage, shown.purpose, shown.writer) == ("infer", "to answer", "author")
    assert (shown.text, shown.length) == ("William Da", 20)
    assert [(one.role, one.text, one.length) for one in shown.messages] == [
        ("system", "Be brief.", 9),
        ("user", "Who plays ", 28),
    ]
    assert shown.cost == cost_record(Cost(1, 12, 3))
    assert shown.seconds == run.stage_seconds[Stage.INFER]
    assert run.costs[Stage.INFER] == Cost(1, 12, 3)
    run.writer = Author(["x"])
    run.write(Stage.INFER, "to answer", MESSAGES, limit=50)
    assert run.writer.asked[0][1]["temperature"] == 0.0


def test_texts_that_a_run_keeps_are_not_written_again_unless_they_were_cut(toy: GraphStore) -> None:
    limits = RunLimits(characters_shown=10)
    first = Run(KITT_QUESTION, toy, None, writer=Author(["one", "more than ten", "three"]), limits=limits)
    kept = tuple(first.write(Stage.INFER, "to answer", MESSAGES, limit=50)[1] for _ in range(3))
    author = Author(["two", "four"])
    run = Run(KITT_QUESTION, toy, None, writer=author, kept=kept)
    texts = [run.write(Stage.INFER, "to answer", MESSAGES, limit=50)[0] for _ in range(4)]
    assert texts == ["one", "two", "three", "four"]
    assert run.costs[Stage.INFER] == Cost(2, 24, 6)


def test_without_a_model_that_writes_the_reason_is_reported(toy: GraphStore) -> None:
    message = "This needs a language model that writes, and none is set. Choose another method."
    with pytest.raises(WriterMissingError, match=message):
        Run(KITT_QUESTION, toy, None).write(Stage.INFER, "to answer", MESSAGES, limit=50)


# The beginning and the end


class Sure(RuleScorer):
    """A scorer of which it is known how far it is to be trusted."""

    def calibration_over(self, store: GraphStore) -> Calibration | None:
        del store
        return Calibration(0.5, 0.0)


def test_a_run_begins_by_telling_what_it_asks_and_whom(toy: GraphStore) -> None:
    shown = Run(KITT_QUESTION, toy, SECOND).started("reads")
    info = toy.info()
    assert (shown.question, shown.strategy, shown.scorer, shown.continued) == (KITT_QUESTION, "reads", "rules", None)
    assert (shown.graph, shown.graph_title, shown.graph_version) == ("toy", "Toy", info.version)
    assert shown.calibration is None
    assert Run(KITT_QUESTION, toy, None).started("reads").scorer == "given decisions"
    sure = Run(KITT_QUESTION, toy, Sure(("answer 2",))).started("reads")
    assert sure.calibration == events.CalibrationRecord(slope=0.5, intercept=0.0)
    kept = Run(KITT_QUESTION, toy, Sure(()), calibration=Calibration(2.0, 0.0)).started("reads")
    assert kept.calibration == events.CalibrationRecord(slope=2.0, intercept=0.0)


def test_a_run_ends_with_its_answers_its_costs_and_how_sure_it_is(toy: GraphStore) -> None:
    run = Run(KITT_QUESTION, toy, Sure(("answer 2",)))
    decided(run)
    with run.timed(Stage.PRUNE):
        pass
    answer = events.AnswerRecord(term=run.narrator.term(KITT), path=[], conditions=[])
    shown = run.finished("answered", "answered", [answer], 7, readings=[])
    assert (shown.verdict, shown.reason, shown.answers, shown.answers_total) == ("answered", "answered", [answer], 7)
    assert (shown.unused_words, shown.readings) == (None, [])
    assert shown.cost == shown.costs["infer"] == cost_record(ASKED)
    assert shown.costs["search"] == cost_record(Cost())
    assert shown.seconds == {stage.value: run.stage_seconds[stage] for stage in Stage}
    assert shown.confidence == pytest.approx(0.8)
    assert shown.calibrated == pytest.approx(Calibration(0.5, 0.0)(0.8))


def test_how_sure_a_run_is_of_finding_nothing_is_not_corrected(toy: GraphStore) -> None:
    run = Run(KITT_QUESTION, toy, Sure(("answer 2",)))
    decided(run)
    shown = run.finished("no_answer_found", "no_relation")
    assert (shown.answers, shown.answers_total, shown.unused_words, shown.readings) == ([], 0, None, None)
    assert (shown.confidence, shown.calibrated) == (pytest.approx(0.8), None)
    run.confidence = None
    shown = run.finished("answered", "answered")
    assert (shown.confidence, shown.calibrated) == (None, None)


@pytest.mark.parametrize("may", [True, False])
def test_what_a_model_answers_by_itself_is_no_answer_unless_a_switch_says_so(toy: GraphStore, may: bool) -> None:
    run = Run(KITT_QUESTION, toy, SECOND, switches=EngineSwitches(model_may_answer=may))
    run.trace.answers = (KITT,)
    answer = events.AnswerRecord(term=run.narrator.term(KITT), path=[], conditions=[])
    shown = run.finished("from_the_model", "from_the_model", [answer], 1)
    assert shown.confidence is None
    if may:
        assert (shown.verdict, shown.reason, shown.answers_total) == ("from_the_model", "from_the_model", 1)
        assert (shown.answers, run.trace.answers) == ([answer], (KITT,))
    else:
        assert (shown.verdict, shown.reason, shown.answers_total) == ("no_answer_found", "unsupported", 0)
        assert (shown.answers, run.trace.answers) == ([], ())
