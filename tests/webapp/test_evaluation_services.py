"""How evaluations are started, stopped, resumed and moved, as their services promise it."""

from __future__ import annotations

import logging
import shutil
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as site
from django.utils import timezone

from reasoning.datasets.registry import FORMATS
from reasoning.evaluation.judging.settings import EvaluationSettings
from tests.reasoning.rules import KITT_GOLD
from tests.webapp.told_by_services import STAFF_ONLY, audit_log, delivered, forget_deliveries, refused
from webapp import engine
from webapp.accounts.viewer import Viewer
from webapp.datasets.services import dataset_register
from webapp.datasets.worker import dataset_load
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.schemas import EvaluationIn
from webapp.evaluations.services import evaluation_cancel, evaluation_create, evaluation_resume
from webapp.evaluations.working import transitions
from webapp.evaluations.working.transitions import (
    evaluation_close,
    evaluation_deliver,
    evaluation_refresh_metrics,
    evaluation_wait,
)
from webapp.evaluations.working.worker import evaluation_work
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

    from webapp.accounts.models import User
    from webapp.datasets.models import Dataset

TASK = "evaluations.work"
LOG = "webapp.evaluations.working.transitions"
LINE = (
    '{"id": "q%d", "phrasings": ["who plays KITT?"], "topic": "en.knight_rider", "search": '
    '[[0, "tv.tv_program.regular_cast"]], "constraints": [], "answer": 1, "answers": ["m.kitt"]}\n'
)
ROG_ROW = (
    '{"id": "Q-1", "question": "who wrote it?", "q_entity": ["Book"], "a_entity": ["Ann"], '
    '"graph": [["Book", "book.book.author", "Ann"]]}\n'
)


@pytest.fixture
def asker(ada: User) -> Viewer:
    return Viewer(ada, None, "192.0.2.1")


@pytest.fixture(autouse=True)
def folder(caplog: pytest.LogCaptureFixture) -> Iterator[Path]:
    """The folder where admins put files of questions, with one file."""
    caplog.set_level(logging.INFO, LOG)
    path: Path = site.ENVIRONMENT.home / "datasets"
    path.mkdir()
    (path / "tv.jsonl").write_text("".join(LINE % number for number in range(1, 31)))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def loaded(tmp_path: Path) -> Dataset:
    """A dataset of thirty questions that is loaded."""
    path = tmp_path / "tv.jsonl"
    path.write_text("".join(LINE % number for number in range(1, 31)))
    dataset, _ = dataset_register(path, name="television", format="discern", file="tv.jsonl")
    return dataset_load(dataset, path)


def wanted(**more: Any) -> EvaluationIn:
    return EvaluationIn(**{"dataset": "tv.jsonl", "graph": "toy", "scorer": "lexical", "split": "all", **more})


def started(viewer: Viewer, **more: Any) -> Evaluation:
    return evaluation_create(wanted=wanted(**more), viewer=viewer)


def stands(evaluation: Evaluation) -> tuple[str, str, bool]:
    evaluation.refresh_from_db()
    return evaluation.status, evaluation.reason, evaluation.finished_at is not None


def just_now(moment: Any) -> bool:
    return abs(moment - timezone.now()) < timedelta(minutes=5)


# Starting


def test_an_evaluation_is_queued_handed_over_and_written_down(admin_viewer: Viewer) -> None:
    switches = {"constraints": False, "topics": "gold"}
    evaluation = started(admin_viewer, note="  a \t first try ", limit=3, settings=switches)
    evaluation.refresh_from_db()
    info = engine.graph("toy").info()
    assert (evaluation.note, evaluation.dataset, evaluation.format) == ("a first try", "tv.jsonl", "discern")
    assert (evaluation.split, evaluation.limit, evaluation.snapshot) == ("all", 3, None)
    assert (evaluation.graph, evaluation.graph_title, evaluation.graph_version) == ("toy", "Toy", info.version)
    assert (evaluation.scorer, evaluation.starter, evaluation.status) == ("lexical", admin_viewer.user, Status.QUEUED)
    settings = EvaluationSettings.from_json(evaluation.switches)
    assert (settings.topics, evaluation.switches == wanted().settings.to_settings().to_json()) == ("gold", False)
    assert just_now(evaluation.seen_at)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))]
    assert audit_log() == [("cleo", "evaluation_started", str(evaluation.pk), "", "tv.jsonl, lexical")]


def test_what_is_left_out_is_the_site_s_own_choice(admin_viewer: Viewer) -> None:
    evaluation = evaluation_create(wanted=EvaluationIn(dataset="tv.jsonl"), viewer=admin_viewer)
    assert (evaluation.graph, evaluation.scorer, evaluation.split) == ("toy", "lexical", "validation")
    assert (evaluation.note, evaluation.limit) == ("", None)


def test_a_loaded_dataset_is_named_by_its_version(admin_viewer: Viewer, loaded: Dataset) -> None:
    for more in ({}, {"version": 1}, {"format": "discern"}):
        evaluation = started(admin_viewer, dataset="television", **more)
        assert (evaluation.dataset, evaluation.format, evaluation.snapshot) == ("television", "discern", loaded)
    message = f"“television” was loaded as {FORMATS['discern'].title}. Choose that format."
    wrong = refused(lambda: started(admin_viewer, dataset="television", format="webqsp"))
    assert wrong == (422, "wrong_format", message)
    message = "There is no version 2 of the dataset “television”. Choose one of the list."
    assert refused(lambda: started(admin_viewer, dataset="television", version=2)) == (422, "unknown_dataset", message)


def test_the_site_s_file_goes_before_what_was_loaded_under_its_name(admin_viewer: Viewer, folder: Path) -> None:
    dataset, _ = dataset_register(folder / "tv.jsonl", name="tv.jsonl", format="discern", file="tv.jsonl")
    dataset_load(dataset, folder / "tv.jsonl")
    assert started(admin_viewer).snapshot is None
    assert started(admin_viewer, version=1).snapshot == dataset


def test_a_file_that_cannot_be_read_in_its_format_is_reported_without_its_folder(
    admin_viewer: Viewer, folder: Path
) -> None:
    (folder / "torn.json").write_text('{"Questions": [{')
    status, code, message = refused(lambda: started(admin_viewer, dataset="torn.json", format="webqsp"))
    assert (status, code) == (422, "wrong_format")
    assert message.startswith(f"“torn.json” is not a file of {FORMATS['webqsp'].title}. It says")
    assert str(folder) not in message


def test_a_version_is_of_what_is_loaded_and_not_of_the_folder(admin_viewer: Viewer) -> None:
    message = "There is no version 1 of the dataset “tv.jsonl”. Choose one of the list."
    assert refused(lambda: started(admin_viewer, version=1)) == (422, "unknown_dataset", message)


def test_questions_with_graphs_of_their_own_ask_those_unless_another_is_chosen(
    admin_viewer: Viewer, folder: Path
) -> None:
    (folder / "rog.jsonl").write_text(ROG_ROW)
    own = started(admin_viewer, dataset="rog.jsonl", graph=None)
    assert (own.format, own.graph, own.graph_version) == ("rog", "", "")
    assert own.graph_title == "a graph of its own for each question"
    assert started(admin_viewer, dataset="rog.jsonl").graph == "toy"


def test_only_administrators_manage_evaluations(admin_viewer: Viewer, asker: Viewer) -> None:
    evaluation = started(admin_viewer)
    for act in (
        lambda: started(asker),
        lambda: evaluation_cancel(evaluation=evaluation, viewer=asker),
        lambda: evaluation_resume(evaluation=evaluation, viewer=asker),
    ):
        assert refused(act) == STAFF_ONLY
    assert (Evaluation.objects.count(), len(audit_log())) == (1, 1)


def test_nothing_new_is_begun_on_a_full_disk(admin_viewer: Viewer, settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    assert refused(lambda: started(admin_viewer))[:2] == (503, "disk_full")


def test_what_makes_no_evaluation_is_refused_with_what_to_do(admin_viewer: Viewer, folder: Path) -> None:
    def why(**more: Any) -> tuple[int, str, str]:
        return refused(lambda: started(admin_viewer, **more))

    assert why(dataset="gone.jsonl")[:2] == (422, "unknown_dataset")
    assert why(scorer="none")[1] == "unknown_scorer"
    assert why(graph="none")[:2] == (422, "graph_unavailable")
    status, code, message = why(format="nonsense")
    assert (status, code) == (422, "unknown_format")
    assert message.startswith("There is no format “nonsense”. Choose one of: webqsp, cwq, ")
    (folder / "bad.jsonl").write_text("one\n" * 30)
    status, code, message = why(dataset="bad.jsonl")
    assert (status, code) == (422, "wrong_format")
    assert message.startswith("“bad.jsonl” is not a file of ")
    assert str(folder) not in message
    (folder / "odd.jsonl").write_text('{"id": 7}\n' * 20 + LINE % 1)
    status, code, message = why(dataset="odd.jsonl")
    assert (status, code) == (422, "wrong_format")
    assert ". It says, line 1: " in message
    (folder / "empty.jsonl").write_text("")
    assert why(dataset="empty.jsonl")[1] in ("empty_dataset", "wrong_format")
    assert not Evaluation.objects.exists()
    (folder / "nearly.jsonl").write_text('{"id": 7}\n' * 19 + LINE % 1)
    assert started(admin_viewer, dataset="nearly.jsonl").status == Status.QUEUED


# Stopping and going on


def test_an_evaluation_is_stopped_once_and_goes_on(admin_viewer: Viewer) -> None:
    evaluation = started(admin_viewer)
    forget_deliveries()
    for _ in range(2):
        assert evaluation_cancel(evaluation=evaluation, viewer=admin_viewer).status == Status.CANCELLED
    assert stands(evaluation) == (Status.CANCELLED, "", True)
    Evaluation.objects.update(reason="why", seen_at=timezone.now() - timedelta(hours=1))
    for _ in range(2):
        assert evaluation_resume(evaluation=evaluation, viewer=admin_viewer).status == Status.QUEUED
    assert stands(evaluation) == (Status.QUEUED, "", False)
    assert just_now(evaluation.seen_at)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))]
    assert audit_log()[1:] == [
        ("cleo", "evaluation_cancelled", str(evaluation.pk), "queued", ""),
        ("cleo", "evaluation_resumed", str(evaluation.pk), "cancelled", ""),
    ]


@pytest.mark.parametrize("status", Status)
def test_only_what_was_stopped_or_failed_goes_on(admin_viewer: Viewer, status: Status) -> None:
    evaluation = started(admin_viewer)
    forget_deliveries()
    is_over = status in (Status.SUCCEEDED, Status.FAILED, Status.CANCELLED)
    Evaluation.objects.update(status=status, finished_at=timezone.now() if is_over else None)
    goes_on = status in (Status.CANCELLED, Status.FAILED)
    assert evaluation_resume(evaluation=evaluation, viewer=admin_viewer).status == (
        Status.QUEUED if goes_on else status
    )
    assert len(delivered(Queue.CPU_BACKGROUND)) == goes_on


def test_questions_that_wait_may_be_tried_as_often_again(admin_viewer: Viewer) -> None:
    evaluation, other = judged(admin_viewer, 1, of=1), started(admin_viewer)
    for of in (evaluation, other):
        EvaluatedQuestion.objects.create(evaluation=of, position=2, question_id="wait", text="who?", gold=KITT_GOLD)
    EvaluatedQuestion.objects.update(attempts=3)
    evaluation_resume(evaluation=evaluation, viewer=admin_viewer)
    attempts = EvaluatedQuestion.objects.values_list("evaluation", "position", "attempts")
    assert set(attempts) == {(evaluation.pk, 1, 3), (evaluation.pk, 2, 0), (other.pk, 2, 3)}


def test_an_evaluation_does_not_go_on_over_another_graph(admin_viewer: Viewer) -> None:
    evaluation = evaluation_cancel(evaluation=started(admin_viewer), viewer=admin_viewer)
    Evaluation.objects.update(graph_version="another")
    evaluation.refresh_from_db()
    message = "The graph “Toy” was loaded again since this began. Start a new evaluation."
    assert refused(lambda: evaluation_resume(evaluation=evaluation, viewer=admin_viewer)) == (
        409,
        "graph_changed",
        message,
    )


def test_what_was_judged_is_summed_up_where_an_evaluation_is_stopped(admin_viewer: Viewer) -> None:
    evaluation = judged(admin_viewer, 3)
    Evaluation.objects.update(figures_of=2, figures={})
    evaluation.refresh_from_db()
    evaluation_cancel(evaluation=evaluation, viewer=admin_viewer)
    assert stands(evaluation)[0] == Status.CANCELLED
    assert evaluation.figures_of == 3
    assert evaluation.figures is not None
    assert evaluation.figures["questions"] == 3


def judged(admin_viewer: Viewer, done: int, *, of: int = 30) -> Evaluation:
    """An evaluation with this number of judged questions, and no figures."""
    evaluation = started(admin_viewer, limit=of)
    while not evaluation.is_over:
        evaluation_work(evaluation.pk)
        evaluation.refresh_from_db()
    assert evaluation.done == of
    EvaluatedQuestion.objects.filter(evaluation=evaluation, position__gt=done).delete()
    Evaluation.objects.update(done=done, figures=None, figures_of=0, status=Status.RUNNING, finished_at=None)
    evaluation.refresh_from_db()
    return evaluation


# Moves


def test_an_evaluation_is_handed_over_as_often_as_workers_may_join(
    admin_viewer: Viewer, settings: SettingsWrapper
) -> None:
    evaluation = started(admin_viewer)
    forget_deliveries()
    evaluation_deliver(evaluation, times=3)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))] * 3
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
        update={"scorer": "causal", "scorer_weights": settings.ENVIRONMENT.home}
    )
    # Its queue is computed when it is queued, here again as its model needs a GPU by now.
    evaluation_cancel(evaluation=evaluation, viewer=admin_viewer)
    evaluation.scorer = "causal"
    evaluation_resume(evaluation=evaluation, viewer=admin_viewer)
    assert delivered(Queue.GPU_BACKGROUND) == [(TASK, str(evaluation.pk))]


def test_an_evaluation_ends_once(admin_viewer: Viewer) -> None:
    evaluation, other = started(admin_viewer), started(admin_viewer)
    assert evaluation_close(evaluation.pk, Status.FAILED, "w" * 2_000) == 1
    assert stands(evaluation) == (Status.FAILED, "w" * 1_000, True)
    assert just_now(evaluation.finished_at)
    assert evaluation_close(evaluation.pk, Status.CANCELLED) == 0
    assert stands(evaluation)[0] == Status.FAILED
    assert stands(other) == (Status.QUEUED, "", False)
    assert evaluation_close(other.pk, Status.CANCELLED) == 1
    assert stands(other) == (Status.CANCELLED, "", True)


def test_an_evaluation_waits_with_its_reason_unless_it_is_over(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    evaluation, over = started(admin_viewer), started(admin_viewer)
    Evaluation.objects.update(status=Status.RUNNING, seen_at=timezone.now() - timedelta(hours=1))
    evaluation_close(over.pk, Status.FAILED, "why")
    for each in (evaluation, over):
        evaluation_wait(each.pk, "w" * 2_000)
    assert stands(evaluation) == (Status.QUEUED, "w" * 1_000, False)
    assert just_now(evaluation.seen_at)
    assert stands(over) == (Status.FAILED, "why", True)
    messages = [record.getMessage() for record in caplog.records if record.name == LOG]
    assert messages == [f"evaluation {each.pk} waits: {'w' * 2_000}" for each in (evaluation, over)]


@pytest.mark.parametrize(
    ("done", "figures_of", "only_if_due", "is_made"),
    [
        (0, 0, False, False),
        (1, 0, True, True),
        (1, 1, True, False),
        (1, 1, False, True),
        (2, 1, True, True),
        (12, 10, True, False),
        (13, 10, True, True),
        (14, 10, True, True),
        (4, 3, True, True),
    ],
)
def test_figures_are_made_anew_where_the_outcomes_have_grown(
    admin_viewer: Viewer, done: int, figures_of: int, *, only_if_due: bool, is_made: bool
) -> None:
    evaluation = judged(admin_viewer, done, of=15)
    Evaluation.objects.update(figures_of=figures_of, figures={"of": "before"})
    evaluation.refresh_from_db()
    evaluation_refresh_metrics(evaluation, only_if_due=only_if_due)
    evaluation.refresh_from_db()
    assert (evaluation.figures != {"of": "before"}) is is_made
    assert evaluation.figures_of == (done if is_made else figures_of)
    assert evaluation.status == Status.RUNNING
    assert transitions.FIGURES_GROWTH == 1.3


def test_where_all_is_judged_the_evaluation_ends(admin_viewer: Viewer) -> None:
    evaluation = judged(admin_viewer, 4, of=4)
    Evaluation.objects.update(figures_of=4, reason="waited")
    evaluation.refresh_from_db()
    evaluation_refresh_metrics(evaluation, only_if_due=True)
    assert stands(evaluation) == (Status.SUCCEEDED, "", True)
    assert just_now(evaluation.finished_at)
    assert evaluation.figures is not None
    evaluation_close(evaluation.pk, Status.CANCELLED)
    assert stands(evaluation)[0] == Status.SUCCEEDED


def test_an_evaluation_that_was_stopped_just_now_does_not_succeed(admin_viewer: Viewer) -> None:
    evaluation = judged(admin_viewer, 4, of=4)
    evaluation_close(evaluation.pk, Status.CANCELLED)
    evaluation_refresh_metrics(evaluation, only_if_due=True)
    assert stands(evaluation) == (Status.CANCELLED, "", True)
    assert evaluation.figures_of == 4


def test_figures_of_more_outcomes_are_kept(admin_viewer: Viewer) -> None:
    evaluation = judged(admin_viewer, 4, of=6)
    Evaluation.objects.update(figures_of=5, figures={"of": "five"})
    evaluation_refresh_metrics(evaluation, only_if_due=False)
    evaluation.refresh_from_db()
    assert (evaluation.figures, evaluation.figures_of) == ({"of": "five"}, 5)
