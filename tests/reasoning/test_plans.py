"""Plans of relation paths: a beam over the scorer's decisions, its weights, and what it keeps of the graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.errors import InvalidDecisionError
from reasoning.core.options import StepOption
from reasoning.narration.wording import RunWords
from reasoning.run.decisions import GivenDecisions
from reasoning.run.run import Run, UndecidedStopError
from reasoning.run.topic_choice import choose_topic
from reasoning.scorers.base import Distribution
from reasoning.strategies.plans.proposed import propose
from reasoning.strategies.plans.search import plans_of
from tests.reasoning.family import ANN, CHILD, PARENT, POST, SHARES, TEACHER, TOWN, Table
from tests.reasoning.rules import Arbitrary

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from reasoning.core.options import DecisionState, OptionPool
    from reasoning.question.linking import Linking
    from reasoning.scorers.base import Scorer


def chosen_topic(run: Run) -> Linking:
    shown = choose_topic(run)
    while True:
        try:
            next(shown)
        except StopIteration as end:
            linking: Linking = end.value
            return linking


def asked(store: GraphStore, scorer: Scorer | None = None, **how: Any) -> tuple[Run, Linking]:
    run = Run("who is Ann's parent?", store, scorer or Table(SHARES), topic=ANN, **how)
    return run, chosen_topic(run)


def test_weights_are_products_of_choices_and_sum_to_one(family: GraphStore) -> None:
    run, linking = asked(family)
    plans = plans_of(run, linking, count=3, depth=2)
    # parent, None: 0.5 * 0.6; child, None: 0.3 * 1; parent, parent, None: 0.5 * 0.4 * 0.9
    expected = {(PARENT,): 0.3, (CHILD,): 0.3, (PARENT, PARENT): 0.18}
    assert {plan.relations for plan in plans.plans} == set(expected)
    assert plans.covered == pytest.approx(0.78)
    assert sum(plan.weight for plan in plans.plans) == pytest.approx(1.0)
    for plan in plans.plans:
        assert plan.weight == pytest.approx(expected[plan.relations] / 0.78)
        assert plan.grounded
    assert [plan.weight for plan in plans.plans] == sorted((plan.weight for plan in plans.plans), reverse=True)


def test_parallel_relations_and_directions_are_plans_of_their_own(family: GraphStore) -> None:
    run, linking = asked(family)
    found = {plan.relations: plan.weight for plan in plans_of(run, linking, count=9, depth=2).plans}
    assert {(PARENT,), (CHILD,), (TEACHER,)} <= found.keys()
    assert found[PARENT,] == pytest.approx(3 * found[TEACHER,])


def test_none_before_the_first_relation_is_no_plan(family: GraphStore) -> None:
    run, linking = asked(family, Table({(): {"none": 0.2, str(PARENT): 0.8}}))
    assert plans_of(run, linking, count=3).covered == pytest.approx(0.8)
    run, linking = asked(family, Table({(): {"none": 0.5, str(PARENT): 0.3, str(CHILD): 0.2}}))
    assert plans_of(run, linking, count=3).plans == ()


def test_a_plan_ends_at_no_mediator(family: GraphStore) -> None:
    run, linking = asked(
        family, Table({(): {"family.person.post": 1.0}, ("family.person.post",): {"family.post.town": 1.0}})
    )
    assert [plan.relations for plan in plans_of(run, linking, count=3, depth=3).plans] == [(POST, TOWN)]
    assert plans_of(run, linking, count=3, depth=1).plans == ()


def test_the_best_come_first_and_no_more_than_asked_for(family: GraphStore) -> None:
    run, linking = asked(family)
    plans = plans_of(run, linking, count=1, depth=2)
    assert [(plan.relations, plan.weight) for plan in plans.plans] == [((PARENT,), 1.0)]
    assert plans.covered == pytest.approx(0.3)


def test_it_asks_no_further_than_can_change_the_plans(family: GraphStore) -> None:
    run, linking = asked(family, Table({(): {"family.person.parent": 1.0}, ("family.person.parent",): {"none": 1.0}}))
    plans = plans_of(run, linking, count=1, depth=8)
    assert plans.cost.calls == 2
    assert run.costs["search"].calls == 2  # type: ignore[index]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("count", [1, 3, 10])
def test_whatever_a_model_gives_weights_sum_to_one_and_a_wider_beam_covers_no_less(
    toy: GraphStore, seed: int, count: int
) -> None:
    run = Run("who plays KITT in Knight Rider?", toy, Arbitrary(seed), topic=Entity("en.knight_rider"))
    linking = chosen_topic(run)
    plans = plans_of(run, linking, count=count, depth=3)
    if not plans.plans:
        # Nothing at all was more probable than each relation.
        assert (plans.covered, plans.cost.calls) == (None, 1)
        return
    assert len(plans.plans) <= count
    assert sum(plan.weight for plan in plans.plans) == pytest.approx(1.0)
    assert plans.covered is not None
    assert 0 < plans.covered <= 1 + 1e-9
    assert len({plan.relations for plan in plans.plans}) == len(plans.plans) <= plans.total


@dataclass(frozen=True)
class Comparing(Table):
    """A table whose odds depend on what else is offered; it notes what that was."""

    offered: list[list[str]] = field(default_factory=list)
    compares: bool = True

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        self.offered.append(
            [
                f"{one.step.position} {one.step.relation}" if isinstance(one, StepOption) else "none"
                for one in pool.options
            ]
        )
        return super().score(state, pool, best=best)


BRANCHING = {
    (): {"family.person.parent": 1.0},
    ("family.person.parent",): {"none": 0.2, "family.person.parent": 0.3, "family.person.post": 0.5},
}


def test_a_scorer_that_compares_sees_what_reads_would_offer_and_a_plan_does_not_branch(family: GraphStore) -> None:
    scorer = Comparing(BRANCHING)
    plans = plans_of(*asked(family, scorer), count=1, depth=1)
    assert set(scorer.offered[1]) == {
        "none",
        "1 family.person.parent",
        "1 ^family.person.parent",
        "1 ^family.person.teacher",
        "0 ^family.person.parent",
        "0 family.person.teacher",
        "0 family.person.post",
    }
    assert [plan.relations for plan in plans.plans] == [(PARENT,)]
    # What the topic's other relation got is shared out: None has 0.2 of 0.2 and 0.3.
    assert plans.covered == pytest.approx(0.4)


def test_a_scorer_that_does_not_compare_is_offered_the_newest_relations_alone(family: GraphStore) -> None:
    scorer = Comparing(BRANCHING, compares=False)
    assert plans_of(*asked(family, scorer), count=1, depth=1).covered == pytest.approx(0.4)
    assert not [one for one in scorer.offered[1] if one.startswith("0")]


def proposed_by(run: Run, linking: Linking, **how: Any) -> events.PlansProposed:
    (shown,) = propose(run, linking, **how)
    assert isinstance(shown, events.PlansProposed)
    return shown


def test_the_event_tells_plans_for_people(family: GraphStore) -> None:
    run, linking = asked(family)
    shown = proposed_by(run, linking, count=3, depth=2)
    assert (shown.by, shown.begins, shown.total) == ("scorer", [], 4)
    assert [[relation.id for relation in plan.relations] for plan in shown.plans][-1] == 2 * ["family.person.parent"]
    assert type(shown).model_validate_json(shown.model_dump_json()) == shown
    words = RunWords()
    assert words.other_lines(shown) == ["Weighed 4 plans, proposed 3", "together 78 % of the probability of all plans"]
    assert words.readings(shown)[1][1] == "parent (backwards)"
    assert words.readings(shown)[2][1] == "parent → parent"
    # How sure the run is: of all plans that there may be, it has these.
    assert run.confidence == pytest.approx(0.78)


def test_what_a_run_goes_on_with_is_not_asked_again(family: GraphStore) -> None:
    run, linking = asked(family)
    shown = proposed_by(run, linking, count=3, depth=2)
    again, linking = asked(family, kept=(shown,))
    again.scorer = None
    assert proposed_by(again, linking, count=3, depth=2) == shown
    assert again.confidence == run.confidence


def test_without_a_model_there_are_no_plans(family: GraphStore) -> None:
    run, linking = asked(family)
    run.scorer = None
    with pytest.raises(InvalidDecisionError):
        plans_of(run, linking, count=3)


def test_a_run_that_stops_at_what_is_open_proposes_nothing(family: GraphStore) -> None:
    run, linking = asked(family, decisions=GivenDecisions(otherwise="stop"))
    with pytest.raises(UndecidedStopError):
        plans_of(run, linking, count=3)


def test_plans_begin_with_what_somebody_gave(family: GraphStore) -> None:
    run, linking = asked(family)
    run.trace.structure = run.trace.structure.grow(0, PARENT, run.trace.structure.nodes[0].kind)
    run.trace.graph = run.trace.graph.grow(PARENT, family.expand([ANN], PARENT, 10).triples)
    plans = plans_of(run, linking, count=3, depth=1, begin=1)
    # What was given weighs nothing: None 0.6, and 0.4 * 0.9.
    assert {plan.relations for plan in plans.plans} == {(PARENT,), (PARENT, PARENT)}
    assert plans.covered == pytest.approx(0.96)
    assert [relation.id for relation in proposed_by(run, linking, count=3, begin=1).begins] == ["family.person.parent"]


@dataclass(frozen=True)
class Partial:
    """Reads no more options than it takes to be certain of the best ones, as exact search does."""

    inner: Scorer
    name: str = "partial"

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        whole = self.inner.score(state, pool)
        order = sorted(whole.probabilities, key=lambda index: (-whole.probabilities[index], index))[:best]
        read = {index: whole.probabilities[index] for index in order}
        return Distribution(read, 1 - sum(read.values()), whole.cost, min(read.values()))


@pytest.mark.parametrize("seed", range(10))
def test_plans_are_the_same_where_only_the_best_options_are_read(toy: GraphStore, seed: int) -> None:
    found = []
    for scorer in (Arbitrary(seed), Partial(Arbitrary(seed))):
        run = Run("who plays KITT in Knight Rider?", toy, scorer, topic=Entity("en.knight_rider"))
        found.append(plans_of(run, chosen_topic(run), count=2, depth=2).plans)
    best = [[(plan.relations, pytest.approx(plan.weight)) for plan in plans[:1]] for plans in found]
    assert best[0] == best[1]
