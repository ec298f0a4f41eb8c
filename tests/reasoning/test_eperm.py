"""EPERM: its equations by hand, what it keeps and drops, who predicts, and what becomes of a person's changes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.errors import ScorerUnavailableError, WriterMissingError
from reasoning.core.options import Stage
from reasoning.core.structure import Fact
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer, go_on
from reasoning.narration.wording import RunWords
from reasoning.run.continuation import Continuation, Remove, Replace
from reasoning.scorers.cards import CARD_FILE
from reasoning.strategies import registry
from reasoning.strategies.eperm.evidence import (
    EvidencePath,
    answer_together,
    best_paths,
    candidates,
    noisy_or,
    shares,
)
from reasoning.strategies.eperm.weights import read_judge
from tests.reasoning.family import ANN, CHILD, PARENT, POST, SHARES, TEACHER, TOWN, Table
from tests.reasoning.made_up import RecordedWriter
from tests.reasoning.rules import KITT_QUESTION, Arbitrary, Counting
from tests.reasoning.test_eperm_judge import judge_that_gives

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.store import GraphStore

QUESTION = "who is Ann's parent?"
A, B, C, D = (Entity(f"en.{name}") for name in "abcd")


@pytest.fixture(autouse=True)
def _judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody is judged alike, and answers have a weight of at least half of the best one."""
    judge_that_gives(tmp_path / "eperm", usual=0.8, mediators=0.5, threshold=0.5)
    monkeypatch.setattr(registry, "_trained", [tmp_path])


def run(family: GraphStore, **how: Any) -> list[events.StageEvent]:
    scorer = how.pop("scorer", Table(SHARES))
    return list(answer(QUESTION, family, scorer, strategy="eperm", topic=ANN, **how))


def only(emitted: Sequence[events.StageEvent], kind: type[Any]) -> Any:
    (event,) = (event for event in emitted if isinstance(event, kind))
    return event


def every(emitted: Sequence[events.StageEvent], kind: type[Any]) -> list[Any]:
    return [event for event in emitted if isinstance(event, kind)]


def names(emitted: Sequence[events.StageEvent]) -> list[str]:
    return [one.term.label for one in only(emitted, events.Finished).answers]


def path(plan: int, target: Entity, plan_weight: float, *scores: float) -> EvidencePath:
    return EvidencePath(plan, (Fact(0, 1, None, A, target),), plan_weight, scores)  # type: ignore[arg-type]


def test_a_path_weighs_the_product_of_its_factors_as_a_share_of_all() -> None:
    # 0.6 * 0.5 * 0.8 = 0.24; 0.4 * 0.9 = 0.36: together 0.6.
    weighed = shares([path(0, B, 0.6, 0.5, 0.8), path(1, C, 0.4, 0.9)])
    assert [one.target for one in weighed] == [C, B]
    assert [one.product for one in weighed] == pytest.approx([0.36, 0.24])
    assert [one.weight for one in weighed] == pytest.approx([0.6, 0.4])


def test_a_candidate_weighs_what_its_paths_say_together() -> None:
    assert noisy_or([0.5, 0.2]) == pytest.approx(0.6)
    # b has 0.3 and 0.2 of all, so 1 - 0.7 * 0.8; c has 0.5.
    found = candidates(shares([path(0, B, 0.3, 1.0), path(1, B, 0.2, 1.0), path(0, C, 0.5, 1.0)]))
    assert {term: noisy_or(one.weight for one in paths) for term, paths in found.items()} == {
        C: pytest.approx(0.5),
        B: pytest.approx(0.44),
    }
    assert list(found) == [C, B]


@given(st.lists(st.text("ab", min_size=1, max_size=4).map(tuple), min_size=1, max_size=12))
def test_plans_that_answer_together_do_not_go_on_from_one_another(ways: list[tuple[str, ...]]) -> None:
    kept = answer_together(ways)
    assert ways[0] in kept
    for way in ways:
        others = [other for other in kept if way[: len(other)] == other[: len(way)]]
        assert others == [way] if way in kept else others


def test_of_one_plan_the_path_whose_scores_are_best_counts() -> None:
    def fact(number: int, source: Entity, target: Entity) -> Fact:
        return Fact(number, 1, None, source, target)  # type: ignore[arg-type]

    first, second = [fact(0, A, B), fact(1, A, C)], [fact(2, B, D), fact(3, C, D)]
    found = best_paths([first, second], [{B: 0.2, C: 0.9}, {D: 0.5}])
    assert [one.id for one in found[D]] == [1, 3]
    # What is not judged counts 1, and of equals the first path is taken.
    assert [one.id for one in best_paths([first, second], [{}, {}])[D]] == [0, 2]


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from([B, C, D]),
            st.floats(0.01, 1),
            st.lists(st.floats(0.01, 1), min_size=1, max_size=4),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_weights_sum_to_one_and_keep_the_ratios_of_the_products(made: list[Any]) -> None:
    weighed = shares([path(plan, target, weight, *scores) for plan, target, weight, scores in made])
    assert sum(one.weight for one in weighed) == pytest.approx(1.0)
    assert all(one.weight * weighed[0].product == pytest.approx(weighed[0].weight * one.product) for one in weighed)
    assert [one.weight for one in weighed] == sorted((one.weight for one in weighed), reverse=True)
    for paths in candidates(weighed).values():
        assert max(one.weight for one in paths) <= noisy_or(one.weight for one in paths) + 1e-12 <= 1 + 1e-9


def test_a_judge_that_cannot_be_used_says_so(tmp_path: Path, family: GraphStore) -> None:
    (tmp_path / "eperm" / CARD_FILE).write_text('{"encoder_sha256": "other"}')
    with pytest.raises(ScorerUnavailableError, match=r"another sentence encoder.*train_strategy eperm"):
        read_judge(tmp_path / "eperm")
    assert run(family)[-1].kind == "failed"


def test_a_round_keeps_the_best_relations_of_what_was_reached(family: GraphStore) -> None:
    first, second, *_ = every(run(family, switches=EngineSwitches.of(relations=3)), events.SelectionMade)
    shown = [one.relation.id for one in first.selection.options]
    assert shown[:2] == [str(PARENT), str(CHILD)]
    assert (len(first.selection.kept), first.selection.total) == (3, 4)
    assert first.selection.ways == [[]] * 4
    # Of what the first round kept, the next one goes on: 0.5 * 0.4.
    assert second.selection.options[0].relation.id == str(PARENT)
    assert second.selection.weights[0] == pytest.approx(0.2)
    assert [relation.id for relation in second.selection.ways[0]] == [str(PARENT)]


@pytest.mark.slow
def test_what_each_plan_leads_to_is_judged_hop_by_hop(family: GraphStore) -> None:
    shown = run(family)
    found = every(shown, events.FrontierKept)
    assert [(one.hop, [relation.id for relation in one.way], one.numbers) for one in found] == [
        (1, [str(PARENT)], [0, 2]),
        (1, [str(CHILD)], [1]),
        (2, [str(PARENT), str(PARENT)], [2]),
    ]
    assert [[one.term.label for one in frontier.entities] for frontier in found] == [["Bob"], ["Cyd"], ["Dan"]]
    assert [one.entities[0].score for one in found] == pytest.approx([0.8] * 3, abs=1e-2)
    assert {one.judge for one in found} == {"made up (00000000)"}


@pytest.mark.slow
def test_paths_are_reported_with_their_factors(family: GraphStore) -> None:
    emitted = run(family)
    weighed = only(emitted, events.PathsWeighed)
    plans = only(emitted, events.PlansProposed).plans
    products = []
    for one in weighed.paths:
        assert one.plan_weight == plans[one.plan].weight
        products.append(one.plan_weight * math.prod(one.scores))
        assert [fact.relation.id for fact in one.facts] == [relation.id for relation in plans[one.plan].relations]
        assert one.facts[-1].target == one.target
    assert [one.weight for one in weighed.paths] == pytest.approx([one / sum(products) for one in products], abs=1e-5)
    assert sum(one.weight for one in weighed.paths) == pytest.approx(1.0, abs=1e-5)
    assert weighed.total == 3


def test_answers_are_what_comes_near_the_weightiest_candidate(family: GraphStore, tmp_path: Path) -> None:
    emitted = run(family)
    # Bob and Cyd weigh 0.3 * 0.8, Dan 0.18 * 0.8 * 0.8, which is less than half of that.
    assert names(emitted) == ["Bob", "Cyd"]
    ranked = only(emitted, events.CandidatesRanked)
    assert [one.term.label for one in ranked.candidates] == ["Bob", "Cyd", "Dan"]
    assert ranked.threshold == pytest.approx(ranked.candidates[0].weight / 2, abs=1e-6)
    assert [one.paths for one in ranked.candidates] == [1, 1, 1]
    judge_that_gives(tmp_path / "eperm", usual=0.9, mediators=0.5, threshold=0.3)
    # Dan is Bob's parent: his plan goes on from Bob's, and a question means the one or the other.
    emitted = run(family)
    assert names(emitted) == ["Bob", "Cyd"]
    assert [one.overruled for one in only(emitted, events.CandidatesRanked).candidates] == [None, None, True]


def test_an_answer_has_all_the_paths_that_lead_to_it(family: GraphStore) -> None:
    first = only(run(family, switches=EngineSwitches.of(plans=5)), events.Finished).answers[0]
    assert first.term.label == "Bob"
    assert [[fact.relation.id for fact in one.facts] for one in first.evidence] == [[str(PARENT)], [str(TEACHER)]]
    assert first.weight == pytest.approx(noisy_or(one.weight for one in first.evidence), abs=1e-5)


def test_mediators_are_judged_and_passed(family: GraphStore) -> None:
    emitted = run(family, switches=EngineSwitches.of(plans=5))
    (dan,) = (one for one in only(emitted, events.PathsWeighed).paths if len(one.facts) == 2 and one.scores[0] < 0.6)
    assert [fact.relation.id for fact in dan.facts] == [str(POST), str(TOWN)]
    assert dan.scores == pytest.approx([0.5, 0.8], abs=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_filtering_only_removes(toy: GraphStore, seed: int) -> None:
    def reached(entities: int, without: tuple[Any, ...] = ()) -> tuple[set[Any], list[events.StageEvent]]:
        trace = Trace()
        switches = EngineSwitches.of(entities=entities, evidence_without=without)
        shown = list(answer(KITT_QUESTION, toy, Arbitrary(seed), strategy="eperm", switches=switches, trace=trace))
        return {fact.triple for fact in trace.graph.facts}, shown

    whole, shown = reached(1000, ("filter",))
    few, filtered = reached(1)
    assert few <= whole
    kept = [one.kept for one in every(filtered, events.FrontierKept)]
    assert all(count <= 1 for count in kept)
    for one in every(shown, events.FrontierKept):
        assert (one.dropped, one.judge) == (0, "")
        assert {entity.score for entity in one.entities} <= {1.0}


def test_the_ablations_leave_out_what_they_say(family: GraphStore) -> None:
    def events_with(*without: Any, plans: int = 3) -> list[events.StageEvent]:
        return run(family, switches=EngineSwitches.of(evidence_without=without, plans=plans))

    unfiltered = only(events_with("filter"), events.PathsWeighed)
    assert [one.weight for one in unfiltered.paths] == pytest.approx([0.3 / 0.78, 0.3 / 0.78, 0.18 / 0.78], abs=1e-5)
    without_paths = only(events_with("paths"), events.PathsWeighed)
    assert [one.weight for one in without_paths.paths] == pytest.approx([1 / 3] * 3, abs=1e-5)
    assert len(names(events_with("paths"))) == 3
    assert names(events_with("predictor")) == ["Bob", "Cyd", "Dan"]


def test_the_scorer_takes_ends_of_plans_until_none(family: GraphStore) -> None:
    class Takes:
        """Takes the first option while there are ``most`` options or more, and None then."""

        name = "takes"

        def __init__(self, least: int) -> None:
            self.least = least

        def score(self, state: Any, pool: Any, *, best: int | None = None) -> Any:
            if state.stage is not Stage.INFER:
                return Table(SHARES).score(state, pool, best=best)
            found = Table({}).score(state, pool)
            shares = dict.fromkeys(range(len(pool)), 0.0)
            shares[0 if len(pool) >= self.least else len(pool) - 1] = 1.0
            return replace(found, probabilities=shares)

    choice = EngineSwitches.of(predictor="choice")
    emitted = run(family, scorer=Takes(3), switches=choice)
    (made,) = (one for one in every(emitted, events.SelectionMade) if one.stage == Stage.INFER)
    assert (made.selection.kept, made.selection.total) == ([0, 1], 4)
    assert only(emitted, events.AnswerPositionChosen).position == 1
    assert names(emitted) == ["Bob", "Cyd"]
    again = list(go_on(QUESTION, family, None, Continuation(tuple(emitted)), strategy="eperm", switches=choice))
    assert names(again) == ["Bob", "Cyd"]
    silent = run(family, scorer=Takes(9), switches=choice)
    assert only(silent, events.NoCandidateChosen).decision.chosen == 3
    assert only(silent, events.Finished).verdict == "no_answer_found"


def test_a_model_that_writes_reads_the_paths_with_their_weights(family: GraphStore) -> None:
    switches = EngineSwitches.of(predictor="writer", model_may_answer=True)
    writer = RecordedWriter(("Dan\nBob", "nobody here"))
    emitted = run(family, writer=writer, switches=switches)
    asked = only(emitted, events.ModelWrote).messages[0].text
    weights = [one.weight for one in only(emitted, events.PathsWeighed).paths]
    assert f"{weights[0]:.3f}: Ann -> parent -> Bob" in asked
    assert "Weighted reasoning paths (3 of 3)" in asked
    assert names(emitted) == ["Dan", "Bob"]
    own = run(family, writer=writer, switches=switches)
    assert only(own, events.Finished).verdict == "from_the_model"
    with pytest.raises(WriterMissingError, match="Choose who else chooses in it"):
        run(family, switches=switches)


def test_without_paths_a_model_that_writes_is_reported_names_alone(family: GraphStore) -> None:
    switches = EngineSwitches.of(predictor="writer", evidence_without=("paths",))
    emitted = run(family, writer=RecordedWriter(("Bob",)), switches=switches)
    asked = only(emitted, events.ModelWrote).messages[0].text
    assert "Names (3 of 3):\nBob\nCyd\nDan\n" in asked
    assert "->" not in asked


@pytest.mark.parametrize("kind", [events.SelectionMade, events.FrontierKept])
def test_what_was_kept_can_be_given(family: GraphStore, kind: type[Any]) -> None:
    shown = run(family)
    place = next(at for at, event in enumerate(shown) if isinstance(event, kind))
    event: Any = shown[place]
    if isinstance(event, events.SelectionMade):
        changed: Any = event.model_copy(update={"selection": event.selection.model_copy(update={"kept": [1]})})
    else:
        dan = every(shown, events.FrontierKept)[2].entities
        changed = event.model_copy(update={"entities": dan})
    begun = (*shown[:place], changed)
    again = list(go_on(QUESTION, family, Table(SHARES), Continuation(begun), strategy="eperm"))
    assert again[: len(begun)] == list(begun)
    if kind is events.SelectionMade:
        (plan,) = only(again, events.PlansProposed).plans
        assert [relation.id for relation in plan.relations] == [str(_second(shown))]
    else:
        # Dan stands nowhere along that relation, so nothing of what it led to is left but what the graph holds.
        assert every(again, events.FrontierKept)[0].way[0].id == str(PARENT)


def _second(emitted: Sequence[events.StageEvent]) -> str:
    """The relation of the first round that has the index 1."""
    first = every(emitted, events.SelectionMade)[0].selection
    relation: str = next(one.relation.id for one in first.options if one.index == 1)
    return relation


@pytest.mark.parametrize("later", ["keep", "ask"])
def test_a_step_may_be_taken_out_or_replaced(family: GraphStore, later: Any) -> None:
    shown = tuple(run(family))
    removed = Continuation(shown, Remove(Stage.SEARCH, 1), later)
    again = list(go_on(QUESTION, family, Table(SHARES), removed, strategy="eperm"))
    assert "Cyd" not in names(again)
    other = Continuation(shown, Replace(Stage.SEARCH, 0, SearchStep(0, TEACHER)), later)
    again = list(go_on(QUESTION, family, Table(SHARES), other, strategy="eperm"))
    assert names(again)[0] == "Bob"


def test_another_place_of_the_answer_is_reported_whole(family: GraphStore) -> None:
    shown = tuple(run(family))
    change = Continuation(shown, Replace(Stage.INFER, 0, 3))
    counted = Counting(Table(SHARES))
    again = list(go_on(QUESTION, family, counted, change, strategy="eperm"))
    assert (names(again), counted.asked) == (["Dan"], 0)


def test_where_the_model_takes_no_relation_there_is_no_answer(family: GraphStore) -> None:
    finished = only(run(family, scorer=Table({})), events.Finished)
    assert (finished.verdict, finished.reason) == ("no_answer_found", "no_relation")


def test_what_is_reported_can_be_said_in_words(family: GraphStore) -> None:
    shown = run(family)
    words = RunWords()
    lines: dict[str, list[str]] = {}
    for event in shown:
        words.learn(event)
        lines.setdefault(event.kind, []).extend(words.other_lines(event))
        if isinstance(event, events.PathsWeighed):
            assert [said for _, said in words.readings(event)] == [
                "parent → Bob",
                "parent (backwards) → Cyd",
                "parent → parent → Dan",
            ]
    assert lines["frontier_kept"][:2] == ["Hop 1 (parent): kept 1 of 1 entity", "judged by made up (00000000)"]
    assert lines["paths_weighed"] == ["Weighed 3 paths, showing 3"]
    assert lines["candidates_ranked"][-1].startswith("answers have a weight of 0.")
    (unjudged,) = set(_unjudged(family))
    assert unjudged == "no model judged them, so all were kept"


def _unjudged(family: GraphStore) -> Iterator[str]:
    words = RunWords()
    for event in run(family, switches=EngineSwitches.of(evidence_without=("filter",))):
        words.learn(event)
        if isinstance(event, events.FrontierKept):
            yield words.other_lines(event)[1]
