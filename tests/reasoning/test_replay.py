"""What the events of a run tell of its decisions, and that those lead to the same run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Date, Entity, Number, Relation
from reasoning import events
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.options import COUNT_PLACE, Stage
from reasoning.engine.engine import answer
from reasoning.narration.replay import choices_made, choices_of, derivation_made, recorded_costs
from reasoning.scorers.base import Cost
from tests.reasoning.rules import KITT, KITT_GOLD, KITT_QUESTION

if TYPE_CHECKING:
    from kgstore.store import GraphStore

EVENTS = SearchStep(0, Relation("sports.sports_championship.events"))
CHAMPION = SearchStep(1, Relation("sports.sports_championship_event.champion"))
START = SearchStep(1, Relation("time.event.start_date"))
BACK = SearchStep(2, Relation.parse("^sports.sports_championship_event.champion"))

DERIVATIONS = {
    "conditions of all kinds": Derivation(
        Entity("en.super_bowl"),
        (EVENTS, CHAMPION, START, BACK),
        (
            Constraint(3, Operator.AT_LEAST, Date("2012")),
            Constraint(3, Operator.MIN),
            Constraint(3, Operator.LESS, Date("2013")),
        ),
        2,
    ),
    "two conditions that leave a choice": Derivation(
        Entity("en.super_bowl"),
        (EVENTS, CHAMPION, START),
        (Constraint(3, Operator.AT_LEAST, Date("2012")), Constraint(3, Operator.LESS, Date("2014"))),
        2,
    ),
    "no condition": Derivation(Entity("en.super_bowl"), (EVENTS,), (), 1),
    "counted": Derivation(Entity("en.super_bowl"), (EVENTS, CHAMPION), (), 2, counted=True),
    "an entity and a number": Derivation(
        Entity("en.lake_group"),
        (
            SearchStep(0, Relation("location.location.contains")),
            SearchStep(1, Relation("geography.body_of_water.surface_elevation")),
        ),
        (Constraint(2, Operator.EQUAL, Number(120)),),
        1,
    ),
}


def replayed(store: GraphStore, derivation: Derivation) -> list[events.StageEvent]:
    return list(answer("?", store, None, topic=derivation.topic, given=choices_of(derivation)))


@pytest.mark.parametrize("derivation", DERIVATIONS.values(), ids=DERIVATIONS)
def test_a_replayed_derivation_tells_itself(toy: GraphStore, derivation: Derivation) -> None:
    emitted = replayed(toy, derivation)
    assert isinstance(emitted[-1], events.Finished)
    assert derivation_made(emitted) == derivation
    topic, choices = choices_made(emitted)
    assert topic == derivation.topic
    assert choices.items() <= choices_of(derivation).items()


def test_a_models_run_tells_the_derivation_it_made(toy: GraphStore) -> None:
    assert derivation_made(answer(KITT_QUESTION, toy, KITT)) == Derivation.from_json(KITT_GOLD)


def test_a_broken_off_run_tells_its_first_decisions(toy: GraphStore) -> None:
    derivation = DERIVATIONS["two conditions that leave a choice"]
    shown = replayed(toy, derivation)
    after: list[tuple[str, object]] = []
    known: dict[object, object] = {}
    for length in range(len(shown) + 1):
        topic, choices = choices_made(shown[:length])
        assert choices.items() >= known.items(), "a decision was forgotten or changed"
        after += [(shown[length - 1].kind, key) for key in choices.keys() - known.keys()]
        known = dict(choices)
        linked = any(event.kind == "entity_linked" for event in shown[:length])
        assert topic == (derivation.topic if linked else None)
        positioned = any(event.kind == "answer_position" for event in shown[:length])
        assert (derivation_made(shown[:length]) is None) is not positioned
    # No event says that nothing is counted.
    assert {COUNT_PLACE: None, **known} == choices_of(derivation)
    assert after == [
        *(("search_step", (Stage.SEARCH, step)) for step in range(3)),
        ("search_ended", (Stage.SEARCH, 3)),
        *(("constraint_chosen", (Stage.PRUNE, number)) for number in range(2)),
        ("pruning_ended", (Stage.PRUNE, 2)),
        ("answer_position", (Stage.INFER, 0)),
    ]


def test_what_nobody_chose_is_no_decision(toy: GraphStore) -> None:
    """A stage may end because nothing is left, or because the limit of steps is met."""
    assert choices_made([]) == (None, {})
    assert derivation_made([]) is None
    nothing = list(answer("colourless green ideas", toy, KITT))
    assert choices_made(nothing) == (None, {})
    assert derivation_made(nothing) is None
    for reason in ("nothing_left", "step_limit"):
        assert choices_made([events.SearchEnded(reason=reason, decision=None, seconds=0)]) == (None, {})
    assert choices_made([events.PruningEnded(reason="nothing_left", decision=None, seconds=0)]) == (None, {})


def test_the_events_tell_what_each_stage_cost(toy: GraphStore) -> None:
    shown = list(answer(KITT_QUESTION, toy, KITT))
    asked = {Stage.LINK: 1, Stage.SEARCH: 4, Stage.PRUNE: 1, Stage.INFER: 1}
    # The question has nine words, and the scorer counts words.
    assert recorded_costs(shown) == {stage: Cost(calls, 9 * calls) for stage, calls in asked.items()}
    spent = [sum(cost.calls for cost in recorded_costs(shown[:length]).values()) for length in range(len(shown) + 1)]
    assert spent == sorted(spent)
    assert recorded_costs([]) == dict.fromkeys(Stage, Cost())


def test_every_part_of_a_cost_is_summed_by_stage(toy: GraphStore) -> None:
    cost = events.CostRecord(calls=2, tokens_in=30, tokens_out=400)

    def charged(event: events.StageEvent) -> events.StageEvent:
        decision = getattr(event, "decision", None)
        return event.model_copy(update={"decision": decision.model_copy(update={"cost": cost})}) if decision else event

    shown = [charged(event) for event in answer(KITT_QUESTION, toy, KITT)]
    assert recorded_costs(shown) == {
        Stage.LINK: Cost(2, 30, 400),
        Stage.SEARCH: Cost(8, 120, 1600),
        Stage.PRUNE: Cost(2, 30, 400),
        Stage.INFER: Cost(2, 30, 400),
    }


def test_given_decisions_cost_nothing(toy: GraphStore) -> None:
    shown = replayed(toy, DERIVATIONS["conditions of all kinds"])
    assert recorded_costs(shown) == dict.fromkeys(Stage, Cost())
