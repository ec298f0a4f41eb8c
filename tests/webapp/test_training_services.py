"""Every move of a training, as `webapp.models.trainings.services` promises it."""

from __future__ import annotations

import json
import logging
import shutil
import time
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from reasoning.scorers.cards import CARD_FILE, read_card
from tests.reasoning.rules import KITT_GOLD
from tests.webapp.conftest import TOY_GRAPH
from tests.webapp.failing_writes import before_the_end_is_written, failing_write
from tests.webapp.told_by_services import STAFF_ONLY, audit_log, delivered, forget_deliveries, refused, said_in, stands
from webapp import engine
from webapp.accounts.viewer import Viewer
from webapp.datasets.files import datasets_folder
from webapp.models.trainings.models import Training
from webapp.models.trainings.schemas import TrainingIn
from webapp.models.trainings.services import training_cancel, training_create, training_resume
from webapp.models.trainings.trainers.held_out import held_out_keys
from webapp.models.trainings.trainers.lessons import taught_by
from webapp.models.trainings.trainers.training_data import training_data
from webapp.models.trainings.transitions import trainings
from webapp.models.trainings.worker import training_execute
from webapp.platform.disk import disk_fault
from webapp.platform.work import lease
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from webapp.accounts.models import User

TASK = "scorers.training_execute"
LOGS = ("webapp.models.trainings.services", "webapp.platform.work.turn", "webapp.platform.work.state_machine")
RECIPE = """title = "A few questions about television"

[settings]
epochs = 2
seed = 1
epoch_samples = 16

[[sources]]
name = "tv"
dataset = "tv.jsonl"
format = "discern"
graph = "toy.tsv"
"""


@pytest.fixture
def asker(ada: User) -> Viewer:
    return Viewer(ada, None, "192.0.2.1")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[Path]:
    """A folder with one recipe that is quickly done, and its data; its name has a space."""
    caplog.set_level(logging.INFO)
    folder = tmp_path / "our data"
    folder.mkdir()
    (folder / "few.toml").write_text(RECIPE)
    lines = (json.dumps({**KITT_GOLD, "id": f"tv-{number}"}) for number in range(4))
    (folder / "tv.jsonl").write_text("\n".join(lines))
    shutil.copy(TOY_GRAPH, folder / "toy.tsv")
    monkeypatch.setenv("DISCERN_DATA", str(folder))
    monkeypatch.setattr("reasoning.training.recipe.recipe.RECIPES", folder)
    yield folder
    if engine.scorers_folder().is_file():
        engine.scorers_folder().unlink()
    shutil.rmtree(engine.scorers_folder(), ignore_errors=True)


def wanted(**more: Any) -> TrainingIn:
    return TrainingIn(**{"name": "small", "recipe": "few", **more})


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return said_in(caplog, LOGS)


# Starting


def test_a_training_is_queued_handed_over_and_written_down(admin_viewer: Viewer) -> None:
    training = training_create(wanted=wanted(epochs=3, seed=0), viewer=admin_viewer)
    training.refresh_from_db()
    assert (training.name, training.recipe, training.epochs, training.seed) == ("small", "few", 3, 0)
    assert (training.starter, training.status, training.attempts) == (admin_viewer.user, Status.QUEUED, 0)
    assert timezone.now() - training.enqueued_at < timedelta(minutes=5)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(training.pk))]
    assert audit_log() == [("cleo", "training_started", "small", "", "few")]


def test_only_administrators_manage_trainings(admin_viewer: Viewer, asker: Viewer) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    for act in (
        lambda: training_create(wanted=wanted(name="other"), viewer=asker),
        lambda: training_cancel(training=training, viewer=asker),
        lambda: training_resume(training=training, viewer=asker),
    ):
        assert refused(act) == STAFF_ONLY
    assert (Training.objects.count(), len(audit_log())) == (1, 1)


def test_a_name_or_a_recipe_that_will_not_do_is_refused_with_what_to_do(admin_viewer: Viewer, data: Path) -> None:
    def why(**more: Any) -> tuple[int, str, str]:
        return refused(lambda: training_create(wanted=wanted(**more), viewer=admin_viewer))

    (data / "many.toml").write_text(RECIPE)
    assert why(recipe="none") == (422, "unknown_recipe", "There is no recipe “none”. Choose one of: few, many.")
    assert why(name="encoder")[1:] == ("scorer_name", "“encoder” comes with Discern; choose another name.")
    assert why(name="Small")[1] == "scorer_name"
    (engine.scorers_folder() / "taken").mkdir(parents=True)
    (engine.scorers_folder() / "taken" / CARD_FILE).write_text("{}")
    assert "taken" in engine.scorer_names()
    assert why(name="taken") == (422, "scorer_name", "There is a scorer “taken” already. Choose another name.")
    (data / "tv.jsonl").unlink()
    status, code, message = why()
    assert (status, code) == (422, "data_missing")
    assert "tv.jsonl" in message
    assert "our data" not in message
    (data / "few.toml").write_text("title = 1")
    assert why()[:2] == (422, "recipe")
    assert not Training.objects.exists()
    assert delivered(Queue.CPU_BACKGROUND) == []


def test_nothing_new_is_begun_on_a_full_disk(admin_viewer: Viewer, settings: SettingsWrapper) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    assert refused(lambda: training_create(wanted=wanted(name="other"), viewer=admin_viewer))[:2] == (503, "disk_full")
    assert training_cancel(training=training, viewer=admin_viewer).status == Status.CANCELLED


def test_one_name_is_in_the_making_once(admin_viewer: Viewer) -> None:
    first = training_create(wanted=wanted(), viewer=admin_viewer)
    message = "A model “small” is in the making already. Choose another name, or stop that one."
    assert refused(lambda: training_create(wanted=wanted(), viewer=admin_viewer)) == (422, "scorer_name", message)
    assert len(audit_log()) == 1
    training_cancel(training=first, viewer=admin_viewer)
    second = training_create(wanted=wanted(), viewer=admin_viewer)
    message = "Another training makes a scorer “small”. Stop that one first."
    assert refused(lambda: training_resume(training=first, viewer=admin_viewer)) == (409, "scorer_name", message)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(first.pk)), (TASK, str(second.pk))]


# Stopping and going on


def test_a_training_is_stopped_once_and_goes_on_from_there(admin_viewer: Viewer) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    forget_deliveries()
    for _ in range(2):
        stopped = training_cancel(training=training, viewer=admin_viewer)
        assert stopped.status == Status.CANCELLED
        assert stands(training) == (Status.CANCELLED, "", None, None, True)
    Training.objects.update(
        attempts=4, reason="why", status=Status.FAILED, enqueued_at=timezone.now() - timedelta(hours=1)
    )
    training.refresh_from_db()
    for _ in range(2):
        resumed = training_resume(training=training, viewer=admin_viewer)
        assert resumed.status == Status.QUEUED
    assert stands(training) == (Status.QUEUED, "", None, None, False)
    assert training.attempts == 0
    assert timezone.now() - training.enqueued_at < timedelta(minutes=5)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(training.pk))]
    assert audit_log()[1:] == [
        ("cleo", "training_cancelled", "small", "queued", ""),
        ("cleo", "training_resumed", "small", "failed", ""),
    ]


@pytest.mark.parametrize("status", Status)
def test_only_what_was_stopped_or_failed_goes_on(admin_viewer: Viewer, status: Status) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    forget_deliveries()
    held = {"claim": uuid.uuid4(), "lease_until": timezone.now()} if status == Status.RUNNING else {}
    Training.objects.update(status=status, **held)
    goes_on = status in (Status.CANCELLED, Status.FAILED)
    assert training_resume(training=training, viewer=admin_viewer).status == (Status.QUEUED if goes_on else status)
    assert len(delivered(Queue.CPU_BACKGROUND)) == goes_on


# Working


def test_a_scorer_is_made_as_the_training_says_and_the_next_one_is_handed_over(
    admin_viewer: Viewer, data: Path
) -> None:
    training = training_create(wanted=wanted(epochs=1, seed=5), viewer=admin_viewer)
    following = [training_create(wanted=wanted(name=name), viewer=admin_viewer) for name in ("second", "third")]
    forget_deliveries()
    training_execute(training.pk)
    assert stands(training) == (Status.SUCCEEDED, "", None, None, True)
    assert (training.done, training.attempts) == (training.total, 1)
    card = read_card(engine.scorers_folder() / "small")
    assert card["name"] == "small"
    assert card["trained"]["command"] == f"a training of {training.created_at:%Y-%m-%d} on the site"
    assert (card["trained"]["settings"]["epochs"], card["trained"]["settings"]["seed"]) == (1, 5)
    assert "small" in engine.scorer_names()
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(following[0].pk))]
    assert training_data() == data


def test_what_the_recipe_says_holds_where_nothing_else_was_wished(admin_viewer: Viewer) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    recipe = taught_by(training, held_out_keys()).recipe
    assert (recipe.settings.epochs, recipe.settings.seed, recipe.settings.epoch_samples) == (2, 1, 16)


def test_a_training_is_worked_off_only_where_it_waits(admin_viewer: Viewer, caplog: pytest.LogCaptureFixture) -> None:
    training = training_cancel(training=training_create(wanted=wanted(), viewer=admin_viewer), viewer=admin_viewer)
    other = training_create(wanted=wanted(name="other"), viewer=admin_viewer)
    forget_deliveries()
    training_execute(training.pk)
    training_execute(uuid.uuid4())
    assert stands(training)[0] == Status.CANCELLED
    assert stands(other)[0] == Status.QUEUED
    assert (said(caplog), delivered(Queue.CPU_BACKGROUND)) == ([], [])


def test_a_worker_that_is_asked_to_stop_gives_the_training_back(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    training_create(wanted=wanted(name="second"), viewer=admin_viewer)
    forget_deliveries()
    training_execute(training.pk, stopping=lambda: True)
    assert stands(training) == (Status.QUEUED, "", None, None, False)
    assert training.attempts == 0
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(training.pk))]
    assert said(caplog) == []


def test_progress_is_written_down(admin_viewer: Viewer) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    seen: list[tuple[Any, ...]] = []

    def look() -> bool:
        training.refresh_from_db()
        seen.append((training.stage, training.epoch, training.of_epochs, training.done, training.total))
        return training.loss is not None

    training_execute(training.pk, stopping=look)
    assert seen[0] == ("reading tv", 0, 0, 1, 3)
    stage, epoch, epochs, done, total = seen[-1]
    assert (stage, epoch, epochs) == ("training", 1, 2)
    assert 0 < done <= total


def test_a_recipe_whose_data_went_fails_with_the_reason_and_without_folders(
    admin_viewer: Viewer, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    following = training_create(wanted=wanted(name="second"), viewer=admin_viewer)
    forget_deliveries()
    (data / "tv.jsonl").unlink()
    training_execute(training.pk)
    status, reason, claim, _, over = stands(training)
    assert (status, claim, over) == (Status.FAILED, None, True)
    assert "tv.jsonl" in reason
    assert "our data" not in reason
    [messages] = said(caplog)
    assert messages.startswith(f"{TASK} of {training.pk} failed: ")
    assert "tv.jsonl" in messages
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(following.pk))]


def test_what_nobody_foresaw_ends_a_training_and_stands_in_the_log(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    engine.scorers_folder().write_text("no folder")
    training_execute(training.pk)
    reason = "The training broke. See the worker's log, then resume it."
    assert stands(training) == (Status.FAILED, reason, None, None, True)
    assert said(caplog) == [f"{TASK} of {training.pk} broke"]
    assert caplog.records[-1].exc_info


def test_a_full_disk_ends_a_training_with_the_reason(
    admin_viewer: Viewer, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    before = settings.ENVIRONMENT
    settings.ENVIRONMENT = before.model_copy(update={"disk_reserve_mb": 10**9})
    training_execute(training.pk)
    settings.ENVIRONMENT = before
    reason = "The disk of this site is full. Free space, then resume: it resumes from its last whole epoch."
    assert stands(training) == (Status.FAILED, reason, None, None, True)
    assert "could not be written" in str(disk_fault())
    assert "the disk is full: Where the home folder is" in caplog.text


def test_a_training_that_the_database_refused_is_taken_up_once_its_lease_is_over(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    with failing_write(2):
        training_execute(training.pk)
    assert stands(training)[0] == Status.RUNNING
    assert said(caplog) == [
        f"scorers.training_execute of {training.pk} met a fault of the database: the server closed the connection"
    ]
    Training.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert trainings.recover() == 1


def test_a_training_that_ran_out_of_room_where_not_even_that_can_be_written_waits_for_its_lease(
    admin_viewer: Viewer, settings: SettingsWrapper, caplog: pytest.LogCaptureFixture
) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    with failing_write(2):
        training_execute(training.pk)
    assert stands(training)[0] == Status.RUNNING
    closed = "the server closed the connection"
    assert said(caplog) == [f"scorers.training_execute of {training.pk} resumes once its lease has expired: {closed}"]


def test_a_training_that_is_stopped_while_it_runs_writes_nothing_more(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)

    def cancelled_meanwhile() -> bool:
        training_cancel(training=training, viewer=admin_viewer)
        return False

    training_execute(training.pk, stopping=cancelled_meanwhile)
    assert stands(training) == (Status.CANCELLED, "", None, None, True)
    # On a busy machine, the thread that renews the lease may notice first, and the line says so too.
    (line,) = said(caplog)
    ended = f"{TASK} of {training.pk} was cancelled or taken over"
    assert line in {ended, f"{ended}: The training was stopped while it read its data. Start it again."}


@pytest.mark.parametrize("breaks", [False, True])
def test_a_training_that_another_worker_took_over_is_not_ended_by_the_first_one(
    admin_viewer: Viewer, breaks: bool, caplog: pytest.LogCaptureFixture
) -> None:
    training = training_create(wanted=wanted(epochs=1), viewer=admin_viewer)
    other = uuid.uuid4()
    if breaks:
        engine.scorers_folder().write_text("no folder")
    with before_the_end_is_written(lambda: Training.objects.update(claim=other)):
        training_execute(training.pk)
    assert stands(training)[:3] == (Status.RUNNING, "", other)
    assert said(caplog) == ([f"{TASK} of {training.pk} broke"] if breaks else [])


def test_a_training_whose_lease_is_lost_ends_at_the_next_look(
    admin_viewer: Viewer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lease, "LEASE", timedelta(seconds=0.1))
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    looks: list[int] = []

    def cancelled_long_ago() -> bool:
        looks.append(1)
        training_cancel(training=training, viewer=admin_viewer)
        time.sleep(0.4)
        return False

    training_execute(training.pk, stopping=cancelled_long_ago)
    assert stands(training)[:2] == (Status.CANCELLED, "")
    assert len(said(caplog)) == 1
    assert "The training was stopped while it read its data." in said(caplog)[0]


def test_a_training_over_which_workers_died_is_given_up_with_the_reason(admin_viewer: Viewer) -> None:
    training = training_create(wanted=wanted(), viewer=admin_viewer)
    past = timezone.now() - timedelta(seconds=1)
    Training.objects.update(status=Status.RUNNING, claim=uuid.uuid4(), lease_until=past, attempts=5)
    assert trainings.recover() == 1
    reason = "The worker stopped 5 times while it trained. See its log, then resume this."
    assert stands(training) == (Status.FAILED, reason, None, None, True)


def test_without_a_folder_of_their_own_recipes_read_the_site_s_datasets(
    admin_viewer: Viewer, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISCERN_DATA")
    assert training_data() == datasets_folder()
    datasets_folder().mkdir()
    try:
        for name in ("tv.jsonl", "toy.tsv"):
            shutil.copy(data / name, datasets_folder())
        training = training_create(wanted=wanted(epochs=1), viewer=admin_viewer)
        training_execute(training.pk)
    finally:
        shutil.rmtree(datasets_folder())
    assert stands(training) == (Status.SUCCEEDED, "", None, None, True)
    monkeypatch.setenv("DISCERN_DATA", "/somewhere")
    assert str(training_data()) == "/somewhere"
