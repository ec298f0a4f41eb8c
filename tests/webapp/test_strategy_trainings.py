"""The weights of a strategy, trained on the page: by the mechanism that trains scorers, stopped and resumed alike."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.db import connection

from reasoning.training.etd.recipe import EXPLORER_RECIPES
from reasoning.training.own_weights import OWN_WEIGHTS
from tests.reasoning.rules import KITT_GOLD
from tests.webapp.conftest import TOY_GRAPH, wait_until
from tests.webapp.test_trainings import standing
from webapp import engine
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.worker import run_execute
from webapp.models.trainings.models import Training
from webapp.models.trainings.worker import training_execute
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.webapp.conftest import Browser

RECIPE = """title = "A few questions about television"

[shape]
width = 8
layers = 2
keep = 20

[settings]
epochs = {epochs}

[[sources]]
name = "tv"
dataset = "tv.jsonl"
format = "discern"
graph = "toy.tsv"
"""


@pytest.fixture(autouse=True)
def recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Recipes of explorers that are quickly done: ``few``, and ``many`` with more epochs than anybody waits for."""
    for name, epochs in (("few", 1), ("many", 10_000)):
        (tmp_path / f"{name}.toml").write_text(RECIPE.format(epochs=epochs))
    lines = (json.dumps({**KITT_GOLD, "id": f"tv-{number}"}) for number in range(12))
    (tmp_path / "tv.jsonl").write_text("\n".join(lines))
    shutil.copy(TOY_GRAPH, tmp_path / "toy.tsv")
    monkeypatch.setenv("DISCERN_DATA", str(tmp_path))
    monkeypatch.setitem(
        OWN_WEIGHTS, "etd", replace(OWN_WEIGHTS["etd"], recipes=replace(EXPLORER_RECIPES, folder=tmp_path))
    )
    yield
    shutil.rmtree(engine.strategies_folder(), ignore_errors=True)


def start(cleo: Browser, **more: Any) -> Any:
    wanted = {"name": "etd", "kind": "strategy", "recipe": "few", **more}
    return cleo.post("/api/scorers/trainings", wanted, status=201)


def listed(cleo: Browser) -> Any:
    etd, _ = cleo.get("/api/scorers/trainings")["strategies"]
    return etd


def test_weights_are_trained_take_the_place_of_those_that_come_along_and_answer(cleo: Browser) -> None:
    before = listed(cleo)
    assert (before["name"], before["card"]["own"], before["fault"]) == ("etd", False, "")
    assert {recipe["name"] for recipe in before["recipes"]} == {"few", "many"}

    started = start(cleo, seed=3)
    assert (started["status"], started["kind"], started["base"]) == ("queued", "strategy", "")
    training_execute(UUID(started["id"]))
    assert standing(started).status == Status.SUCCEEDED

    card = listed(cleo)["card"]
    assert (card["own"], card["title"], card["epochs"]) == (True, "A few questions about television", 1)
    [figures] = card["figures"]
    assert (figures["source"], figures["taught"] + figures["asked"]) == ("tv", 12)
    assert "etd" not in {scorer["name"] for scorer in cleo.get("/api/scorers")}

    run = cleo.ask("who plays KITT?", graph="toy", topic="en.knight_rider", strategy="etd", determination="explorer")
    run_execute(UUID(run["id"]))
    done = ReasoningRun.objects.get(pk=run["id"])
    assert done.status == Status.SUCCEEDED
    explored = [row.event for row in done.events.all() if row.event["kind"] == "layer_explored"]
    assert [(event["layers"], event["explorer"].split()[0]) for event in explored] == [(2, "few"), (2, "few")]

    # Others may be trained afterwards in their place.
    again = start(cleo, recipe="few", epochs=2)
    training_execute(UUID(again["id"]))
    assert listed(cleo)["card"]["epochs"] == 2


def test_a_training_is_stopped_another_is_begun_and_it_goes_on(cleo: Browser) -> None:
    started = start(cleo, recipe="many")
    address = f"/api/scorers/trainings/{started['id']}"

    def work() -> None:
        try:
            training_execute(UUID(started["id"]))
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(work)
        wait_until(lambda: standing(started).epoch > 1, 60)
        assert cleo.post(f"{address}/cancel")["status"] == "cancelled"
        worker.result(timeout=30)
    assert listed(cleo)["card"]["own"] is False

    other = start(cleo, recipe="few")
    training_execute(UUID(other["id"]))
    assert listed(cleo)["card"]["epochs"] == 1

    reached = standing(started).epoch
    assert cleo.post(f"{address}/resume")["status"] == "queued"
    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(work)
        wait_until(lambda: standing(started).epoch >= reached, 60)
        first = standing(started).log[-1]["epoch"]
        cleo.post(f"{address}/cancel")
        worker.result(timeout=30)
    # It did not start again.
    assert first >= reached - 1 > 0


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"name": "reads"}, "unknown_strategy"),
        ({"recipe": "bundled"}, "unknown_recipe"),
        ({"recipe": "", "lessons": [{}]}, "lessons_of_strategy"),
        ({"base": "new"}, "setting_of_scorer"),
        ({"start": "bundled"}, "setting_of_scorer"),
        ({"epoch_samples": 5}, "setting_of_scorer"),
    ],
)
def test_what_will_not_do_is_refused(cleo: Browser, more: dict[str, Any], code: str) -> None:
    wanted = {"name": "etd", "kind": "strategy", "recipe": "few", **more}
    assert cleo.post("/api/scorers/trainings", wanted, status=422)["code"] == code
    assert not Training.objects.exists()


def test_a_card_that_cannot_be_read_says_so(cleo: Browser) -> None:
    folder = engine.strategies_folder() / "etd"
    folder.mkdir(parents=True)
    (folder / "card.json").write_text('{"title": "of another time"}')
    shown = listed(cleo)
    assert shown["card"] is None
    assert "Train them again" in shown["fault"]
