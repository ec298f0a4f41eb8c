"""What every strategy promises, for each that is registered, and for one that is made up here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.errors import UnknownStrategyError, WriterMissingError
from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer, go_on
from reasoning.narration.replay import choices_made
from reasoning.narration.wording import RunWords
from reasoning.run.continuation import Continuation
from reasoning.run.run import RunLimits
from reasoning.strategies.registry import STRATEGIES, StrategyEntry, open_strategy
from tests.reasoning.made_up import MADE_UP, OneStep, RecordedWriter, Sketch, made_up_registered
from tests.reasoning.rules import KITT, KITT_QUESTION, Counting, RuleScorer
from tests.test_folders import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgstore.store import GraphStore


@pytest.fixture(params=[*STRATEGIES, *MADE_UP])
def strategy(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of every strategy; those made up for tests are registered as any other would be, by one entry."""
    with made_up_registered():
        yield str(request.param)


ALL_DECISIONS = [name for name in STRATEGIES if not open_strategy(name).needs_writer]
"""Those whose runs are their decisions alone, without any text."""


def writer() -> RecordedWriter:
    """For strategies that need one; others pay no heed."""
    return RecordedWriter(("KITT",) * 20)


ON = EngineSwitches.of(model_may_answer=True, determination="explorer")


def run(strategy: str, store: GraphStore, question: str = KITT_QUESTION, **more: object) -> list[events.StageEvent]:
    return list(answer(question, store, KITT, strategy=strategy, writer=writer(), **more))  # type: ignore[arg-type]


def plain(emitted: list[events.StageEvent]) -> list[dict[str, object]]:
    """Events as JSON, without what no two runs have in common: times and costs, and how a choice was come by.

    If choices are given, the other options are not weighed.
    """
    weighing = events.ReadingsKept | events.PlansProposed | events.Sufficiency | events.SelectionMade
    weighing |= events.FrontierKept | events.PathsWeighed | events.CandidatesRanked
    documents = [event.model_dump(mode="json") for event in emitted if not isinstance(event, weighing)]
    for document in documents:
        for name in ("seconds", "cost", "costs", "decision", "scorer", "confidence", "readings", "weight"):
            document.pop(name, None)
        for one in document.get("answers", ()):
            one.pop("weight", None)
            one.pop("evidence", None)
    return documents


def test_a_run_begins_with_its_strategy_and_ends_once(strategy: str, toy: GraphStore) -> None:
    shown = run(strategy, toy)
    assert isinstance(shown[0], events.Started)
    assert shown[0].strategy == strategy
    assert [event.kind in events.TERMINAL_KINDS for event in shown] == [False] * (len(shown) - 1) + [True]


def test_the_example_of_the_documents_answers(toy: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (REPOSITORY / "docs/how-to/add-a-strategy.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "one_hop"}
    exec(page.split("```python\n")[1].split("```")[0], names)  # noqa: S102 - the example's own
    monkeypatch.setitem(STRATEGIES, "one-hop", StrategyEntry("One hop", "Follows one relation.", names["OneHop"]))
    *_, step, ended = run("one-hop", toy)
    assert isinstance(step, events.SearchStepTaken)
    assert isinstance(ended, events.Finished)
    assert ended.verdict == "answered"
    assert all(one.path for one in ended.answers)


def test_every_event_is_read_back_as_it_was_written(strategy: str, toy: GraphStore) -> None:
    for event in run(strategy, toy):
        assert type(event).model_validate_json(event.model_dump_json()) == event


@pytest.mark.slow
def test_two_runs_are_alike(strategy: str, toy: GraphStore) -> None:
    assert plain(run(strategy, toy)) == plain(run(strategy, toy))


@pytest.mark.parametrize("strategy", [*ALL_DECISIONS, OneStep.name], indirect=True)
def test_its_own_decisions_given_back_make_the_same_run_without_asking(strategy: str, toy: GraphStore) -> None:
    shown = run(strategy, toy)
    topic, choices = choices_made(shown)
    given = {(Stage.LINK, 0): topic, **choices}
    again = list(answer(KITT_QUESTION, toy, None, strategy=strategy, given=given))
    assert plain(again)[1:] == plain(shown)[1:]
    finished = again[-1]
    assert isinstance(finished, events.Finished)
    assert finished.cost.calls == 0


def timeless(emitted: Iterable[events.StageEvent]) -> list[dict[str, object]]:
    """Events as JSON without times, which no two runs have in common."""
    return [{k: v for k, v in event.model_dump(mode="json").items() if k != "seconds"} for event in emitted]


def kept(emitted: list[events.StageEvent]) -> Continuation:
    return Continuation(tuple(emitted))


def test_it_goes_on_from_wherever_it_was_broken_off(strategy: str, toy: GraphStore) -> None:
    shown = run(strategy, toy)
    for length in range(len(shown)):
        again = list(go_on(KITT_QUESTION, toy, KITT, kept(shown[:length]), strategy=strategy, writer=writer()))
        assert again[:length] == shown[:length], "what was kept is told as it was told"
        assert timeless(again) == timeless(shown)


def test_what_is_kept_asks_no_model(strategy: str, toy: GraphStore) -> None:
    shown = run(strategy, toy)
    again = list(go_on(KITT_QUESTION, toy, None, kept(shown), strategy=strategy, writer=RecordedWriter(())))
    assert timeless(again) == timeless(shown)
    last = [event for event in shown if event.kind != "finished"]
    counted = Counting(KITT)
    list(go_on(KITT_QUESTION, toy, counted, kept(last), strategy=strategy, writer=RecordedWriter(())))
    assert counted.asked == 0


def test_it_stops_where_nobody_has_decided(strategy: str, toy: GraphStore) -> None:
    shown = run(strategy, toy)[:1]
    stop = Continuation(tuple(shown), otherwise="stop")
    (started, stopped) = go_on(KITT_QUESTION, toy, KITT, stop, strategy=strategy, writer=writer())
    assert started == shown[0]
    assert isinstance(stopped, events.Undecided)
    assert (stopped.stage, stopped.number, stopped.total) == ("link", 0, len(stopped.options))
    assert {option.probability for option in stopped.options} == {None}


def test_costs_and_seconds_are_reported_by_stage_and_add_up(strategy: str, toy: GraphStore) -> None:
    finished = run(strategy, toy)[-1]
    assert isinstance(finished, events.Finished)
    assert finished.costs is not None
    assert list(finished.costs) == list(finished.seconds) == [str(stage) for stage in Stage]
    assert sum(cost.calls for cost in finished.costs.values()) == finished.cost.calls > 0


def test_what_it_comes_to_stands_in_the_trace_uncut(strategy: str, toy: GraphStore) -> None:
    trace = Trace()
    finished = run(strategy, toy, trace=trace, limits=RunLimits(answers_shown=0), switches=ON)[-1]
    assert isinstance(finished, events.Finished)
    assert len(trace.answers) == finished.answers_total > 0


def test_a_question_that_names_nothing_is_not_in_the_graph(strategy: str, toy: GraphStore) -> None:
    finished = run(strategy, toy, question="what is the meaning of it all?")[-1]
    assert isinstance(finished, events.Finished)
    assert (finished.verdict, finished.reason, finished.answers) == ("not_in_graph", "no_topic", [])


def test_a_decision_that_does_not_fit_ends_the_run_with_the_reason(strategy: str, toy: GraphStore) -> None:
    emitted = list(answer(KITT_QUESTION, toy, None, strategy=strategy, writer=writer()))
    assert isinstance(emitted[-1], events.Failed)
    assert emitted[-1].code == "invalid_decision"


def test_a_strategy_that_is_not_there_is_refused_before_the_first_event(toy: GraphStore) -> None:
    with pytest.raises(UnknownStrategyError, match=r"no strategy “guess”\. Choose one of: reads"):
        answer(KITT_QUESTION, toy, RuleScorer(()), strategy="guess")


def test_a_strategy_that_needs_a_writer_is_refused_without_one(strategy: str, toy: GraphStore) -> None:
    if not open_strategy(strategy).needs_writer:
        assert list(answer(KITT_QUESTION, toy, KITT, strategy=strategy))[-1].kind == "finished"
        return
    with pytest.raises(WriterMissingError, match="needs a model that writes"):
        answer(KITT_QUESTION, toy, KITT, strategy=strategy)


@pytest.mark.parametrize("strategy", [Sketch.name], indirect=True)
def test_what_a_model_wrote_is_marked_and_costs(strategy: str, toy: GraphStore) -> None:
    (wrote,) = (event for event in run(strategy, toy) if isinstance(event, events.ModelWrote))
    assert (wrote.writer, wrote.text, wrote.length, wrote.cost.calls) == ("recorded", "KITT", 4, 1)
    assert [message.text for message in wrote.messages] == [KITT_QUESTION]
    short = run(strategy, toy, limits=RunLimits(characters_shown=2))
    (cut,) = (event for event in short if isinstance(event, events.ModelWrote))
    assert (cut.text, cut.length, cut.messages[0].text, cut.messages[0].length) == ("KI", 4, "wh", len(KITT_QUESTION))


@pytest.mark.parametrize("strategy", [Sketch.name], indirect=True)
def test_an_answer_that_no_fact_supports_is_the_models_own(strategy: str, toy: GraphStore) -> None:
    finished = run(strategy, toy, switches=ON)[-1]
    assert isinstance(finished, events.Finished)
    assert (finished.verdict, [answer.term.label for answer in finished.answers]) == ("from_the_model", ["KITT"])


@pytest.mark.parametrize("strategy", [Sketch.name], indirect=True)
def test_an_answer_that_no_fact_supports_is_none_unless_it_is_asked_for(strategy: str, toy: GraphStore) -> None:
    trace = Trace()
    finished = run(strategy, toy, trace=trace)[-1]
    assert isinstance(finished, events.Finished)
    assert (finished.verdict, finished.reason) == ("no_answer_found", "unsupported")
    assert (finished.answers, finished.answers_total, trace.answers) == ([], 0, ())


@pytest.mark.parametrize("strategy", [Sketch.name], indirect=True)
def test_a_selection_tells_what_was_kept_of_how_many(strategy: str, toy: GraphStore) -> None:
    (made,) = (event for event in run(strategy, toy) if isinstance(event, events.SelectionMade))
    selection = made.selection
    assert (selection.measure, len(selection.kept)) == ("probability", 2)
    assert selection.weights == sorted(selection.weights, reverse=True)
    assert [option.index for option in selection.options][:2] == selection.kept
    assert selection.total == 4


@pytest.mark.parametrize("strategy", [Sketch.name], indirect=True)
@pytest.mark.parametrize("text", ["KITT", ""])
def test_how_sure_a_run_is_that_kept_several_options_nobody_knows(strategy: str, toy: GraphStore, text: str) -> None:
    finished = list(answer(KITT_QUESTION, toy, KITT, strategy=strategy, writer=RecordedWriter((text,))))[-1]
    assert isinstance(finished, events.Finished)
    assert finished.confidence is None


@pytest.mark.parametrize("strategy", [Sketch.name], indirect=True)
def test_answers_may_bear_weights_and_several_proofs(strategy: str, toy: GraphStore) -> None:
    silent = RecordedWriter(("",))
    finished = list(answer(KITT_QUESTION, toy, KITT, strategy=strategy, writer=silent))[-1]
    assert isinstance(finished, events.Finished)
    assert finished.verdict == "answered"
    weights = [answer.weight for answer in finished.answers if answer.weight is not None]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) == finished.answers_total
    assert all(answer.evidence for answer in finished.answers)


def test_no_strategy_is_sure_of_an_answer_that_leaves_out_a_name(toy: GraphStore, strategy: str) -> None:
    question = "who plays in Knight Rider with KITT, the Super Bowl and Jamaica?"
    last = run(strategy, toy, question, topic=Entity("en.knight_rider"))[-1]
    assert isinstance(last, events.Finished)
    if last.verdict != "answered" or last.unused_words is None:
        # No answer, or a model that writes named it: it read the whole question.
        assert last.partial is None
        return
    left_out = {question[start:end] for start, end in last.partial or ()}
    assert {"Super Bowl", "Jamaica"} <= left_out
    assert (RunWords().confidence(last), last.calibrated) == ("", None)
