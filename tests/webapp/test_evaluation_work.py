"""What workers do for an evaluation, slice by slice, and what is told where something goes wrong."""

from __future__ import annotations

import errno
import logging
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.conf import settings as site
from django.db import OperationalError, connection
from django.utils import timezone

from kgstore.loading.errors import GraphLoadError
from kgstore.store_parts.errors import GraphBusyError, GraphDamagedError
from reasoning.core.errors import ScorerUnavailableError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from tests.webapp.evaluations_at_work import (
    QUESTIONS,
    TASK,
    held,
    looks,
    near,
    running,
    stands,
    started,
    television,
    work_until,
)
from tests.webapp.failing_writes import failing_write
from tests.webapp.told_by_services import delivered, forget_deliveries, said_in
from webapp.datasets.models import Dataset
from webapp.datasets.services import dataset_register
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.services import evaluation_cancel
from webapp.evaluations.working.claims import (
    LANES,
)
from webapp.evaluations.working.moves import evaluations
from webapp.evaluations.working.worker import evaluation_work
from webapp.platform.disk import NoRoomError
from webapp.platform.work.heartbeat import READY, heartbeat_send
from webapp.platform.work.lease import LEASE, ClaimLostError
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status
from webapp.platform.work.turn import HandedBackError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from webapp.accounts.viewer import Viewer

LOGS = (
    "webapp.evaluations.working.claims",
    "webapp.evaluations.working.moves",
    "webapp.evaluations.working.worker",
    "webapp.evaluations.working.transitions",
    "webapp.platform.disk",
    "webapp.platform.work.turn",
)


@pytest.fixture(autouse=True)
def folder(caplog: pytest.LogCaptureFixture) -> Iterator[Path]:
    """The folder where admins put files of questions, with one file."""
    for log in LOGS:
        caplog.set_level(logging.INFO, log)
    with television() as path:
        yield path


def raising(error: Exception) -> Callable[[], bool]:
    """Breaks where a worker asks whether it is to stop."""

    def ask() -> bool:
        raise error

    return ask


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


# Work


def test_an_evaluation_is_judged_slice_by_slice_and_handed_on(admin_viewer: Viewer) -> None:
    evaluation = started(admin_viewer)
    forget_deliveries()
    evaluation_work(evaluation.pk, stopping=looks(False, False, False, True))
    assert stands(evaluation) == (Status.RUNNING, "", False)
    assert near(evaluation.started_at, timezone.now())
    # Three more may join at the beginning, and it goes on itself.
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))] * 4
    assert not EvaluatedQuestion.objects.exclude(claim=None).exists()
    first = evaluation.started_at
    while not evaluation.is_over:
        evaluation_work(evaluation.pk)
        evaluation.refresh_from_db()
    assert stands(evaluation) == (Status.SUCCEEDED, "", True)
    assert (evaluation.done, evaluation.started_at) == (QUESTIONS, first)
    forget_deliveries()
    evaluation_work(evaluation.pk)
    assert delivered(Queue.CPU_BACKGROUND) == []


def test_one_that_was_cancelled_meanwhile_is_not_handed_on(admin_viewer: Viewer) -> None:
    evaluation = running(admin_viewer)

    def cancelled() -> bool:
        evaluation_cancel(evaluation=evaluation, viewer=admin_viewer)
        return False

    evaluation_work(evaluation.pk, stopping=cancelled)
    assert stands(evaluation) == (Status.CANCELLED, "", True)
    assert (held(evaluation), delivered(Queue.CPU_BACKGROUND)) == ({}, [])


def test_one_alone_is_begun_and_one_that_was_begun_before_keeps_when(admin_viewer: Viewer) -> None:
    evaluation, other = started(admin_viewer), started(admin_viewer)
    began = timezone.now() - timedelta(hours=1)
    Evaluation.objects.filter(pk=evaluation.pk).update(started_at=began)
    evaluation_work(evaluation.pk, stopping=looks(True))
    assert stands(evaluation) == (Status.RUNNING, "", False)
    assert evaluation.started_at == began
    assert stands(other) == (Status.QUEUED, "", False)


def test_questions_are_asked_of_their_own_graphs_where_none_is_chosen(admin_viewer: Viewer, folder: Path) -> None:
    (folder / "rog.jsonl").write_text(
        '{"id": "Q-1", "question": "who directed Jaws", "q_entity": ["Jaws"], "a_entity": ["Steven Spielberg"], '
        '"graph": [["Jaws", "film.film.directed_by", "Steven Spielberg"]]}\n'
    )
    evaluation = started(admin_viewer, dataset="rog.jsonl", graph=None)
    evaluation_work(evaluation.pk)
    assert stands(evaluation) == (Status.SUCCEEDED, "", True)
    assert evaluation.figures["all"]["exact_match"] == 1


def test_a_question_that_takes_too_long_counts_as_failed(admin_viewer: Viewer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.evaluations.working.worker.MAX_LENGTH", timedelta(0))
    evaluation = running(admin_viewer)
    evaluation_work(evaluation.pk, stopping=looks(False, False, True))
    judged = EvaluatedQuestion.objects.exclude(judged_at=None).get()
    assert (judged.verdict, judged.outcome["reason"]) == ("failed", "timeout")


def test_a_worker_that_takes_long_is_heard_of_meanwhile(admin_viewer: Viewer) -> None:
    evaluation, before = running(admin_viewer), timezone.now() - timedelta(hours=1)
    heard: list[tuple[bool, bool]] = []

    def stopping() -> bool:
        """Takes longer than from one renewal to the next."""
        Evaluation.objects.update(seen_at=before)
        claimed = EvaluatedQuestion.objects.exclude(claim=None)
        claimed.update(lease_until=before)
        until = time.monotonic() + LEASE.total_seconds()
        renewed = claimed.filter(lease_until__gt=before)
        while time.monotonic() < until and not renewed.exists():
            time.sleep(0.1)
        evaluation.refresh_from_db()
        heard.append((evaluation.seen_at > before, renewed.exists()))
        return True

    evaluation_work(evaluation.pk, stopping=stopping)
    assert heard == [(True, True)]


def test_figures_are_made_only_where_they_are_due(admin_viewer: Viewer) -> None:
    evaluation = running(admin_viewer)
    work_until(evaluation.pk, 6)
    EvaluatedQuestion.objects.filter(judged_at=None, position__lt=QUESTIONS).delete()
    Evaluation.objects.update(figures_of=6, figures={"of": "six"})
    evaluation_work(evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.done, evaluation.figures) == (7, {"of": "six"})


def test_nothing_is_done_for_what_is_over_or_waits(admin_viewer: Viewer) -> None:
    over = evaluation_cancel(evaluation=started(admin_viewer), viewer=admin_viewer)
    evaluation_work(over.pk)
    assert stands(over) == (Status.CANCELLED, "", True)
    assert over.total is None
    waits = running(admin_viewer)
    Evaluation.objects.filter(pk=waits.pk).update(reason="its model is away")
    evaluation_work(waits.pk)
    assert stands(waits) == (Status.RUNNING, "its model is away", False)
    # One worker finds out whether it is back.
    Evaluation.objects.filter(pk=waits.pk).update(status=Status.QUEUED)
    forget_deliveries()
    evaluation_work(waits.pk, stopping=looks(False, False, True))
    assert stands(waits) == (Status.RUNNING, "its model is away", False)


def test_a_graph_that_was_loaded_anew_ends_the_evaluation(admin_viewer: Viewer) -> None:
    evaluation = started(admin_viewer)
    Evaluation.objects.update(graph_version="another")
    evaluation_work(evaluation.pk)
    assert stands(evaluation)[0] == Status.FAILED
    assert stands(evaluation)[1].startswith("The graph “Toy” was loaded again")
    assert evaluation.started_at is None
    assert not EvaluatedQuestion.objects.exclude(judged_at=None).exists()


@pytest.mark.parametrize(
    ("error", "status", "reason", "told"),
    [
        (GraphBusyError("locked"), Status.QUEUED, GraphBusyError.people, "evaluations.work of {pk}: locked"),
        (GraphDamagedError("torn"), Status.FAILED, GraphDamagedError.people, "evaluations.work of {pk}: torn"),
        (
            ScorerUnavailableError("no weights in /srv"),
            Status.FAILED,
            ScorerUnavailableError.people,
            "evaluations.work of {pk}: no weights in /srv",
        ),
        (
            RuntimeError("odd"),
            Status.FAILED,
            "The engine broke over a question. See the worker's log, then resume this evaluation.",
            "evaluations.work of {pk} broke",
        ),
        (
            DatasetError("{folder}/tv.jsonl is gone."),
            Status.FAILED,
            "tv.jsonl is gone.",
            "evaluations.work of {pk} failed: {folder}/tv.jsonl is gone.",
        ),
        (
            DatasetError(f"{SAMPLE_FOLDER}/webqsp.jsonl is gone."),
            Status.FAILED,
            "webqsp.jsonl is gone.",
            f"evaluations.work of {{pk}} failed: {SAMPLE_FOLDER}/webqsp.jsonl is gone.",
        ),
        (
            caused(GraphLoadError("a graph could not be written"), OSError(errno.ENOSPC, "No space left on device")),
            Status.QUEUED,
            "The disk of this site is full. This resumes by itself once there is room.",
            "the disk is full: a graph could not be written",
        ),
        (GraphLoadError("no row"), Status.FAILED, "no row", "evaluations.work of {pk} failed: no row"),
        (
            NoRoomError("little"),
            Status.QUEUED,
            "The disk of this site is full. This resumes by itself once there is room.",
            "the disk is full: little",
        ),
        (
            OperationalError("database or disk is full"),
            Status.RUNNING,
            "",
            "evaluation {pk} met a fault of the database: database or disk is full",
        ),
        (OperationalError("locked"), Status.RUNNING, "", "evaluation {pk} met a fault of the database: locked"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_what_goes_wrong_is_reported_and_nothing_stays_held(
    admin_viewer: Viewer,
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: str,
    reason: str,
    told: str,
) -> None:
    evaluation = running(admin_viewer)
    if "{folder}" in str(error):
        error = type(error)(str(error).format(folder=folder))
    evaluation_work(evaluation.pk, stopping=raising(error))
    assert stands(evaluation)[:2] == (status, reason)
    assert told.format(pk=evaluation.pk, folder=folder) in said_in(caplog, LOGS)
    assert held(evaluation) == {}
    assert delivered(Queue.CPU_BACKGROUND) == []


def test_no_folder_is_reported_though_its_name_has_spaces(
    admin_viewer: Viewer, settings: SettingsWrapper, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("webapp.evaluations.working.moves.SAMPLE_FOLDER", tmp_path / "our sample")
    home, ours = settings.ENVIRONMENT, settings.ENVIRONMENT.model_copy(update={"home": tmp_path / "our site"})
    for folder in (tmp_path / "our sample", ours.home / "datasets"):
        evaluation = running(admin_viewer)

        def gone(folder: Path = folder) -> bool:
            settings.ENVIRONMENT = ours
            raise DatasetError(f"{folder}/tv.jsonl is gone.")

        evaluation_work(evaluation.pk, stopping=gone)
        settings.ENVIRONMENT = home
        assert stands(evaluation) == (Status.FAILED, "tv.jsonl is gone.", True)


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (ClaimLostError(), ["evaluations.work of {pk} was cancelled or taken over"]),
        (HandedBackError(), []),
    ],
)
def test_what_goes_back_is_taken_up_by_another(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture, error: Exception, lines: list[str]
) -> None:
    evaluation = running(admin_viewer)
    evaluation_work(evaluation.pk, stopping=raising(error))
    assert stands(evaluation) == (Status.RUNNING, "", False)
    assert said_in(caplog, LOGS) == [line.format(pk=evaluation.pk) for line in lines]
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))]


def test_where_not_even_the_wait_can_be_written_it_goes_on_later(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    evaluation = running(admin_viewer)
    with failing_write(0) as fault:

        def full() -> bool:
            fault.left = 1
            raise NoRoomError("little")

        evaluation_work(evaluation.pk, stopping=full)
    assert fault.happened
    assert stands(evaluation) == (Status.RUNNING, "", False)
    closed = "the server closed the connection"
    assert said_in(caplog, LOGS)[-1] == f"evaluation {evaluation.pk} resumes once its lease has expired: {closed}"
    assert held(evaluation) == {}


def test_while_its_dataset_is_being_loaded_nobody_is_called(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    evaluation = started(admin_viewer)
    name = "tv.jsonl"
    path = site.ENVIRONMENT.home / "datasets" / name
    dataset_register(path, name=name, format="discern", file=name)
    Dataset.objects.update(status=Status.RUNNING, claim=uuid4(), lease_until=timezone.now() + LEASE)
    forget_deliveries()
    evaluation_work(evaluation.pk)
    assert stands(evaluation) == (Status.QUEUED, "", False)
    assert f"evaluation {evaluation.pk}: its dataset is being loaded" in said_in(caplog, LOGS)
    assert delivered(Queue.CPU_BACKGROUND) == []


# Recovery


def forgotten(viewer: Viewer, ago: timedelta, **changes: Any) -> Evaluation:
    evaluation = running(viewer)
    Evaluation.objects.filter(pk=evaluation.pk).update(seen_at=timezone.now() - ago, **changes)
    return evaluation


def lives() -> None:
    heartbeat_send(worker="celery@here", queues=[Queue.CPU_BACKGROUND], scorer=READY)


def test_what_no_worker_is_heard_of_at_is_handed_over_again(admin_viewer: Viewer) -> None:
    evaluation = forgotten(admin_viewer, LEASE + timedelta(seconds=1))
    assert evaluations.recover() == 0
    assert delivered(Queue.CPU_BACKGROUND) == []
    lives()
    assert evaluations.recover() == 1
    assert stands(evaluation) == (Status.RUNNING, "", False)
    assert near(evaluation.seen_at, timezone.now())
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))] * LANES
    assert evaluations.recover() == 0


def test_two_that_were_forgotten_are_both_counted(admin_viewer: Viewer) -> None:
    for _ in range(2):
        forgotten(admin_viewer, timedelta(hours=1))
    lives()
    assert evaluations.recover() == 2


def test_one_that_no_worker_can_take_up_does_not_hold_up_another(
    admin_viewer: Viewer, settings: SettingsWrapper
) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"scorer": "causal", "scorer_weights": settings.ENVIRONMENT.home}
    )
    waits, other = (forgotten(admin_viewer, timedelta(hours=1)) for _ in range(2))
    assert list(Evaluation.objects.all()) == [other, waits]
    Evaluation.objects.filter(pk=other.pk).update(scorer="causal", queue=Queue.GPU_BACKGROUND.value)
    lives()
    assert evaluations.recover() == 1
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(waits.pk))] * LANES


def test_one_that_a_worker_took_up_meanwhile_is_not_handed_over_again(admin_viewer: Viewer) -> None:
    evaluation = forgotten(admin_viewer, timedelta(hours=1))
    lives()

    def meanwhile(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        if sql.startswith("UPDATE") and not taken:
            taken.append(evaluation)
            Evaluation.objects.update(seen_at=timezone.now())
        return execute(sql, params, many, context)

    taken: list[Evaluation] = []
    with connection.execute_wrapper(meanwhile):
        assert evaluations.recover() == 0
    assert (taken, delivered(Queue.CPU_BACKGROUND)) == ([evaluation], [])


def test_what_waits_is_tried_by_one_worker_alone(admin_viewer: Viewer) -> None:
    evaluation = forgotten(admin_viewer, timedelta(hours=1), reason="its model is away")
    lives()
    assert evaluations.recover() == 1
    assert stands(evaluation) == (Status.QUEUED, "its model is away", False)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))]


def test_where_no_question_waits_one_worker_ends_it(admin_viewer: Viewer) -> None:
    evaluation = forgotten(admin_viewer, timedelta(hours=1))
    EvaluatedQuestion.objects.all().delete()
    lives()
    assert evaluations.recover() == 1
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))]


def test_what_is_over_or_was_heard_of_is_left_alone(admin_viewer: Viewer) -> None:
    forgotten(admin_viewer, LEASE - timedelta(seconds=2))
    forgotten(admin_viewer, timedelta(hours=1), status=Status.CANCELLED, finished_at=timezone.now())
    lives()
    assert evaluations.recover() == 0
    # A time in the future is one of a clock that was set back.
    ahead = forgotten(admin_viewer, -timedelta(hours=1))
    assert evaluations.recover() == 1
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(ahead.pk))] * LANES
