"""What the engine leaves out when it is told to, and that the topic entity is no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Relation, TermKind
from reasoning import events
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.core.options import Stage, StepOption, TopicOption
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.narration.replay import choices_of
from tests.reasoning.rules import KITT, KITT_QUESTION, RuleScorer, Witness

if TYPE_CHECKING:
    from kgstore.store import GraphStore

CAST = "tv.tv_program.regular_cast"
ACTOR = "tv.regular_tv_appearance.actor"


def there_and_back(topic: str, relation: str) -> Derivation:
    """Along a relation and back: the topic itself is what it leads to, and whatever else has the relation."""
    way = Relation(relation)
    return Derivation(Entity(topic), (SearchStep(0, way), SearchStep(1, way.inverse)), (), 2)


def replayed(store: GraphStore, derivation: Derivation, switches: EngineSwitches | None = None) -> events.Finished:
    run = answer("?", store, None, topic=derivation.topic, given=choices_of(derivation), switches=switches)
    *_, last = run
    assert isinstance(last, events.Finished), last
    return last


def test_the_topic_is_no_answer_though_the_way_leads_back_to_it(toy: GraphStore) -> None:
    contains = Relation("location.location.contains")
    steps = (SearchStep(0, contains.inverse), SearchStep(1, contains))
    back = Derivation(Entity("en.lake_a"), steps, (), 2)
    last = replayed(toy, back)
    assert {found.term.id for found in last.answers} == {"en.lake_b", "en.lake_c"}
    assert last.answers_total == 2


def test_where_the_topic_alone_is_left_the_answer_is_not_in_the_graph(toy: GraphStore) -> None:
    alone = there_and_back("en.knight_rider", "tv.tv_program.program_creator")
    last = replayed(toy, alone)
    assert (last.verdict, last.reason, last.answers) == ("conditions_leave_nothing", "conditions_leave_nothing", [])


def test_a_switch_lets_the_topic_be_an_answer(toy: GraphStore) -> None:
    alone = there_and_back("en.knight_rider", "tv.tv_program.program_creator")
    last = replayed(toy, alone, EngineSwitches(topic_may_answer=True))
    assert [found.term.id for found in last.answers] == ["en.knight_rider"]


def test_a_switch_keeps_ways_from_passing_through_the_topic_again(toy: GraphStore) -> None:
    contains = Relation("location.location.contains")
    steps = (
        SearchStep(0, contains.inverse),
        SearchStep(1, contains),
        SearchStep(2, Relation("geography.body_of_water.surface_elevation")),
    )
    neighbours = Derivation(Entity("en.lake_c"), steps, (), 3)
    assert {found.term.label for found in replayed(toy, neighbours).answers} == {"80", "120"}
    others = replayed(toy, neighbours, EngineSwitches(topic_may_recur=False))
    assert [found.term.label for found in others.answers] == ["120"]


def test_without_entity_types_nothing_tells_what_kind_a_node_holds(toy: GraphStore) -> None:
    witness = Witness(KITT.wishes)
    *_, last = answer(KITT_QUESTION, toy, witness, switches=EngineSwitches(entity_types=False))
    assert isinstance(last, events.Finished)
    assert [found.term.label for found in last.answers] == ["William Daniels"]
    for prompt, pool in witness.seen:
        assert not prompt.types
        assert {node.kind for node in prompt.structure.nodes} <= {TermKind.ENTITY}
        assert [node.name for node in prompt.structure.nodes[1:]] == [
            f"node_{node.position}" for node in prompt.structure.nodes[1:]
        ]
        assert all(o.kind is TermKind.ENTITY for o in pool.options if isinstance(o, StepOption))
        assert all(o.types == () for o in pool.options if isinstance(o, TopicOption))
    # What the asker is told keeps its types: only the scorer goes without.
    emitted = list(answer(KITT_QUESTION, toy, KITT, switches=EngineSwitches(entity_types=False)))
    steps = [event for event in emitted if isinstance(event, events.SearchStepTaken)]
    assert steps[0].node.kind == "mediator"


def test_without_constraints_nothing_is_pruned(toy: GraphStore) -> None:
    emitted = list(answer(KITT_QUESTION, toy, KITT, switches=EngineSwitches(constraints=False)))
    assert not [event for event in emitted if isinstance(event, events.ConstraintChosen)]
    last = emitted[-1]
    assert isinstance(last, events.Finished)
    assert {found.term.label for found in last.answers} == {"William Daniels", "David Hasselhoff", "Edward Mulhare"}


def test_a_chain_grows_from_the_newest_node_only(toy: GraphStore) -> None:
    witness = Witness((f"0 {CAST}", f"1 {ACTOR}", "1 tv.regular_tv_appearance.character", "answer 2"))
    emitted = list(answer(KITT_QUESTION, toy, witness, switches=EngineSwitches(search="chain")))
    steps = [event for event in emitted if isinstance(event, events.SearchStepTaken)]
    assert [step.node.parent for step in steps] == [0, 1]
    offered = [{o.step.position for o in pool.options if isinstance(o, StepOption)} for _, pool in witness.seen]
    assert [positions for positions in offered if positions] == [{0}, {1}, {2}]


@pytest.mark.parametrize("cut", [0, 1])
def test_a_trace_holds_everything_whatever_the_events_leave_out(toy: GraphStore, cut: int) -> None:
    trace = Trace()
    assert (trace.topic, trace.derivation) == (None, None)
    run = answer(KITT_QUESTION, toy, RuleScorer(KITT.wishes[: 2 + cut * 3]), trace=trace)
    list(run)
    derivation = trace.derivation
    assert derivation is not None
    assert trace.topic == derivation.topic == Entity("en.knight_rider")
    assert [str(step.relation) for step in derivation.steps[:2]] == [CAST, ACTOR]
    if cut:
        assert trace.answers == (Entity("en.william_daniels"),)
        assert len(derivation.constraints) == 1
        assert derivation.answer_position == 2
    assert len(trace.graph.members) == len(derivation.steps) + 1


def test_a_model_is_shown_the_conditions_that_were_chosen(toy: GraphStore) -> None:
    before, after = '3 < "2013"^^xsd:gYear', '3 > "2011"^^xsd:gYear'
    way = ("0 sports.sports_championship.events", "1 sports.sports_championship_event.champion")
    witness = Witness((*way, "1 time.event.start_date", after, before, "answer 2"))
    list(answer("who won the Super Bowl after 2011 and before 2013?", toy, witness))
    shown = [
        (state.stage, [f"{c.position} {c.operator} {c.target}" for c in state.constraints])
        for state, _ in witness.seen
        if state.stage in (Stage.PRUNE, Stage.INFER)
    ]
    assert shown == [
        (Stage.PRUNE, []),
        (Stage.PRUNE, [after]),
        (Stage.INFER, [after, before]),
    ]


def test_where_the_topic_is_chosen_a_model_is_shown_no_structure(toy: GraphStore) -> None:
    witness = Witness(KITT.wishes)
    list(answer(KITT_QUESTION, toy, witness))
    shown = [(state.stage, len(state.structure.nodes)) for state, _ in witness.seen]
    assert shown[:3] == [(Stage.LINK, 0), (Stage.SEARCH, 1), (Stage.SEARCH, 2)]


@pytest.mark.parametrize("strategy", ["reads", "beam"])
def test_a_search_is_forced_until_it_has_the_least_branches(toy: GraphStore, strategy: str) -> None:
    scorer = RuleScorer((f"0 {CAST}", f"1 {ACTOR}", "1 tv.regular_tv_appearance.character", "answer 2"))
    switches = EngineSwitches.of(min_branches=2, width=2)
    emitted = list(answer(KITT_QUESTION, toy, scorer, strategy=strategy, switches=switches))
    steps = [event for event in emitted if isinstance(event, events.SearchStepTaken)]
    assert [step.node.parent for step in steps][:3] == [0, 1, 1]
    (ended,) = [event for event in emitted if isinstance(event, events.SearchEnded)]
    offered = [any(option.kind == "none" for option in step.decision.options) for step in steps]
    assert offered[:3] == [False, False, False], "nothing more is not offered before there are two branches"
    assert ended.decision is not None


def test_a_forced_search_ends_where_nothing_is_left_to_follow(toy: GraphStore) -> None:
    emitted = list(answer(KITT_QUESTION, toy, KITT, switches=EngineSwitches(min_branches=1_000)))
    (ended,) = [event for event in emitted if isinstance(event, events.SearchEnded)]
    assert (ended.reason, ended.decision) in {("nothing_left", None), ("step_limit", None)}


def test_a_person_may_end_a_search_that_the_model_may_not_end(toy: GraphStore) -> None:
    steps = (SearchStep(0, Relation(CAST)), SearchStep(1, Relation(ACTOR)))
    way = Derivation(Entity("en.knight_rider"), steps, (), 2)
    last = replayed(toy, way, EngineSwitches(min_branches=2))
    assert last.verdict == "answered"
