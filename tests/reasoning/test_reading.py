"""A question read so far: what it begins with, what may be chosen next, and what a step or a condition leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Constraint, Operator, SearchStep
from reasoning.core.options import ConstraintOption, NoneOption, StepOption
from reasoning.core.switches import EngineSwitches
from reasoning.facts.pruning import Pruning
from reasoning.question.linking import link
from reasoning.run.run import Run, RunLimits
from reasoning.strategies.reads.reading import Reading
from tests.reasoning.rules import KITT_QUESTION

if TYPE_CHECKING:
    from kgstore.store import GraphStore

KNIGHT_RIDER = "en.knight_rider"
CAST = Relation("tv.tv_program.regular_cast")
CHARACTER = Relation("tv.regular_tv_appearance.character")
FROM = Relation("tv.regular_tv_appearance.from")
ACTOR = Relation("tv.regular_tv_appearance.actor")
CONTAINS = Relation("location.location.contains")
KITT = ConstraintOption(Constraint(3, Operator.EQUAL, Entity("en.kitt")))


def begun(run: Run, topic: str) -> Reading:
    linking = link(run.question, run.store, Entity(topic))
    assert linking.topic is not None
    return Reading.about(run, linking)


def along(run: Run, reading: Reading, position: int, relation: Relation) -> Reading:
    step = SearchStep(position, relation)
    (option,) = (option for option in reading.open_steps if option.step == step)
    return reading.followed(run, option)[0]


def cast(store: GraphStore, limits: RunLimits | None = None) -> tuple[Run, Reading]:
    """The programme with its cast, its actors, its characters and when they appeared first."""
    run = Run("who played the voice of KITT in Knight Rider in 1982?", store, None, limits=limits or RunLimits())
    reading = begun(run, KNIGHT_RIDER)
    for position, relation in ((0, CAST), (1, ACTOR), (1, CHARACTER), (1, FROM)):
        reading = along(run, reading, position, relation)
    return run, reading


def test_a_reading_is_about_a_topic(toy: GraphStore) -> None:
    run = Run("green ideas", toy, None)
    with pytest.raises(ValueError, match=r"^a reading is about a topic$"):
        Reading.about(run, link(run.question, toy, None))


def test_it_begins_with_the_topic_alone_and_nothing_is_pruned_before_there_is_a_condition(toy: GraphStore) -> None:
    run = Run(KITT_QUESTION, toy, None)
    reading = begun(run, KNIGHT_RIDER)
    assert [node.name for node in reading.structure.nodes] == ["Knight Rider"]
    assert reading.pruning == Pruning((frozenset({Entity(KNIGHT_RIDER)}),), {})
    longer = along(run, reading, 0, CAST)
    assert longer.pruning == Pruning(longer.graph.members, {})
    assert len(longer.pruning.members) == 2


def test_a_topic_without_a_name_is_called_by_its_id(toy: GraphStore) -> None:
    reading = begun(Run(KITT_QUESTION, toy, None), "m.cast_kitt")
    assert [node.name for node in reading.structure.nodes] == ["m.cast_kitt"]


def test_steps_are_open_until_they_are_taken_and_as_many_as_the_limit_says(toy: GraphStore) -> None:
    run = Run(KITT_QUESTION, toy, None, limits=RunLimits(steps=1))
    reading = begun(run, KNIGHT_RIDER)
    assert reading.may_search(run)
    taken, total = reading.followed(run, next(one for one in reading.open_steps if one.step.relation == CAST))
    assert total == 3
    left = {(one.step.position, one.step.relation) for one in taken.open_steps}
    assert {(1, ACTOR), (1, CHARACTER)} < left
    assert (0, CAST) not in left
    assert left > {(one.step.position, one.step.relation) for one in reading.open_steps} - {(0, CAST)}
    assert not taken.may_search(run)
    assert [type(option) for option in taken.step_pool(run).options] == [StepOption] * len(left) + [NoneOption]


@pytest.mark.parametrize("most", [1, 2])
def test_as_many_conditions_may_be_chosen_as_the_limit_says(toy: GraphStore, most: int) -> None:
    run, reading = cast(toy, RunLimits(constraints=most))
    pool = reading.condition_pool(run, run.decisions)
    assert pool is not None
    assert KITT in pool.options
    one_more = reading.kept_where(KITT)
    assert one_more.pruning == reading.pruning, "what it leaves is asked for by itself"
    assert (one_more.pruned(run).condition_pool(run, run.decisions) is None) == (most == 1)


def test_where_conditions_leave_nothing_no_more_may_be_chosen(toy: GraphStore) -> None:
    run, reading = cast(toy)
    nobody = Constraint(3, Operator.EQUAL, Entity("en.glen_larson"))
    nothing = reading.kept_where(ConstraintOption(nobody)).pruned(run)
    assert nothing.pruning.leaves_nothing
    assert nothing.condition_pool(run, run.decisions) is None


def test_answers_are_what_all_conditions_leave_at_the_position(toy: GraphStore) -> None:
    run, reading = cast(toy)
    assert len(reading.answers(run, 2)) == 3
    assert reading.kept_where(KITT).pruned(run).answers(run, 2) == (Entity("en.william_daniels"),)


@pytest.mark.parametrize(
    ("topic", "relation", "back", "others"),
    [("en.lake_a", CONTAINS.inverse, CONTAINS, {"en.lake_b", "en.lake_c"}), ("en.lake_group", CONTAINS, None, set())],
    ids=["along", "against"],
)
def test_no_step_leads_back_to_the_topic_where_it_may_not_recur(
    toy: GraphStore, topic: str, relation: Relation, back: Relation | None, others: set[str]
) -> None:
    for may, found in ((True, others | {topic}), (False, others)):
        run = Run("where is it?", toy, None, switches=EngineSwitches(topic_may_recur=may))
        reading = along(run, begun(run, topic), 0, relation)
        reading = along(run, reading, 1, back or relation.inverse)
        assert {str(term) for term in reading.graph.members[2]} == found
