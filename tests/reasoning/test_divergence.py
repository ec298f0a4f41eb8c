"""Where runs of one question part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Entity, Number, Relation
from reasoning import events
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.engine.divergence import Parting, parting
from reasoning.engine.engine import answer
from reasoning.narration.replay import choices_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from reasoning.events import StageEvent

EVENTS = SearchStep(0, Relation("sports.sports_championship.events"))
BOWL = Entity("en.super_bowl")
CHAMPION = Relation("sports.sports_championship_event.champion")
START = Relation("time.event.start_date")


def events_of(store: GraphStore, derivation: Derivation) -> list[StageEvent]:
    return list(answer("?", store, None, topic=derivation.topic, given=choices_of(derivation)))


def first_kinds(runs: Sequence[Sequence[StageEvent]], parted: Parting) -> list[str | None]:
    """What kind of event tells the first decision of each run that not all made."""
    return [None if each.event is None else run[each.event].kind for run, each in zip(runs, parted.runs, strict=True)]


def test_runs_that_decide_alike_do_not_part(toy: GraphStore) -> None:
    one = events_of(toy, Derivation(BOWL, (EVENTS, SearchStep(1, CHAMPION)), (), 2))
    assert parting([one, one, one]) is None
    assert parting([one]) is None
    assert parting([]) is None


def test_the_order_of_steps_and_steps_on_which_nothing_rests_make_no_difference(toy: GraphStore) -> None:
    """Places are events_of by their ways: the same place is the second node of one run and the third of the other."""
    straight = events_of(toy, Derivation(BOWL, (EVENTS, SearchStep(1, CHAMPION)), (), 2))
    roundabout = events_of(toy, Derivation(BOWL, (EVENTS, SearchStep(1, START), SearchStep(1, CHAMPION)), (), 3))
    assert parting([straight, roundabout]) is None


def test_runs_part_at_the_first_decision_that_not_all_made(toy: GraphStore) -> None:
    champion = events_of(toy, Derivation(BOWL, (EVENTS, SearchStep(1, CHAMPION)), (), 2))
    start = events_of(toy, Derivation(BOWL, (EVENTS, SearchStep(1, START)), (), 2))
    event = events_of(toy, Derivation(BOWL, (EVENTS,), (), 1))
    runs = [champion, start, event, champion]
    parted = parting(runs)
    assert parted is not None
    # The topic and the first step.
    assert parted.shared == 2
    assert first_kinds(runs, parted) == ["search_step", "search_step", "answer_position", "search_step"]
    assert [each.alike for each in parted.runs] == [0, 1, 2, 0]
    step = champion[parted.runs[0].event or 0]
    assert isinstance(step, events.SearchStepTaken)
    assert step.node.relation is not None
    assert step.node.relation.id == str(CHAMPION)


def test_a_condition_that_one_run_has_more_is_where_they_part_from_the_answer_of_the_other(toy: GraphStore) -> None:
    lakes = SearchStep(0, Relation("location.location.contains"))
    height = SearchStep(1, Relation("geography.body_of_water.surface_elevation"))
    group = Entity("en.lake_group")
    plain = events_of(toy, Derivation(group, (lakes,), (), 1))
    kept = events_of(toy, Derivation(group, (lakes, height), (Constraint(2, Operator.EQUAL, Number(120)),), 1))
    runs = [plain, kept]
    parted = parting(runs)
    assert parted is not None
    # Both say that the lakes are the answer; one of them follows another relation first, for its condition.
    assert parted.shared == 3
    assert first_kinds(runs, parted) == [None, "search_step"]


def test_runs_that_begin_elsewhere_share_nothing(toy: GraphStore) -> None:
    bowl = events_of(toy, Derivation(BOWL, (EVENTS,), (), 1))
    lakes = events_of(
        toy, Derivation(Entity("en.lake_group"), (SearchStep(0, Relation("location.location.contains")),), (), 1)
    )
    runs = [bowl, lakes]
    parted = parting(runs)
    assert parted is not None
    assert parted.shared == 0
    assert first_kinds(runs, parted) == ["entity_linked", "entity_linked"]


def test_counting_what_the_other_lists_is_another_answer(toy: GraphStore) -> None:
    listed = events_of(toy, Derivation(BOWL, (EVENTS,), (), 1))
    counted = events_of(toy, Derivation(BOWL, (EVENTS,), (), 1, counted=True))
    runs = [listed, counted]
    parted = parting(runs)
    assert parted is not None
    assert first_kinds(runs, parted) == ["answer_position", "answer_position"]
    assert [each.alike for each in parted.runs] == [0, 1]
