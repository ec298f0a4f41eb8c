"""Plans as a run tells them, and takes them again from what it goes on with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Relation
from reasoning import events
from reasoning.core.options import Stage
from reasoning.core.structure import ROOT
from reasoning.narration.narration import cost_record
from reasoning.scorers.base import Cost
from reasoning.strategies.plans.paths import best_paths, paths_around
from reasoning.strategies.plans.plan import Looked, Plan, Plans
from reasoning.strategies.plans.search import DEFAULT_DEPTH, plans_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from reasoning.question.linking import Linking
    from reasoning.run.run import Run
    from reasoning.strategies.plans.plan import Way

DIGITS = 6
"""Digits of reported weights; more would differ between processors."""


def propose(
    run: Run, linking: Linking, *, count: int, depth: int = DEFAULT_DEPTH, begin: int = ROOT
) -> Generator[events.StageEvent, None, Plans]:
    """The most probable plans, and the event that tells them. What the run goes on with tells is taken from there.

    A scorer that reads whole relation paths weighs those around the topic entity; of any other it is a beam.
    """
    event = recorded_plans(run, way_to(run, begin))
    if event is None:
        with run.timed(Stage.SEARCH) as clock:
            scorer = run.path_scorer
            if scorer is None:
                plans = plans_of(run, linking, count=count, depth=depth, begin=begin)
            else:
                around = paths_around(run, linking, begin=begin, depth=depth)
                plans = best_paths(run, linking, scorer, around.paths, around.looked, count=count)
            event = plans_event(run, plans, way_to(run, begin), clock())
    yield event
    return taken(run, event)


def way_to(run: Run, position: int) -> Way:
    """The relations that lead from the topic entity to a node of S_k."""
    return tuple(node.relation for node in run.trace.structure.path(position) if node.relation is not None)


def recorded_plans(run: Run, begins: Way) -> events.PlansProposed | None:
    """How the run that this one goes on with tells the plans that begin so; None where it tells none."""
    return next(
        (one for one in run.kept if isinstance(one, events.PlansProposed) and way_of_records(one.begins) == begins),
        None,
    )


def plans_event(run: Run, plans: Plans, begins: Way, seconds: float) -> events.PlansProposed:
    """The event of plans that the scorer weighed."""
    return events.PlansProposed(
        by="scorer",
        begins=[run.narrator.relation(relation) for relation in begins],
        plans=[
            events.PlanRecord(
                relations=[run.narrator.relation(relation) for relation in plan.relations],
                weight=round(plan.weight, DIGITS),
                grounded=plan.grounded,
            )
            for plan in plans.plans
        ],
        total=plans.total,
        covered=None if plans.covered is None else round(plans.covered, DIGITS),
        looked=None
        if plans.looked is None
        else events.LookedRecord(followed=plans.looked.followed, leading_on=plans.looked.leading_on),
        cost=cost_record(plans.cost),
        seconds=seconds,
    )


def taken(run: Run, event: events.PlansProposed) -> Plans:
    """The plans of an event. What the run is sure of, it is only as far as these cover all that there may be."""
    sure = event.covered
    run.confidence = None if sure is None or run.confidence is None else run.confidence * sure
    plans = tuple(Plan(way_of_records(plan.relations), plan.weight, plan.grounded) for plan in event.plans)
    cost = Cost() if event.cost is None else Cost(event.cost.calls, event.cost.tokens_in, event.cost.tokens_out)
    looked = None if event.looked is None else Looked(event.looked.followed, event.looked.leading_on)
    return Plans(plans, event.total, sure, cost, looked=looked)


def way_of_records(relations: list[events.RelationRecord]) -> Way:
    """Relations as they are reported."""
    return tuple(Relation.parse(relation.id) for relation in relations)
