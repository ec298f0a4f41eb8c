"""RoG: what it follows, how it ranks, what a model writes for it, and what becomes of a person's changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.errors import WriterMissingError
from reasoning.core.options import Stage
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer, go_on
from reasoning.run.continuation import Continuation, Remove, Replace
from tests.reasoning.family import ANN, CHILD, PARENT, POST, SHARES, TEACHER, TOWN, Table
from tests.reasoning.made_up import RecordedWriter
from tests.reasoning.rules import Arbitrary, Counting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Relation, Triple
    from reasoning.run.continuation import Change
    from reasoning.scorers.base import Scorer

QUESTION = "who is Ann's parent?"
MANY = EngineSwitches.of(plans=5)


def run(family: GraphStore, **how: Any) -> list[events.StageEvent]:
    scorer = how.pop("scorer", Table(SHARES))
    return list(answer(QUESTION, family, scorer, strategy="rog", topic=ANN, **how))


def only(emitted: Sequence[events.StageEvent], kind: type[Any]) -> Any:
    (event,) = (event for event in emitted if isinstance(event, kind))
    return event


def steps(emitted: Sequence[events.StageEvent]) -> list[tuple[int | None, str]]:
    nodes = (event.node for event in emitted if isinstance(event, events.SearchStepTaken))
    return [(node.parent, node.relation.id) for node in nodes if node.relation is not None]


def names(emitted: Sequence[events.StageEvent]) -> list[str]:
    return [one.term.label for one in only(emitted, events.Finished).answers]


def facts(store: GraphStore, relation: Relation) -> set[Triple]:
    return set(store.expand([ANN], relation, 100).triples)


def test_each_plan_is_followed_the_weightiest_first_and_shared_relations_once(family: GraphStore) -> None:
    emitted = run(family)
    plans = only(emitted, events.PlansProposed).plans
    assert [[relation.id for relation in plan.relations] for plan in plans] == [
        [str(PARENT)],
        [str(CHILD)],
        [str(PARENT), str(PARENT)],
    ]
    assert steps(emitted) == [(0, str(PARENT)), (0, str(CHILD)), (1, str(PARENT))]
    # What plans weigh together that follow a relation: parent has two of them.
    weights = [event.weight for event in emitted if isinstance(event, events.SearchStepTaken)]
    assert weights == pytest.approx([0.48 / 0.78, 0.3 / 0.78, 0.18 / 0.78], abs=1e-5)


def test_direction_and_parallel_relations_are_kept(family: GraphStore) -> None:
    trace = Trace()
    run(family, switches=MANY, trace=trace)
    found = {node.relation: node.position for node in trace.structure.nodes if node.parent == 0}
    for relation in (PARENT, CHILD, TEACHER):
        gained = {fact.triple for fact in trace.graph.facts_at(found[relation])}
        assert gained == facts(family, relation) != set()
    assert facts(family, PARENT) != facts(family, CHILD)
    assert {fact.source for fact in trace.graph.facts_at(found[CHILD])} == {ANN}


@pytest.mark.parametrize("seed", range(8))
def test_whatever_a_model_gives_all_facts_are_of_the_graph_and_answers_have_proofs(toy: GraphStore, seed: int) -> None:
    trace = Trace()
    emitted = list(answer("who plays KITT in Knight Rider?", toy, Arbitrary(seed), strategy="rog", trace=trace))
    for node in trace.structure.nodes[1:]:
        assert node.parent is not None
        assert node.relation is not None
        held = set(toy.expand(trace.graph.entities_at(node.parent), node.relation, 1000).triples)
        assert {fact.triple for fact in trace.graph.facts_at(node.position)} <= held
    for one in only(emitted, events.Finished).answers:
        assert one.path[-1].target == one.term
        assert one.weight == pytest.approx(sum(path.weight for path in one.evidence or []), abs=1e-5)


def test_the_answer_is_what_the_weightiest_plan_leads_to_with_a_path_of_each_that_does(family: GraphStore) -> None:
    emitted = run(family, switches=MANY)
    plans = {
        tuple(relation.id for relation in plan.relations): plan.weight
        for plan in only(emitted, events.PlansProposed).plans
    }
    made = only(emitted, events.AnswerPositionChosen)
    assert (made.position, made.decision.given, made.decision.exact) == (1, False, True)
    (bob,) = only(emitted, events.Finished).answers
    assert bob.term.label == "Bob"
    assert bob.weight == pytest.approx(plans[str(PARENT),] + plans[str(TEACHER),], abs=1e-5)
    assert [[fact.relation.id for fact in path.facts] for path in bob.evidence or []] == [[str(PARENT)], [str(TEACHER)]]


def test_how_sure_it_is_is_the_probability_of_the_plan(family: GraphStore) -> None:
    finished = only(run(family), events.Finished)
    assert finished.confidence == pytest.approx(0.3, abs=1e-5)


def test_so_many_plans_as_were_asked_for(family: GraphStore) -> None:
    assert steps(run(family, switches=EngineSwitches.of(plans=1))) == [(0, str(PARENT))]


def test_where_the_model_takes_no_relation_there_is_no_answer(family: GraphStore) -> None:
    emitted = run(family, scorer=Table({}))
    finished = only(emitted, events.Finished)
    assert only(emitted, events.PlansProposed).plans == []
    assert (finished.verdict, finished.reason, finished.confidence) == ("no_answer_found", "no_relation", None)


def changed(
    family: GraphStore, change: Change, emitted: list[events.StageEvent], scorer: Scorer | None = None
) -> list[events.StageEvent]:
    return list(go_on(QUESTION, family, scorer or Table(SHARES), Continuation(tuple(emitted), change), strategy="rog"))


def test_plans_go_on_from_a_step_that_somebody_gave(family: GraphStore) -> None:
    first = run(family)
    emitted = changed(family, Replace(Stage.SEARCH, 0, SearchStep(0, POST)), first)
    proposed = [event for event in emitted if isinstance(event, events.PlansProposed)]
    assert proposed[0] == only(first, events.PlansProposed)
    assert [relation.id for relation in proposed[1].begins] == [str(POST)]
    assert [[relation.id for relation in plan.relations] for plan in proposed[1].plans] == [[str(POST), str(TOWN)]]
    assert steps(emitted)[:1] == [(0, str(POST))]
    assert (1, str(TOWN)) in steps(emitted)
    assert names(emitted) == ["Dan"]


def test_a_changed_run_that_was_broken_off_goes_on_as_it_was(family: GraphStore) -> None:
    first = run(family)
    change = Replace(Stage.SEARCH, 0, SearchStep(0, POST))
    shown = changed(family, change, first)
    for length in range(1, len(shown)):
        counted = Counting(Table(SHARES))
        continuation = Continuation(tuple(first), change, emitted=tuple(shown[:length]))
        again = list(go_on(QUESTION, family, counted, continuation, strategy="rog"))
        assert [event.kind for event in again] == [event.kind for event in shown]
        assert names(again) == names(shown)
        if any(isinstance(event, events.PlansProposed) and event.begins for event in shown[:length]):
            assert counted.asked == 0


def test_a_step_that_is_taken_out_is_followed_by_no_plan(family: GraphStore) -> None:
    shown = changed(family, Remove(Stage.SEARCH, 0), run(family))
    assert steps(shown) == [(0, str(CHILD))]
    assert names(shown) == ["Cyd"]


def test_the_end_of_another_plan_may_be_chosen(family: GraphStore) -> None:
    counted = Counting(Table(SHARES))
    shown = changed(family, Replace(Stage.INFER, 0, 2), run(family), counted)
    assert (names(shown), counted.asked) == (["Cyd"], 0)


READER = EngineSwitches.of(reasoner="writer", model_may_answer=True)


def test_a_model_reads_paths_with_their_direction_and_what_it_names_there_is_proven(family: GraphStore) -> None:
    writer = RecordedWriter(("Dan\nCyd",))
    emitted = run(family, switches=READER, writer=writer)
    sent = str(writer.asked[0][0].text)
    assert "Reasoning paths (3 of 3):" in sent
    for line in ("Ann -> parent -> Bob", "Ann <- parent <- Cyd", "Ann -> parent -> Bob -> parent -> Dan"):
        assert line in sent.splitlines()
    finished = only(emitted, events.Finished)
    assert (finished.verdict, names(emitted), finished.confidence) == ("answered", ["Dan", "Cyd"], None)
    assert [len(one.path) for one in finished.answers] == [2, 1]
    assert [said.place for said in only(emitted, events.ModelWrote).said] == ["facts", "facts"]


def test_what_no_plan_leads_to_is_the_models_own(family: GraphStore) -> None:
    emitted = run(family, switches=READER, writer=RecordedWriter(("Eve",)))
    assert (only(emitted, events.Finished).verdict, names(emitted)) == ("from_the_model", ["Eve"])
    off = run(family, switches=EngineSwitches.of(reasoner="writer"), writer=RecordedWriter(("Eve",)))
    assert (only(off, events.Finished).reason, names(off)) == ("unsupported", [])


def test_an_end_that_somebody_chose_stays_the_answer_where_a_later_change_keeps_it(family: GraphStore) -> None:
    shown = changed(family, Replace(Stage.INFER, 0, 2), run(family))
    without = Continuation(tuple(shown), Remove(Stage.SEARCH, 2), later="keep")
    how: Any = {"strategy": "rog", "switches": READER, "writer": RecordedWriter(())}
    again = list(go_on(QUESTION, family, Table(SHARES), without, **how))
    assert names(again) == names(shown) == ["Cyd"]
    assert not any(isinstance(event, events.ModelWrote) for event in again)


PLANNER = EngineSwitches.of(planner="writer")
WRITTEN = f"1. {POST} -> {TOWN}\n2. parent -> shoe size\n- {CHILD}\nteacher"


def test_plans_that_a_model_wrote_are_read_strictly_and_reported(family: GraphStore) -> None:
    writer = RecordedWriter((WRITTEN,))
    emitted = run(family, switches=PLANNER, writer=writer)
    assert str(TOWN) in writer.asked[0][0].text
    proposed = only(emitted, events.PlansProposed)
    assert [(plan.written, plan.grounded) for plan in proposed.plans] == [
        (f"{POST} -> {TOWN}", True),
        ("parent -> shoe size", False),
        (str(CHILD), True),
    ]
    assert (proposed.by, proposed.total, proposed.covered, proposed.cost) == ("writer", 4, None, None)
    assert sum(plan.weight for plan in proposed.plans) == pytest.approx(1, abs=1e-5)
    assert [relation for _, relation in steps(emitted)] == [str(POST), str(TOWN), str(CHILD)]
    finished = only(emitted, events.Finished)
    assert (names(emitted), finished.confidence) == (["Dan"], None)
    assert (finished.cost.calls, finished.costs["search"].calls) == (1, 1)


def test_a_relation_is_named_by_its_words_forwards_first_or_in_the_direction_that_there_is(family: GraphStore) -> None:
    emitted = run(family, switches=PLANNER, writer=RecordedWriter(("Parent\n^parent\nteacher → ^teacher",)))
    plans = only(emitted, events.PlansProposed).plans
    assert [[relation.id for relation in plan.relations] for plan in plans] == [
        [str(PARENT)],
        [str(CHILD)],
        [str(TEACHER), f"^{TEACHER}"],
    ]


def test_plans_of_which_the_graph_holds_none_are_no_answer(family: GraphStore) -> None:
    emitted = run(family, switches=PLANNER, writer=RecordedWriter(("shoe size",)))
    assert [plan.grounded for plan in only(emitted, events.PlansProposed).plans] == [False]
    assert only(emitted, events.Finished).verdict == "no_answer_found"


@pytest.mark.parametrize("switches", [PLANNER, READER])
def test_written_runs_go_on_from_wherever_they_were_broken_off(family: GraphStore, switches: EngineSwitches) -> None:
    shown = run(family, switches=switches, writer=RecordedWriter((WRITTEN,)))
    for length in range(len(shown)):
        how: Any = {"strategy": "rog", "topic": ANN, "switches": switches, "writer": RecordedWriter((WRITTEN,))}
        again = list(go_on(QUESTION, family, Table(SHARES), Continuation(tuple(shown[:length])), **how))
        assert [event.kind for event in again] == [event.kind for event in shown]
        assert names(again) == names(shown)


@pytest.mark.parametrize("switches", [PLANNER, READER])
def test_without_a_model_that_writes_it_says_so_before_it_begins(family: GraphStore, switches: EngineSwitches) -> None:
    with pytest.raises(WriterMissingError):
        run(family, switches=switches)
