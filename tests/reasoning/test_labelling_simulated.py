"""Trials of trainings: labelling simulated, and data efficiency; with a small real model."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from kgstore.loading.sample import sample_graph
from kgstore.sqlite.library import SqliteLibrary
from reasoning.core.options import Stage
from reasoning.datasets.registry import asked, read_dataset
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.scorers.lexical import LexicalScorer
from reasoning.training.lessons.sources import Sources
from reasoning.training.recipe.recipe import Recipe
from reasoning.training.simulation.curve import Point, curves_svg
from reasoning.training.simulation.efficiency import accuracies, decisions_asked, shared
from reasoning.training.simulation.journal import Journal
from reasoning.training.simulation.simulation import DOUBT, KINDS, RANDOM, Plan, Simulation, simulated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.training.lessons.samples import TrainingSample

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    library = SqliteLibrary(tmp_path_factory.mktemp("sample"))
    library.load(sample_graph())
    yield library.open("sample")
    library.close()


def test_a_simulation_comes_to_the_same_points_where_it_was_broken_off(sample: GraphStore, tmp_path: Path) -> None:
    known = [each for each in asked(read_dataset(SAMPLE_FOLDER / "film.jsonl", "discern")) if each.parses[0].derivation]
    pool = [each for each in known if each.split == "train"]
    held = [each for each in known if each.split == "validation"][:4]
    plan = Plan(labels=(6, 9), begun=4, looked_at=1.0, seeds=1, orders=(RANDOM, KINDS))
    simulation = Simulation(pool, held, sample, plan)
    assert simulation.points == 4
    whole = Journal(tmp_path / "whole", {})
    lines: list[str] = []
    simulation.run(whole, lines.append)
    assert [(row["order"], row["labels"]) for row in whole.rows] == [(o, n) for o in (RANDOM, KINDS) for n in (6, 9)]
    assert len(lines) == 4
    begun, after = whole.rows[0]["labelled"], whole.rows[1]["labelled"]
    assert after[: len(begun)] == begun
    assert len(set(after)) == 9
    assert whole.rows[2]["labelled"][:4] == begun[:4], "all orders begin with the same labels"
    broken = Journal(tmp_path / "broken", {})
    for row in whole.rows[:3]:
        broken.add(row)
    Simulation(pool, held, sample, plan).run(broken)
    assert broken.rows[3]["labelled"] == whole.rows[3]["labelled"]
    assert broken.rows[3]["f1"] == whole.rows[3]["f1"]
    with pytest.raises(ValueError, match="10,000 are wanted"):
        Simulation(pool, held, sample, Plan(labels=(10_000,)))


def test_orders_are_compared_with_chance_over_the_seeds_that_both_have() -> None:
    def row(seed: int, order: str, *f1: float) -> dict[str, object]:
        return {"seed": seed, "order": order, "labels": 50, "f1": list(f1)}

    rows = [row(0, RANDOM, 0.0, 0.5), row(1, RANDOM, 0.5, 0.5), row(0, DOUBT, 1.0, 1.0)]
    random, doubt = simulated(rows)
    assert (random["order"], random["macro_f1"], random["seeds"]) == (RANDOM, 0.375, [0.25, 0.5])
    assert random["over_random"] is None
    assert doubt["over_random"]["mean"] == pytest.approx(0.75), "compared with the first seed alone"
    low, high = doubt["over_random"]["interval"]
    assert low <= 0.75 <= high


@pytest.fixture(scope="module")
def taught() -> list[TrainingSample]:
    source = {"name": "sample", "dataset": "sample", "format": "discern", "graph": "sample", "questions": 40}
    return list(Sources(Recipe.from_document("few", {"sources": [source]}), None).samples())


def test_shares_are_nested_and_keep_wordings_together(taught: list[TrainingSample]) -> None:
    groups = [{each.group for each in shared(taught, share)} for share in (0.0, 0.3, 0.7, 1.0)]
    assert groups[0] == set()
    assert groups[1] < groups[2] < groups[3] == {each.group for each in taught}
    kept = list(shared(taught, 0.3))
    assert kept == [each for each in taught if each.group in groups[1]]


def test_each_stage_has_its_accuracy(taught: list[TrainingSample]) -> None:
    chosen = decisions_asked(taught, 5)
    assert {each.state.stage for each in chosen} >= {Stage.LINK, Stage.SEARCH}
    assert all(len(each.pool) > 1 for each in chosen)
    *stages, whole = accuracies(LexicalScorer(), chosen)
    assert all(0 < each["decisions"] <= 5 for each in stages)
    assert whole["stage"] == "all"
    assert whole["decisions"] == len(chosen) == sum(each["decisions"] for each in stages)
    right = sum(each["accuracy"] * each["decisions"] for each in stages)
    assert whole["accuracy"] == pytest.approx(right / len(chosen))
    assert all(each["low"] <= each["accuracy"] <= each["high"] for each in (*stages, whole))


def test_curves_are_one_drawing_with_every_name() -> None:
    points = [Point(50, 0.5, 0.4, 0.6), Point(100, 0.7, 0.6, 0.8)]
    drawing = ET.fromstring(curves_svg("F1 & labels", "labels", [("random", points), ("doubt", points)]))  # noqa: S314
    texts = [each.text for each in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"F1 & labels", "random", "doubt", "50", "100"} <= set(texts)
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}polyline"))) == 2
