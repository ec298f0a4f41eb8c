"""Weak labels: derivations found from answers alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Derivation, SearchStep
from reasoning.core.options import StepOption
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.datasets.registry import read_dataset
from reasoning.training.lessons.sources import Sources
from reasoning.training.lessons.weak import (
    NotFound,
    Tried,
    WeakLabel,
    agreement,
    answered,
    as_question,
    shortest_labels,
    tried,
    usual_likeness,
    weak_figures,
    weak_label,
)
from reasoning.training.recipe.recipe import Recipe, RecipeError
from reasoning.training.simulation.journal import Journal, JournalError
from tests.reasoning.rules import KITT_GOLD, KITT_QUESTION
from tests.reasoning.test_recipes import FILMS

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.training.lessons.samples import TrainingSample

RIDER, DANIELS = Entity("en.knight_rider"), Entity("en.william_daniels")
CAST = [(RIDER, frozenset({DANIELS}))]
PATIENT = 60.0
"""Seconds that are never needed, so that no test depends on how busy a machine is."""


def found_in(toy: GraphStore, question: str = KITT_QUESTION, *, precision: float = 0.5) -> WeakLabel | NotFound:
    return weak_label(question, CAST, toy, usual_likeness(), precision=precision, seconds=PATIENT)


def asked_of(derivation: Derivation | None) -> BenchmarkQuestion:
    return BenchmarkQuestion("kitt", KITT_QUESTION, (GoldParse(RIDER, frozenset({DANIELS}), derivation),))


def test_the_way_that_fits_the_answers_best_is_found_without_the_gold_one(toy: GraphStore) -> None:
    label = found_in(toy)
    assert isinstance(label, WeakLabel)
    assert label.derivation == Derivation.from_json(KITT_GOLD)
    assert (label.precision, label.recall, label.hops) == (1.0, 1.0, 1.0)
    assert label.complete


def test_of_ways_that_fit_as_well_the_likest_to_the_question_is_kept(toy: GraphStore) -> None:
    marked = [(Entity("en.super_bowl"), frozenset({Entity("en.green_bay_packers")}))]
    first = weak_label("who won the first Super Bowl?", marked, toy, usual_likeness(), seconds=PATIENT)
    assert isinstance(first, WeakLabel)
    assert first.precision == 1.0
    assert str(first.derivation.steps[1].relation).endswith("champion")


def test_what_is_not_precise_enough_is_not_kept(toy: GraphStore) -> None:
    # Three people act in it, and nothing in the question tells them apart.
    question = "who acts in it?"
    assert found_in(toy, question, precision=0.9) is NotFound.IMPRECISE
    loose = found_in(toy, question, precision=0.3)
    assert isinstance(loose, WeakLabel)
    assert loose.precision == pytest.approx(1 / 3)


def test_why_there_is_no_label(toy: GraphStore) -> None:
    def why(topic: Entity | None, *answers: str) -> WeakLabel | NotFound:
        marked = [(topic, frozenset(map(Entity, answers)))]
        return weak_label("?", marked, toy, usual_likeness(), seconds=PATIENT)

    assert why(None, "en.kitt") is NotFound.NO_TOPIC
    assert why(RIDER) is NotFound.NO_ANSWERS
    assert why(Entity("en.nobody"), "en.kitt") is NotFound.NOT_IN_GRAPH
    assert why(RIDER, "en.nobody") is NotFound.NO_WAY
    assert weak_label("?", [], toy, usual_likeness()) is NotFound.NO_TOPIC


def test_a_gold_derivation_changes_nothing_about_the_label(toy: GraphStore) -> None:
    wrong = Derivation(RIDER, (SearchStep(0, Relation("tv.tv_program.program_creator")),), (), 1)
    without, misled = (tried(asked_of(gold), toy, seconds=PATIENT) for gold in (None, wrong))
    assert isinstance(without.found, WeakLabel)
    assert without.found == misled.found
    assert without.agreement is None
    assert misled.agreement is not None
    assert not misled.agreement.same
    assert misled.agreement.relation_recall == 0.0


def test_agreement_with_gold_is_counted(toy: GraphStore) -> None:
    gold = asked_of(Derivation.from_json(KITT_GOLD))
    one = tried(gold, toy, seconds=PATIENT)
    assert one.agreement is not None
    assert (one.agreement.same, one.agreement.edit_distance, one.agreement.relation_precision) == (True, 0, 1.0)
    bare = replace(one.found, derivation=Derivation.from_json(KITT_GOLD | {"constraints": []}))  # type: ignore[type-var]
    assert isinstance(bare, WeakLabel)
    worse = agreement(bare, gold, toy)
    assert worse is not None
    assert not worse.same
    every = [one, Tried("other", bare, worse), Tried("none", NotFound.NO_WAY, None)]
    figures = weak_figures([Tried.from_json(json.loads(json.dumps(each.to_json()))) for each in every])
    assert (figures["questions"], figures["labels"]) == (3, 2)
    assert figures["not_found"] == {"no way leads to an answer": 1}
    assert (figures["gold"]["compared"], figures["gold"]["same"]) == (2, 0.5)
    low, high = figures["gold"]["same_interval"]
    assert low < 0.5 < high


def test_answers_that_are_names_are_those_who_bear_them(toy: GraphStore, tmp_path: Path) -> None:
    label = found_in(toy)
    assert isinstance(label, WeakLabel)
    path = tmp_path / "weak.jsonl"
    path.write_text(json.dumps(as_question(asked_of(None), label)) + "\n", encoding="utf-8")
    [read] = read_dataset(path, "discern")
    assert isinstance(read, BenchmarkQuestion)
    assert read.parses[0].derivation == label.derivation
    assert answered(read, toy) == CAST


@pytest.fixture
def films(tmp_path: Path) -> Path:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    questions = [
        {"id": f"q{n}", "group": "train", "question": "what films did Ridley Scott direct", "topic": "Ridley Scott"}
        | {"answers": ["Alien", "Gladiator"]}
        for n in range(2)
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(each) + "\n" for each in questions), encoding="utf-8")
    return tmp_path


def weak_recipe(**changes: object) -> Recipe:
    source = {"name": "films", "dataset": "answers.jsonl", "format": "discern", "graph": "kb.txt"}
    source |= {"graph_format": "metaqa", "topics": "given", "orders": 0, "labels": "weak", **changes}
    return Recipe.from_document("weak", {"sources": [source]})


def test_a_recipe_teaches_questions_that_have_answers_alone(films: Path) -> None:
    sources = Sources(weak_recipe(), films)
    samples = list(sources.samples())
    assert samples
    assert sources.counts["films"].taught == 2
    relations = {str(step.relation) for sample in samples for step in _right_steps(sample)}
    assert len(relations) == 1
    assert relations.pop().endswith("directed_by")


def test_a_recipe_teaches_all_shortest_ways(films: Path) -> None:
    kb = films / "kb.txt"
    both = "".join(f"{film}|written_by|Ridley Scott\n" for film in ("Alien", "Gladiator"))
    kb.write_text(FILMS + both, encoding="utf-8")
    samples = list(Sources(weak_recipe(labels="shortest"), films).samples())
    firsts = [steps for sample in samples if (steps := _right_steps(sample)) and sample.state.structure.step == 0]
    taught = [step.relation for [step] in firsts]
    ways = {relation.predicate.rpartition(".")[2] for relation in taught}
    assert ways == {"directed_by", "written_by"}
    # Each way as often as the other: two questions have them both.
    assert sorted(map(taught.count, set(taught))) == [2, 2]


def test_of_the_shortest_ways_none_has_a_condition_or_leads_to_much_else(toy: GraphStore) -> None:
    def ways(precision: float) -> tuple[Derivation, ...] | NotFound:
        return shortest_labels(KITT_QUESTION, CAST, toy, precision=precision, seconds=PATIENT)

    assert ways(0.9) is NotFound.IMPRECISE
    [way] = ways(0.3) if not isinstance(ways(0.3), NotFound) else []
    assert not way.constraints
    assert len(way.steps) == 2
    assert shortest_labels("?", [], toy) is NotFound.NO_TOPIC


def _right_steps(sample: TrainingSample) -> list[SearchStep]:
    right = (sample.pool.options[index] for index in sample.right)
    return [option.step for option in right if isinstance(option, StepOption)]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"labels": "guessed"}, "“labels” should be gold, weak or shortest"),
        ({"precision": 0.0}, "“precision” should be more than 0"),
        ({"dataset": "drawn"}, "no answers to find labels by"),
    ],
)
def test_what_a_recipe_may_not_say_of_weak_labels(changes: dict[str, object], told: str) -> None:
    with pytest.raises(RecipeError, match=told):
        weak_recipe(**changes)


def test_a_journal_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    run = {"dataset": "films", "precision": 0.5}
    begun = Journal(tmp_path / "out", run)
    begun.add({"id": "one"})
    with (tmp_path / "out" / "rows.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "tw')
    again = Journal(tmp_path / "out", run)
    assert again.rows == [{"id": "one"}]
    again.add({"id": "two"})
    again.finish({"questions": 2}, ["id"])
    assert (tmp_path / "out" / "rows.csv").read_text(encoding="utf-8").split() == ["id", "one", "two"]
    with pytest.raises(JournalError, match=r"precision was 0\.5, is 0\.9"):
        Journal(tmp_path / "out", run | {"precision": 0.9})
