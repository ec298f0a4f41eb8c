"""Trainings: started by staff, one at a time, stopped and resumed; what comes of one may be chosen for a run."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from tests.reasoning.rules import KITT_GOLD
from tests.webapp.conftest import TOY_GRAPH, wait_until
from webapp import engine
from webapp.asking.runs.models import ReasoningRun
from webapp.asking.runs.worker import run_execute
from webapp.models.trainings.models import Training
from webapp.models.trainings.transitions import TASK, trainings
from webapp.models.trainings.worker import training_execute
from webapp.platform.work.clock import TOLERANCE
from webapp.platform.work.delivery import deliver
from webapp.platform.work.heartbeat import READY, heartbeat_forget, heartbeat_send
from webapp.platform.work.lease import LEASE
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.webapp.conftest import Browser, OwnRedis, Worker

WANTED = {"name": "small", "recipe": "few"}
RECIPE = """title = "A few questions about television"

[settings]
epochs = {epochs}
epoch_samples = 16
patience = 30_000

[[sources]]
name = "tv"
dataset = "tv.jsonl"
format = "discern"
graph = "toy.tsv"
"""


@pytest.fixture(autouse=True)
def recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of recipes that are quickly done: ``few``, and ``many`` with more epochs than anybody waits for."""
    for name, epochs in (("few", 1), ("many", 100)):
        (tmp_path / f"{name}.toml").write_text(RECIPE.format(epochs=epochs))
    lines = (json.dumps({**KITT_GOLD, "id": f"tv-{number}"}) for number in range(12))
    (tmp_path / "tv.jsonl").write_text("\n".join(lines))
    shutil.copy(TOY_GRAPH, tmp_path / "toy.tsv")
    monkeypatch.setenv("DISCERN_DATA", str(tmp_path))
    monkeypatch.setattr("reasoning.training.recipe.recipe.RECIPES", tmp_path)
    yield tmp_path
    shutil.rmtree(engine.scorers_folder(), ignore_errors=True)


def start(cleo: Browser, **more: Any) -> Any:
    return cleo.post("/api/scorers/trainings", {**WANTED, **more}, status=201)


def standing(started: dict[str, Any]) -> Training:
    return Training.objects.get(pk=started["id"])


def test_a_list_says_who_may_train_and_what_waits_for_a_worker(
    browser: Callable[[], Browser], cleo: Browser, redis: OwnRedis
) -> None:
    heartbeat_forget()
    visitor = browser()
    page = visitor.get("/api/scorers/trainings")
    assert (page["total"], page["may_manage"]) == (0, False)
    assert page["waits"].startswith("No worker is running.")
    assert all(scorer["waits"] for scorer in visitor.get("/api/scorers"))

    heartbeat_send(worker="one", queues=[Queue.CPU, Queue.CPU_BACKGROUND], scorer=READY)
    page = cleo.get("/api/scorers/trainings")
    assert (page["waits"], page["may_manage"]) == (None, True)
    assert {scorer["name"]: (scorer["queue"], scorer["waits"]) for scorer in cleo.get("/api/scorers")} == {
        "encoder": ("cpu", None),
        "lexical": ("cpu", None),
        "path-reader": ("cpu", None),
    }

    heartbeat_send(worker="one", queues=[Queue.CPU], scorer="Its weights cannot be read.")
    reply = {scorer["is_default"]: scorer["waits"] for scorer in visitor.get("/api/scorers")}
    assert reply == {True: "Its weights cannot be read.", False: None}
    heartbeat_forget()


def test_a_model_is_trained_and_chosen_for_a_run(cleo: Browser) -> None:
    started = start(cleo)
    assert started["status"] == "queued"
    training_execute(UUID(started["id"]))
    assert standing(started).status == Status.SUCCEEDED
    listed = {scorer["name"]: scorer for scorer in cleo.get("/api/scorers")}
    card = listed["small"]["card"]
    assert card["title"] == "A few questions about television"
    assert set(card["data"]) == {"tv.jsonl", "toy.tsv"}
    learned = engine.learned_questions("small")
    assert learned is not None
    assert 0 < card["learned_questions"] == len(learned.identities)
    assert [(row["source"], row["graph"], row["topics"]) for row in card["learned"]] == [("tv", "toy.tsv", "linked")]
    run = cleo.ask("who plays KITT?", graph="toy", topic="en.knight_rider", scorer="small")
    run_execute(UUID(run["id"]))
    done = ReasoningRun.objects.get(pk=run["id"])
    assert (done.status, done.scorer) == (Status.SUCCEEDED, "small")
    again = cleo.post("/api/scorers/trainings", WANTED, status=422)
    assert "already" in again["message"]


def test_a_training_is_stopped_and_goes_on(cleo: Browser) -> None:
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
    assert "small" not in {scorer["name"] for scorer in cleo.get("/api/scorers")}
    assert cleo.post(f"{address}/resume")["status"] == "queued"
    Training.objects.update(epochs=2)
    training_execute(UUID(started["id"]))
    assert standing(started).status == Status.SUCCEEDED


def test_a_solo_worker_answers_while_it_trains_and_stops_soon(
    cleo: Browser, recipes: Path, worker: Callable[..., Worker]
) -> None:
    # Another process reads the recipe: by its path.
    training = Training.objects.create(
        name="small", recipe=str(recipes / "many.toml"), epochs=30_000, enqueued_at=timezone.now()
    )
    deliver(TASK, training.pk, Queue.CPU_BACKGROUND)
    solo = worker("--pool", "solo", "--concurrency", "1")

    def stands_at() -> int:
        training.refresh_from_db()
        return training.epoch

    wait_until(lambda: stands_at() > 1, 120)
    for _ in range(3):
        asked = cleo.ask(graph="toy", scorer="lexical")
        wait_until(lambda: ReasoningRun.objects.get(pk=asked["id"]).status == Status.SUCCEEDED, 20)  # noqa: B023
    epoch = stands_at()
    assert training.status == Status.RUNNING
    wait_until(lambda: stands_at() > epoch, 120)
    assert solo.stop() < 15
    training.refresh_from_db()
    assert (training.status, training.attempts) == (Status.QUEUED, 0)


def test_one_training_runs_at_a_time_and_outlives_its_worker(cleo: Browser) -> None:
    first, second = start(cleo), start(cleo, name="other")
    Training.objects.filter(pk=first["id"]).update(
        status=Status.RUNNING, claim=UUID(int=1), lease_until=timezone.now() + LEASE + TOLERANCE / 2, attempts=1
    )
    training_execute(UUID(second["id"]))
    assert standing(second).status == Status.QUEUED
    assert trainings.recover() == 0
    # As if the worker had died, and the time of its lease had passed.
    Training.objects.filter(pk=first["id"]).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert trainings.recover() == 1
    assert standing(first).status == Status.QUEUED
    training_execute(UUID(second["id"]))
    assert standing(second).status == Status.SUCCEEDED


def test_what_makes_no_sense_is_refused_with_what_to_do(
    cleo: Browser, browser: Callable[[], Browser], recipes: Path
) -> None:
    def refused(**more: Any) -> str:
        message: str = cleo.post("/api/scorers/trainings", {**WANTED, **more}, status=422)["message"]
        return message

    assert "Choose one of: few, many" in refused(recipe="none")
    assert "small letters" in refused(name="My Model")
    assert "choose another name" in refused(name="encoder")
    assert "characters" in refused(name="a" * 61)
    (recipes / "tv.jsonl").unlink()
    assert "tv.jsonl" in refused()
    assert browser().post("/api/scorers/trainings", WANTED, status=401)["code"] == "sign_in_first"
    assert not Training.objects.exists()
