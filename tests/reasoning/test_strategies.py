"""What every strategy promises, for each that is registered, and for one that is made up here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reasoning import events
from reasoning.continuation import Continuation
from reasoning.engine import answer, go_on
from reasoning.errors import UnknownStrategyError
from reasoning.options import Stage, StepOption
from reasoning.pools import facts_of, search_pool, step_options
from reasoning.replay import choices_made
from reasoning.run import RunLimits
from reasoning.strategies import registry
from reasoning.strategies.registry import STRATEGIES, StrategyEntry
from reasoning.structure import ROOT
from reasoning.topic_choice import choose_topic
from reasoning.trace import Trace
from tests.reasoning.rules import KITT, KITT_QUESTION, Counting, RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgstore.store import GraphStore
    from reasoning.run import Run


class OneStep:
    """A strategy of one step: the topic, a relation, and all that it leads to is the answer."""

    name = "one-step"
    needs_writer = False

    def answer(self, run: Run) -> Iterator[events.StageEvent]:
        """See `reasoning.strategy.Strategy`."""
        linking = yield from choose_topic(run)
        if linking.topic is None:
            yield run.finished("not_in_graph", "no_topic")
            return
        with run.timed(Stage.SEARCH) as clock:
            pool = search_pool(step_options(run.store, run.trace.graph, ROOT, linking.targets))
            made = run.decide(Stage.SEARCH, 0, pool, run.trace.structure, linking)
        if not isinstance(made.option, StepOption):
            yield events.SearchEnded(reason="chosen", decision=made.told, seconds=clock())
            yield run.finished("no_answer_found", "no_relation")
            return
        step = made.option.step
        found = facts_of(step, run.trace.graph, run.store, run.limits.facts_per_step)
        run.trace.structure = run.trace.structure.grow(ROOT, step.relation, made.option.kind)
        run.trace.graph = run.trace.graph.grow(step.relation, found.triples)
        run.trace.answers = tuple(sorted(run.trace.graph.members[1], key=str))
        gained = run.trace.graph.facts_at(1)
        yield events.SearchStepTaken(
            step=1,
            decision=made.told,
            node=run.narrator.node(run.trace.structure.nodes[1]),
            facts=run.narrator.facts(gained[: run.limits.facts_shown]),
            facts_gained=len(gained),
            facts_available=found.total,
            members=len(run.trace.graph.members[1]),
            structure_size=2,
            graph_size=len(gained),
            seconds=clock(),
        )
        told = [events.AnswerRecord(term=run.narrator.term(term), path=[], conditions=[]) for term in run.trace.answers]
        yield run.finished("answered", "answered", told, len(told))


@pytest.fixture(params=[*STRATEGIES, OneStep.name])
def strategy(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of every strategy; the one of this file is registered as any other would be, by one entry."""
    entry = StrategyEntry("One step", "Follows one relation.", OneStep)
    monkeypatch.setitem(registry.STRATEGIES, OneStep.name, entry)
    return str(request.param)


def run(strategy: str, store: GraphStore, question: str = KITT_QUESTION, **more: object) -> list[events.StageEvent]:
    return list(answer(question, store, KITT, strategy=strategy, **more))  # type: ignore[arg-type]


def plain(told: list[events.StageEvent]) -> list[dict[str, object]]:
    """Events as JSON, without what no two runs have in common: times and costs, and how a choice was come by."""
    documents = [event.model_dump(mode="json") for event in told if not isinstance(event, events.ReadingsKept)]
    for document in documents:
        for name in ("seconds", "cost", "costs", "decision", "scorer", "confidence", "readings"):
            document.pop(name, None)
    return documents


def test_a_run_begins_with_its_strategy_and_ends_once(strategy: str, toy: GraphStore) -> None:
    told = run(strategy, toy)
    assert isinstance(told[0], events.Started)
    assert told[0].strategy == strategy
    assert [event.kind in events.TERMINAL_KINDS for event in told] == [False] * (len(told) - 1) + [True]


def test_every_event_is_read_back_as_it_was_written(strategy: str, toy: GraphStore) -> None:
    for event in run(strategy, toy):
        assert type(event).model_validate_json(event.model_dump_json()) == event


def test_two_runs_are_alike(strategy: str, toy: GraphStore) -> None:
    assert plain(run(strategy, toy)) == plain(run(strategy, toy))


def test_its_own_decisions_given_back_make_the_same_run_without_asking(strategy: str, toy: GraphStore) -> None:
    told = run(strategy, toy)
    topic, choices = choices_made(told)
    again = list(answer(KITT_QUESTION, toy, None, strategy=strategy, given={(Stage.LINK, 0): topic, **choices}))
    assert plain(again)[1:] == plain(told)[1:]
    finished = again[-1]
    assert isinstance(finished, events.Finished)
    assert finished.cost.calls == 0


def timeless(told: Iterable[events.StageEvent]) -> list[dict[str, object]]:
    """Events as JSON without times, which no two runs have in common."""
    return [{k: v for k, v in event.model_dump(mode="json").items() if k != "seconds"} for event in told]


def test_it_goes_on_from_wherever_it_was_broken_off(strategy: str, toy: GraphStore) -> None:
    told = run(strategy, toy)
    for length in range(len(told)):
        again = list(go_on(KITT_QUESTION, toy, KITT, Continuation(tuple(told[:length])), strategy=strategy))
        assert again[:length] == told[:length], "what was kept is told as it was told"
        assert timeless(again) == timeless(told)


def test_what_is_kept_asks_no_model(strategy: str, toy: GraphStore) -> None:
    told = run(strategy, toy)
    again = list(go_on(KITT_QUESTION, toy, None, Continuation(tuple(told)), strategy=strategy))
    assert timeless(again) == timeless(told)
    last = [event for event in told if event.kind != "finished"]
    counted = Counting(KITT)
    list(go_on(KITT_QUESTION, toy, counted, Continuation(tuple(last)), strategy=strategy))
    assert counted.asked == 0


def test_it_stops_where_nobody_has_decided(strategy: str, toy: GraphStore) -> None:
    told = run(strategy, toy)[:1]
    (started, stopped) = go_on(KITT_QUESTION, toy, KITT, Continuation(tuple(told), otherwise="stop"), strategy=strategy)
    assert started == told[0]
    assert isinstance(stopped, events.Undecided)
    assert (stopped.stage, stopped.number, stopped.total) == ("link", 0, len(stopped.options))
    assert {option.probability for option in stopped.options} == {None}


def test_costs_and_seconds_are_told_by_stage_and_add_up(strategy: str, toy: GraphStore) -> None:
    finished = run(strategy, toy)[-1]
    assert isinstance(finished, events.Finished)
    assert finished.costs is not None
    assert list(finished.costs) == list(finished.seconds) == [str(stage) for stage in Stage]
    assert sum(cost.calls for cost in finished.costs.values()) == finished.cost.calls > 0


def test_what_it_comes_to_stands_in_the_trace_uncut(strategy: str, toy: GraphStore) -> None:
    trace = Trace()
    finished = run(strategy, toy, trace=trace, limits=RunLimits(answers_shown=0))[-1]
    assert isinstance(finished, events.Finished)
    assert len(trace.answers) == finished.answers_total > 0


def test_a_question_that_names_nothing_is_not_in_the_graph(strategy: str, toy: GraphStore) -> None:
    finished = run(strategy, toy, question="what is the meaning of it all?")[-1]
    assert isinstance(finished, events.Finished)
    assert (finished.verdict, finished.reason, finished.answers) == ("not_in_graph", "no_topic", [])


def test_a_decision_that_does_not_fit_ends_the_run_with_the_reason(strategy: str, toy: GraphStore) -> None:
    told = list(answer(KITT_QUESTION, toy, None, strategy=strategy))
    assert isinstance(told[-1], events.Failed)
    assert told[-1].code == "invalid_decision"


def test_a_strategy_that_is_not_there_is_refused_before_the_first_event(toy: GraphStore) -> None:
    with pytest.raises(UnknownStrategyError, match=r"no strategy “guess”\. Choose one of: reads"):
        answer(KITT_QUESTION, toy, RuleScorer(()), strategy="guess")
