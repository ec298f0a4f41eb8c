"""Plans that a language model chooses among whole relation paths, compared with full passes over every one of them."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from kgstore.terms import Entity, Relation
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.errors import InvalidDecisionError
from reasoning.core.options import DecisionState, Stage
from reasoning.core.structure import AbstractStructure
from reasoning.core.switches import EngineSwitches
from reasoning.engine.engine import answer, go_on
from reasoning.narration.wording import RunWords
from reasoning.run.continuation import Continuation, Replace
from reasoning.run.decisions import GivenDecisions
from reasoning.run.run import Run, UndecidedStopError
from reasoning.scorers.causal.scorer import CausalLMScorer, taught_paths
from reasoning.scorers.causal.transcript import plan_parts, plan_text
from reasoning.scorers.causal.transformers_reader import TransformersReader
from reasoning.strategies.plans.paths import best_paths, paths_around
from reasoning.strategies.plans.plan import Looked
from reasoning.strategies.plans.proposed import plans_event, propose, taken
from tests.reasoning.family import ANN, CHILD, PARENT, POST, SHARES, TEACHER, TOWN, Table
from tests.reasoning.language_models import brute_force, decided_model, relations, save_model, small_tokenizer
from tests.reasoning.test_plans import chosen_topic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.question.linking import Linking
    from reasoning.strategies.plans.plan import Way

QUESTION = "who is Ann's parent?"


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def reader() -> TransformersReader:
    return TransformersReader(decided_model(), small_tokenizer())


@pytest.fixture
def scorer(reader: TransformersReader) -> CausalLMScorer:
    reader.forget()
    return CausalLMScorer(reader, name="small")


def asked(store: GraphStore, scorer: Any, **how: Any) -> tuple[Run, Linking]:
    run = Run(QUESTION, store, scorer, topic=ANN, **how)
    return run, chosen_topic(run)


def proposed_by(run: Run, linking: Linking, **how: Any) -> events.PlansProposed:
    (shown,) = propose(run, linking, **how)
    assert isinstance(shown, events.PlansProposed)
    return shown


def full_passes(reader: TransformersReader, state: DecisionState, paths: Sequence[Way]) -> np.ndarray:
    """(paths,) The probability of each by a full pass of its own."""
    prompt = [token for part in reader.tokens(plan_parts(state)) for token in part]
    return np.exp(brute_force(reader.model, prompt, reader.tokens([plan_text(path) for path in paths])))


def ann() -> DecisionState:
    return DecisionState(Stage.SEARCH, QUESTION, AbstractStructure.rooted("Ann"), None)


def test_the_paths_of_the_graph_are_those_drawn_by_hand(family: GraphStore) -> None:
    run, linking = asked(family, None)
    around = paths_around(run, linking, depth=2)
    back_from_bob = {(first, second) for first in (PARENT, TEACHER) for second in (CHILD, TEACHER.inverse, PARENT)}
    assert set(around.paths) == {
        (PARENT,),
        (CHILD,),
        (TEACHER,),
        *back_from_bob,
        (CHILD, PARENT),
        # The post itself is a mediator: no plan ends there.
        (POST, TOWN),
        (POST, POST.inverse),
    }
    assert len(set(around.paths)) == len(around.paths)
    assert [len(path) for path in around.paths] == sorted(len(path) for path in around.paths)
    # Ann, and what each of her four relations leads to.
    assert around.looked == Looked(5, 5)
    assert set(paths_around(run, linking, depth=1).paths) == {(PARENT,), (CHILD,), (TEACHER,)}


def test_where_there_are_too_many_it_stops_and_says_so(family: GraphStore, scorer: CausalLMScorer) -> None:
    run, linking = asked(family, scorer)
    around = paths_around(run, linking, depth=3, most=4)
    assert 4 <= len(around.paths) < len(paths_around(run, linking, depth=3).paths)
    assert not around.looked.is_whole
    plans = best_paths(run, linking, scorer, around.paths, around.looked, count=2)
    # What was not found has unknown counts.
    assert (plans.covered, plans.total) == (None, len(around.paths))


def test_the_plans_are_the_most_probable_paths_by_full_passes(
    family: GraphStore, scorer: CausalLMScorer, reader: TransformersReader
) -> None:
    run, linking = asked(family, scorer)
    around = paths_around(run, linking, depth=3)
    expected = full_passes(reader, ann(), around.paths)
    order = np.argsort(-expected, kind="stable")
    plans = best_paths(run, linking, scorer, around.paths, around.looked, count=3)
    assert [plan.relations for plan in plans.plans] == [around.paths[index] for index in order[:3]]
    kept = expected[order[:3]]
    assert [plan.weight for plan in plans.plans] == pytest.approx((kept / kept.sum()).tolist(), abs=1e-4)
    assert sum(plan.weight for plan in plans.plans) == pytest.approx(1.0)
    # What was not read counts with the most that it may have, so these have no less than is told.
    assert plans.covered is not None
    assert plans.covered <= kept.sum() / expected.sum() + 1e-4
    everything = scorer.score_paths(ann(), around.paths)
    assert [everything.probabilities[index] for index in range(len(expected))] == pytest.approx(
        (expected / expected.sum()).tolist(), abs=1e-4
    )


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_paths_the_best_are_found_exactly(
    scorer: CausalLMScorer, reader: TransformersReader, seed: int
) -> None:
    rng = random.Random(seed)
    names = rng.sample(relations(), 6)
    made = {
        tuple(Relation.parse(rng.choice(("", "^")) + rng.choice(names)) for _ in range(rng.randint(1, 3)))
        for _ in range(25)
    }
    paths = sorted(made, key=str)
    expected = full_passes(reader, ann(), paths)
    for count in (1, 3, 10):
        found = scorer.score_paths(ann(), paths, best=count)
        order = sorted(found.probabilities, key=lambda index: (-found.probabilities[index], index))[:count]
        assert expected[order] == pytest.approx(np.sort(expected)[::-1][:count], rel=1e-3)
        assert sum(found.probabilities.values()) + found.rest == pytest.approx(1)


def test_what_paths_begin_with_is_read_once(scorer: CausalLMScorer, reader: TransformersReader) -> None:
    paths = [(PARENT, PARENT, one) for one in (PARENT, CHILD, TEACHER)]
    tokens = reader.tokens([plan_text(path) for path in paths])
    prompt = sum(map(len, reader.tokens(plan_parts(ann()))))
    prefixes = {tuple(text[:end]) for text in tokens for end in range(1, len(text) + 1)}
    cost = scorer.score_paths(ann(), paths).cost
    assert cost.tokens_in <= prompt + 1 + len(prefixes) < prompt + 1 + sum(map(len, tokens))


def test_paths_are_read_as_they_are_written() -> None:
    assert plan_text((PARENT, CHILD)) == " family.person.parent -> ^family.person.parent"
    parts = plan_parts(ann())
    assert parts[2:4] == ["Topic:", " Ann"]
    assert parts[-1].startswith("Plan")


def test_a_single_path_is_certain_and_none_has_no_plan(family: GraphStore, scorer: CausalLMScorer) -> None:
    run, linking = asked(family, scorer)
    plans = best_paths(run, linking, scorer, [(PARENT,)], Looked(1, 1), count=3)
    assert ([(plan.relations, plan.weight) for plan in plans.plans], plans.cost.calls) == ([((PARENT,), 1.0)], 0)
    assert best_paths(run, linking, scorer, [], Looked(1, 1), count=3).plans == ()


def test_the_event_tells_that_whole_paths_were_weighed(family: GraphStore, scorer: CausalLMScorer) -> None:
    run, linking = asked(family, scorer)
    shown = proposed_by(run, linking, count=3, depth=2)
    assert shown.looked == events.LookedRecord(followed=5, leading_on=5)
    assert type(shown).model_validate_json(shown.model_dump_json()) == shown
    assert RunWords().other_lines(shown)[0] == "Weighed 12 relation paths, proposed 3"
    assert sum(plan.weight for plan in shown.plans) == pytest.approx(1.0, abs=1e-5)


def test_the_event_tells_how_far_it_was_looked_for_paths(family: GraphStore, scorer: CausalLMScorer) -> None:
    run, linking = asked(family, scorer)
    around = paths_around(run, linking, depth=2, most=3)
    plans = best_paths(run, linking, scorer, around.paths, around.looked, count=3)
    cut = plans_event(run, plans, (), 0.0)
    assert RunWords().other_lines(cut) == ["Weighed 3 relation paths, proposed 3", "extended 1 of 5 paths"]
    assert taken(run, cut) == replace(plans, plans=taken(run, cut).plans)
    assert run.confidence is None


def test_plans_begin_with_what_somebody_gave(family: GraphStore, scorer: CausalLMScorer) -> None:
    run, linking = asked(family, scorer)
    run.trace.structure = run.trace.structure.grow(0, PARENT, run.trace.structure.nodes[0].kind)
    run.trace.graph = run.trace.graph.grow(PARENT, family.expand([ANN], PARENT, 10).triples)
    shown = proposed_by(run, linking, count=9, begin=1)
    assert [relation.id for relation in shown.begins] == [str(PARENT)]
    ways = [[relation.id for relation in plan.relations] for plan in shown.plans]
    assert {way[0] for way in ways} == {str(PARENT)}
    assert len(ways) == 9


def test_what_a_run_goes_on_with_is_not_asked_again(family: GraphStore, scorer: CausalLMScorer) -> None:
    run, linking = asked(family, scorer)
    shown = proposed_by(run, linking, count=3, depth=2)
    again, linking = asked(family, None, kept=(shown,))
    assert proposed_by(again, linking, count=3, depth=2) == shown
    assert again.confidence == run.confidence


def test_a_run_that_stops_at_what_is_open_proposes_nothing(family: GraphStore, scorer: CausalLMScorer) -> None:
    run, linking = asked(family, scorer, decisions=GivenDecisions(otherwise="stop"))
    with pytest.raises(UndecidedStopError):
        proposed_by(run, linking, count=3)


def test_without_a_model_there_are_no_plans(family: GraphStore) -> None:
    run, linking = asked(family, None)
    with pytest.raises(InvalidDecisionError):
        proposed_by(run, linking, count=3)


def test_a_scorer_that_reads_no_paths_is_asked_relation_by_relation(
    family: GraphStore, reader: TransformersReader
) -> None:
    for scorer in (Table(SHARES), CausalLMScorer(reader, name="small", reads_paths=False)):
        run, linking = asked(family, scorer)
        assert proposed_by(run, linking, count=3, depth=2).looked is None


def test_what_a_model_was_taught_says_whether_it_reads_paths(tmp_path: Path) -> None:
    assert taught_paths({})
    assert taught_paths({"name": "of somebody else", "none_bias": 0.5})
    assert not taught_paths({"trained": {}})
    assert taught_paths({"trained": {}, "reads_paths": True})
    save_model(tmp_path, decided_model())
    assert CausalLMScorer.open(tmp_path).reads_paths
    (tmp_path / "card.json").write_text('{"kind": "causal", "name": "mine", "trained": {}}', encoding="utf-8")
    assert not CausalLMScorer.open(tmp_path).reads_paths


@pytest.mark.parametrize("strategy", ["rog", "eperm"])
def test_strategies_follow_such_plans_and_go_on_without_the_model(
    family: GraphStore, scorer: CausalLMScorer, strategy: str
) -> None:
    switches = EngineSwitches.of(plans=3, relations=6)
    emitted = list(answer(QUESTION, family, scorer, strategy=strategy, topic=ANN, switches=switches))
    assert emitted[-1].kind == "finished"
    (proposed,) = (event for event in emitted if isinstance(event, events.PlansProposed))
    assert proposed.looked is not None
    assert sum(plan.weight for plan in proposed.plans) == pytest.approx(1.0, abs=1e-5)
    rounds = [event for event in emitted if isinstance(event, events.SelectionMade)]
    assert bool(rounds) == (strategy == "eperm")
    nodes = [event.node for event in emitted if isinstance(event, events.SearchStepTaken)]
    assert {tuple(relation.id for relation in plan.relations)[:1] for plan in proposed.plans} == {
        (node.relation.id,) for node in nodes if node.parent == 0 and node.relation is not None
    }
    kept = SearchStep(0, Relation.parse(proposed.plans[0].relations[0].id))
    change = Replace(Stage.SEARCH, 0, kept)
    again = list(
        go_on(QUESTION, family, None, Continuation(tuple(emitted), change), strategy=strategy, switches=switches)
    )
    assert again[-1].kind == "finished"


def test_plans_of_eperm_are_the_most_probable_paths_of_what_it_retrieved(
    family: GraphStore, scorer: CausalLMScorer, reader: TransformersReader
) -> None:
    switches = EngineSwitches.of(plans=2, relations=6)
    emitted = list(answer(QUESTION, family, scorer, strategy="eperm", topic=ANN, switches=switches))
    (proposed,) = (event for event in emitted if isinstance(event, events.PlansProposed))
    to_mediators = {str(POST), str(TOWN.inverse)}
    retrieved = [
        (*(one.id for one in way), option.relation.id)
        for event in emitted
        if isinstance(event, events.SelectionMade)
        for option, way in zip(event.selection.options, event.selection.ways or [], strict=True)
        if isinstance(option, events.StepOptionRecord) and option.index in event.selection.kept
    ]
    paths = [tuple(map(Relation.parse, way)) for way in retrieved if way[-1] not in to_mediators]
    assert proposed.total == len(paths)
    expected = full_passes(reader, ann(), paths)
    order = np.argsort(-expected)[:2]
    assert [tuple(Relation.parse(one.id) for one in plan.relations) for plan in proposed.plans] == [
        paths[index] for index in order
    ]
    kept = expected[order]
    assert [plan.weight for plan in proposed.plans] == pytest.approx((kept / kept.sum()).tolist(), abs=1e-3)


def test_paths_of_a_graph_hold_facts_all_along(toy: GraphStore) -> None:
    run = Run("who plays KITT in Knight Rider?", toy, None, topic=Entity("en.knight_rider"))
    around = paths_around(run, chosen_topic(run), depth=3)
    assert around.paths
    for path in around.paths:
        reached: set[Any] = {Entity("en.knight_rider")}
        for relation in path:
            found = toy.expand(sorted(one for one in reached if isinstance(one, Entity)), relation, 1000).triples
            reached = {triple.subject if relation.is_reverse else triple.object for triple in found}
        assert reached
