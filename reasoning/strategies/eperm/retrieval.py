"""The retriever: round by round, the best relations of what was reached (EPERM, arXiv 2502.16171, section 3.2).

The paper asks a language model of each relation how well it goes with the question, and keeps the best K. Here a round
is one of the search for plans (ours): the scorer gives every relation of what was reached a probability, with those
before it, and the best K are kept. So the plans are those of the subgraph that was retrieved, and nothing is asked
twice. A language model that reads whole relation paths is then asked of those in the subgraph, and its best are the
plans: exact, where the rounds are a beam.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kgstore.terms import TermKind
from reasoning import events
from reasoning.core.options import OptionPool, Stage
from reasoning.core.structure import ROOT
from reasoning.strategies.eperm.options import RELATIONS
from reasoning.strategies.plans.options import PLANS
from reasoning.strategies.plans.paths import LEADING_ON, best_paths
from reasoning.strategies.plans.plan import Looked
from reasoning.strategies.plans.proposed import DIGITS, plans_event, recorded_plans, taken, way_to
from reasoning.strategies.plans.search import begun, plans_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from reasoning.core.options import StepOption
    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.scorers.base import PathScorer
    from reasoning.strategies.plans.plan import Plans, Round, WayOn


def retrieved(run: Run, linking: Linking, *, begin: int) -> Generator[events.StageEvent, None, Plans]:
    """Retrieve a subgraph from a node of S_k on, and make plans in it: an event for each round, and that of the plans.

    What the run that this one goes on with tells of both is taken from there. Where it tells of rounds from the topic
    entity on, but of no plans, those rounds keep what their records say.

    Raises:
        InvalidDecisionError: there is no scorer.
        ScorerUnavailableError, UndecidedError: see `Scorer.score`.
        UndecidedStopError: the run was asked to stop at what is not given.

    """
    way = way_to(run, begin)
    kept = _rounds_kept(run) if begin == ROOT else []
    event = recorded_plans(run, way)
    if event is not None:
        yield from kept
        yield event
        return taken(run, event)
    with run.timed(Stage.SEARCH) as clock:
        switches = run.switches
        plans = plans_of(
            run,
            linking,
            count=switches[PLANS],
            width=max(switches[RELATIONS], switches[PLANS]),
            begin=begin,
            kept_in=lambda number, ways: _given(kept, number, ways),
        )
        scorer = run.path_scorer
        if scorer is not None and plans.rounds:
            plans = _best_of_retrieved(run, linking, scorer, plans, begin)
        proposed = plans_event(run, plans, way, clock())
        rounds = [_selection_event(run, number, found) for number, found in enumerate(plans.rounds)]
    if begin == ROOT:
        yield from (*kept, *rounds[len(kept) :])
    yield proposed
    return taken(run, proposed)


def _best_of_retrieved(run: Run, linking: Linking, scorer: PathScorer, searched: Plans, begin: int) -> Plans:
    """The most probable relation paths of the subgraph that the rounds retrieved."""
    first = begun(run, begin)
    kept = [found.ways[index] for found in searched.rounds for index in found.kept]
    paths = [(*one.begins, one.option.step.relation) for one in kept if one.option.kind is not TermKind.MEDIATOR]
    met = [one for found in searched.rounds for one in found.ways]
    looked = Looked(sum(map(_leads_on, kept)), sum(map(_leads_on, met)))
    paths = [*([first.way] if first.may_end else ()), *paths]
    plans = best_paths(run, linking, scorer, paths, looked, count=run.switches[PLANS])
    return replace(plans, cost=searched.cost + plans.cost, rounds=searched.rounds)


def _leads_on(way: WayOn) -> bool:
    return way.option.kind in LEADING_ON


def _rounds_kept(run: Run) -> list[events.SelectionMade]:
    return [event for event in run.kept if isinstance(event, events.SelectionMade) and event.stage == Stage.SEARCH]


def _given(kept: Sequence[events.SelectionMade], number: int, ways: Sequence[WayOn]) -> Sequence[int] | None:
    """What a round keeps that is recorded already; None where it is not, or was made of other paths."""
    record = kept[number].selection if number < len(kept) else None
    return None if record is None or record.total != len(ways) else record.kept


def _selection_event(run: Run, number: int, found: Round) -> events.SelectionMade:
    """The event of a round: its relations, the most probable first, each with the way to where it begins."""
    narrator, limit = run.narrator, run.limits.options_shown
    kept = set(found.kept)
    order = sorted(range(len(found.ways)), key=lambda index: (index not in kept, -found.ways[index].probability))
    shown = order[: max(limit, len(kept))]
    return events.SelectionMade(
        stage=str(Stage.SEARCH),
        number=number,
        selection=events.SelectionRecord(
            measure="score",
            options=[_option(run, index, found.ways[index].option) for index in shown],
            weights=[round(found.ways[index].probability, DIGITS) for index in shown],
            kept=list(found.kept),
            total=len(found.ways),
            cost=None,
            ways=[[narrator.relation(one) for one in found.ways[index].begins] for index in shown],
        ),
        # It is part of the time that the plans tell.
        seconds=0.0,
    )


def _option(run: Run, index: int, option: StepOption) -> events.OptionRecord:
    """A relation as a round tells it: where it begins, S_k does not hold, so that ``ways`` tells it."""
    (option_record,) = run.narrator.options(OptionPool((option,)))
    return option_record.model_copy(update={"index": index, "position": ROOT})
