"""The engine on a graph that can be checked by eye."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import pytest

from kgstore.terms import Date, Entity, Number, Relation
from reasoning import events
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.options import COUNT_PLACE
from reasoning.core.switches import EngineSwitches
from reasoning.engine.engine import answer
from reasoning.narration.replay import choices_made, choices_of
from reasoning.run.run import RunLimits
from tests.reasoning.rules import KITT, KITT_QUESTION, RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgstore.store import GraphStore

Event = TypeVar("Event", bound=events.StageEvent)


def _of(emitted: Iterable[events.StageEvent], kind: type[Event]) -> list[Event]:
    return [event for event in emitted if isinstance(event, kind)]


def _answers(emitted: list[events.StageEvent]) -> list[str]:
    last = emitted[-1]
    assert isinstance(last, events.Finished), last
    return [found.term.label for found in last.answers]


def _replay(store: GraphStore, question: str, derivation: Derivation) -> list[events.StageEvent]:
    return list(answer(question, store, None, topic=derivation.topic, given=choices_of(derivation)))


def _derivation(topic: str, steps: list[tuple[int, str]], constraints: list[Constraint], position: int) -> Derivation:
    search = tuple(SearchStep(at, Relation.parse(relation)) for at, relation in steps)
    return Derivation(Entity(topic), search, tuple(constraints), position)


def _super_bowl(*constraints: Constraint) -> Derivation:
    steps = [
        (0, "sports.sports_championship.events"),
        (1, "sports.sports_championship_event.champion"),
        (1, "time.event.start_date"),
    ]
    return _derivation("en.super_bowl", steps, list(constraints), 2)


def test_the_stages_tell_every_decision_in_order(toy: GraphStore) -> None:
    shown = list(answer(KITT_QUESTION, toy, KITT))
    assert [event.kind for event in shown] == [
        "started",
        "entity_linked",
        "search_step",
        "search_step",
        "search_step",
        "search_ended",
        "constraint_chosen",
        "pruned",
        "pruning_ended",
        "answer_position",
        "finished",
    ]
    assert _answers(shown) == ["William Daniels"]


def test_the_topic_is_chosen_among_what_the_question_names_and_the_rest_are_targets(toy: GraphStore) -> None:
    (linked,) = _of(answer(KITT_QUESTION, toy, KITT), events.EntityLinked)
    assert linked.topic is not None
    assert linked.topic.id == "en.knight_rider"
    assert linked.root is not None
    assert (linked.root.position, linked.root.name, linked.root.parent) == (0, "Knight Rider", None)
    assert [(KITT_QUESTION[m.start : m.end], m.term.id) for m in linked.targets] == [("KITT", "en.kitt")]


def test_structure_and_graph_grow_together(toy: GraphStore) -> None:
    steps = _of(answer(KITT_QUESTION, toy, KITT), events.SearchStepTaken)
    assert [step.node.name for step in steps] == ["topic_1", "entity_2", "entity_3"]
    assert [step.node.parent for step in steps] == [0, 1, 1]
    assert [(step.members, step.facts_gained, step.graph_size) for step in steps] == [(3, 3, 3), (3, 3, 6), (3, 3, 9)]
    assert [fact.id for step in steps for fact in step.facts] == list(range(9))


def test_an_option_leaves_the_pool_and_the_new_nodes_options_enter_it(toy: GraphStore) -> None:
    first, second, _ = _of(answer(KITT_QUESTION, toy, KITT), events.SearchStepTaken)

    def pool(step: events.SearchStepTaken) -> set[tuple[int, str]]:
        return {(o.position, o.relation.id) for o in step.decision.options if o.kind == "step"}

    assert pool(first) == {
        (0, "tv.tv_program.regular_cast"),
        (0, "tv.tv_program.program_creator"),
        (0, "tv.tv_program.number_of_seasons"),
    }
    assert (0, "tv.tv_program.regular_cast") not in pool(second)
    assert {(1, "tv.regular_tv_appearance.actor"), (1, "^tv.tv_program.regular_cast")} <= pool(second)
    assert sum(o.probability or 0 for o in first.decision.options) == pytest.approx(1.0)


def test_pruning_keeps_the_branch_that_meets_the_condition_and_says_why_others_left(toy: GraphStore) -> None:
    emitted = list(answer(KITT_QUESTION, toy, KITT))
    (pruned,) = _of(emitted, events.Pruned)
    facts = {fact.id: fact for step in _of(emitted, events.SearchStepTaken) for fact in step.facts}
    reasons = {
        (facts[r.fact].source.id, facts[r.fact].relation.label, facts[r.fact].target.label): (r.reason, r.constraint)
        for r in pruned.removed
    }
    assert pruned.kept_total == 3
    assert pruned.removed_total == len(reasons) == 6
    assert reasons["m.cast_devon", "character", "Devon Miles"] == ("fails", 1)
    assert reasons["m.cast_devon", "actor", "Edward Mulhare"] == ("cut_off", 1)
    assert {reason for reason, _ in reasons.values()} == {"fails", "cut_off", "unsupported"}


def test_an_answer_is_proven_by_its_path_and_its_conditions(toy: GraphStore) -> None:
    finished = list(answer(KITT_QUESTION, toy, KITT))[-1]
    assert isinstance(finished, events.Finished)
    (found,) = finished.answers
    assert [(f.source.label, f.relation.id, f.target.id) for f in found.path] == [
        ("Knight Rider", "tv.tv_program.regular_cast", "m.cast_kitt"),
        ("m.cast_kitt", "tv.regular_tv_appearance.actor", "en.william_daniels"),
    ]
    assert [(f.source.id, f.target.label) for f in found.conditions] == [("m.cast_kitt", "KITT")]


def test_the_cost_is_counted(toy: GraphStore) -> None:
    finished = list(answer(KITT_QUESTION, toy, KITT))[-1]
    assert isinstance(finished, events.Finished)
    assert (finished.cost.calls, finished.cost.tokens_in) == (7, 63)
    assert finished.seconds["search"] > 0
    assert finished.costs is not None
    assert {stage: cost.calls for stage, cost in finished.costs.items()} == {
        "link": 1,
        "search": 4,
        "prune": 1,
        "infer": 1,
    }
    assert finished.costs["search"].tokens_in == 4 * 9


def test_options_that_were_not_read_are_reported_with_what_they_have_at_most(toy: GraphStore) -> None:
    emitted = list(answer(KITT_QUESTION, toy, replace(KITT, reads=2)))
    decision = _of(emitted, events.SearchStepTaken)[0].decision
    assert decision.total == 4
    assert [option.probability for option in decision.options] == [0.8, pytest.approx(0.2 / 3), None, None]
    assert decision.unread is not None
    assert decision.unread.count == 2
    assert (decision.unread.together, decision.unread.each) == pytest.approx((0.4 / 3, 0.2 / 3))
    assert decision.rest_probability == pytest.approx(0.4 / 3)
    assert decision.cost == events.CostRecord(calls=1, tokens_in=9, tokens_out=0)
    assert _answers(emitted) == _answers(list(answer(KITT_QUESTION, toy, KITT)))


def test_a_scorer_that_only_picks_is_reported_as_such(toy: GraphStore) -> None:
    emitted = list(answer(KITT_QUESTION, toy, replace(KITT, exact=False)))
    assert not any(step.decision.exact for step in _of(emitted, events.SearchStepTaken))
    assert all(step.decision.exact for step in _of(answer(KITT_QUESTION, toy, KITT), events.SearchStepTaken))


def test_a_derivation_is_replayed_without_a_model(toy: GraphStore) -> None:
    emitted = _replay(toy, "who won the super bowl in 2011", _super_bowl(Constraint(3, Operator.EQUAL, Date("2011"))))
    assert _answers(emitted) == ["Green Bay Packers"]
    assert all(step.decision.given for step in _of(emitted, events.SearchStepTaken))


def test_the_decisions_of_a_run_can_be_read_off_its_events(toy: GraphStore) -> None:
    derivation = _super_bowl(Constraint(3, Operator.EQUAL, Date("2011")))
    topic, made = choices_made(_replay(toy, "who won the super bowl in 2011", derivation))
    assert topic == derivation.topic
    # With the year spoken for, minima and maxima are still possible, so that None was a decision.
    assert {**made, COUNT_PLACE: None} == choices_of(derivation)


def test_one_decision_can_be_changed(toy: GraphStore) -> None:
    derivation = _super_bowl(Constraint(3, Operator.EQUAL, Date("2012")))
    shown = _replay(toy, "who won the super bowl in 2011", derivation)
    assert _answers(shown) == ["New York Giants"]


def test_a_given_decision_that_does_not_fit_is_a_failure_that_says_so(toy: GraphStore) -> None:
    derivation = _derivation("en.super_bowl", [(0, "film.film.directed_by")], [], 1)
    last = _replay(toy, "who won the super bowl", derivation)[-1]
    assert isinstance(last, events.Failed)
    assert last.code == "invalid_decision"
    assert "film.film.directed_by" in last.message


@pytest.mark.parametrize(
    ("constraints", "champions"),
    [
        ([Constraint(3, Operator.LESS, Date("2012"))], ["Green Bay Packers"]),
        ([Constraint(3, Operator.AT_MOST, Date("2012"))], ["Green Bay Packers", "New York Giants"]),
        ([Constraint(3, Operator.GREATER, Date("2012"))], ["Baltimore Ravens"]),
        ([Constraint(3, Operator.AT_LEAST, Date("2012"))], ["Baltimore Ravens", "New York Giants"]),
        ([Constraint(3, Operator.EQUAL, Date("2012-02"))], ["New York Giants"]),
        ([Constraint(3, Operator.MAX)], ["Baltimore Ravens"]),
        ([Constraint(3, Operator.MIN)], ["Green Bay Packers"]),
        (
            [Constraint(3, Operator.AT_LEAST, Date("2012")), Constraint(3, Operator.AT_MOST, Date("2012"))],
            ["New York Giants"],
        ),
        # Comparisons come before extremes, whatever the order in which they were chosen.
        ([Constraint(3, Operator.MAX), Constraint(3, Operator.LESS, Date("2013"))], ["New York Giants"]),
    ],
)
def test_dates_compare_as_intervals(toy: GraphStore, constraints: list[Constraint], champions: list[str]) -> None:
    shown = _replay(toy, "who won the super bowl", _super_bowl(*constraints))
    assert sorted(_answers(shown)) == champions


def test_a_maximum_keeps_every_tie(toy: GraphStore) -> None:
    steps = [(0, "location.location.contains"), (1, "geography.body_of_water.surface_elevation")]
    derivation = _derivation("en.lake_group", steps, [Constraint(2, Operator.MAX)], 1)
    assert sorted(_answers(_replay(toy, "highest lake", derivation))) == ["Lake Alder", "Lake Birch"]


def test_numbers_compare_by_value(toy: GraphStore) -> None:
    steps = [(0, "location.location.contains"), (1, "geography.body_of_water.surface_elevation")]
    derivation = _derivation("en.lake_group", steps, [Constraint(2, Operator.LESS, Number(120))], 1)
    assert _answers(_replay(toy, "low lakes", derivation)) == ["Lake Cedar"]


def test_a_condition_that_nothing_meets_is_reported(toy: GraphStore) -> None:
    emitted = _replay(toy, "who won the super bowl in 1950", _super_bowl(Constraint(3, Operator.EQUAL, Date("1950"))))
    (pruned,) = _of(emitted, events.Pruned)
    assert pruned.leaves_nothing
    assert pruned.kept_total == 0
    last = emitted[-1]
    assert isinstance(last, events.Finished)
    assert (last.verdict, last.reason, last.answers) == ("conditions_leave_nothing", "conditions_leave_nothing", [])


def test_a_reverse_relation_is_followed_and_shown_as_such(toy: GraphStore) -> None:
    steps = [(0, "^tv.regular_tv_appearance.actor"), (1, "tv.regular_tv_appearance.character")]
    emitted = _replay(toy, "whom did David Hasselhoff play", _derivation("en.david_hasselhoff", steps, [], 2))
    first = _of(emitted, events.SearchStepTaken)[0]
    assert first.node.relation is not None
    assert first.node.relation.reverse
    assert (first.facts[0].source.id, first.facts[0].target.id) == ("en.david_hasselhoff", "m.cast_michael")
    assert _answers(emitted) == ["Michael Knight"]


def test_several_answers_through_an_adjective(toy: GraphStore) -> None:
    scorer = RuleScorer(("0 location.country.languages_spoken", "answer 1"))
    shown = list(answer("what does jamaican people speak", toy, scorer))
    assert sorted(_answers(shown)) == ["Jamaican Creole English Language", "Jamaican English"]


@pytest.mark.parametrize("question", ["colourless green ideas sleep furiously", "?", "why", ""])
def test_nonsense_is_not_in_the_graph(toy: GraphStore, question: str) -> None:
    last = list(answer(question, toy, KITT))[-1]
    assert isinstance(last, events.Finished)
    assert (last.verdict, last.reason) == ("not_in_graph", "no_topic")


def test_a_model_that_stops_has_found_no_answer_and_does_not_say_that_the_graph_has_none(toy: GraphStore) -> None:
    last = list(answer("what is the budget of Knight Rider", toy, RuleScorer(())))[-1]
    assert isinstance(last, events.Finished)
    assert (last.verdict, last.reason) == ("no_answer_found", "no_relation")


def test_an_unknown_topic_is_a_clear_failure(toy: GraphStore) -> None:
    last = list(answer("who", toy, KITT, topic=Entity("en.nobody")))[-1]
    assert isinstance(last, events.Failed)
    assert last.code == "unknown_topic"


def test_what_is_cut_is_reported_with_the_full_count(toy: GraphStore) -> None:
    limits = RunLimits(facts_shown=1, facts_per_step=2, options_shown=2)
    step = _of(answer(KITT_QUESTION, toy, KITT, limits=limits), events.SearchStepTaken)[0]
    assert (len(step.facts), step.facts_gained, step.facts_available) == (1, 2, 3)
    assert (len(step.decision.options), step.decision.total) == (2, 4)
    listed = sum(option.probability or 0 for option in step.decision.options)
    assert listed + step.decision.rest_probability == pytest.approx(1.0)


def test_the_step_limit_ends_the_search(toy: GraphStore) -> None:
    emitted = list(answer(KITT_QUESTION, toy, KITT, limits=RunLimits(steps=1)))
    (ended,) = _of(emitted, events.SearchEnded)
    assert (ended.reason, ended.decision, ended.seconds) == ("step_limit", None, 0)


def test_where_a_model_ends_a_stage_its_decision_is_reported(toy: GraphStore) -> None:
    cast_alone = RuleScorer((*KITT.wishes[:3], "answer 2"))
    emitted = list(answer(KITT_QUESTION, toy, cast_alone))
    (searched,), (pruned,) = _of(emitted, events.SearchEnded), _of(emitted, events.PruningEnded)
    for ended in (searched, pruned):
        assert ended.reason == "chosen"
        assert ended.decision is not None
        assert ended.decision.chosen == ended.decision.total - 1, "None comes last"


def test_where_nothing_is_left_to_choose_a_stage_ends_by_itself(toy: GraphStore) -> None:
    seasons = RuleScorer(("0 tv.tv_program.number_of_seasons",))
    emitted = list(answer("how many seasons has Knight Rider?", toy, seasons, switches=EngineSwitches(search="chain")))
    (searched,), (pruned,) = _of(emitted, events.SearchEnded), _of(emitted, events.PruningEnded)
    for ended in (searched, pruned):
        assert (ended.reason, ended.decision, ended.seconds) == ("nothing_left", None, 0)
    assert _answers(emitted) == ["4"]
