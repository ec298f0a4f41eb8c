"""What workers do for an evaluation: they choose its questions, hold a few at a time, and write each outcome once."""

from __future__ import annotations

import errno
import logging
import shutil
import time
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings as site
from django.db import OperationalError
from django.utils import timezone

from kgstore.loading.errors import GraphLoadError
from kgstore.store_errors import GraphBusyError, GraphDamagedError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.errors import ScorerUnavailableError
from reasoning.events import Failed
from tests.reasoning.outcomes import outcome
from tests.webapp.told_by_services import delivered, forget_deliveries, said_in
from webapp.accounts.models import Role, User
from webapp.accounts.viewer import Viewer
from webapp.datasets.models import Dataset
from webapp.datasets.services import dataset_register
from webapp.disk import NoRoomError
from webapp.evaluations.claims import (
    ATTEMPTS,
    BATCH,
    LANES,
    ClaimedQuestions,
    HandedBackError,
    deliver_to_others,
    evaluation_go_on,
    outcome_write,
    questions_claim,
    questions_open,
    questions_release,
    questions_renew,
)
from webapp.evaluations.models import EvaluatedQuestion, Evaluation, JudgedDecisions
from webapp.evaluations.question_selection import own_graphs, questions_select
from webapp.evaluations.schemas import EvaluationIn
from webapp.evaluations.services import evaluation_cancel, evaluation_create
from webapp.evaluations.worker import evaluation_work, evaluations_recover
from webapp.work.heartbeat import READY, heartbeat_send
from webapp.work.lease import LEASE, ClaimLostError
from webapp.work.queues import Queue
from webapp.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from pytest_django.fixtures import SettingsWrapper

TASK = "evaluations.work"
LOGS = ("webapp.evaluations.claims", "webapp.evaluations.worker", "webapp.evaluations.transitions", "webapp.disk")
LINE = (
    '{"id": "q%d", "phrasings": ["who plays KITT?"], "topic": "en.knight_rider", "search": '
    '[[0, "tv.tv_program.regular_cast"]], "constraints": [], "answer": 1, "answers": ["m.kitt"]}\n'
)
QUESTIONS = 30


@pytest.fixture
def cleo() -> Viewer:
    return Viewer(User.objects.create_user("cleo", password="a long password", role=Role.ADMIN), None, "192.0.2.2")


@pytest.fixture(autouse=True)
def folder(caplog: pytest.LogCaptureFixture) -> Iterator[Path]:
    """The folder where admins put files of questions, with one file."""
    for log in LOGS:
        caplog.set_level(logging.INFO, log)
    path: Path = site.ENVIRONMENT.home / "datasets"
    path.mkdir()
    (path / "tv.jsonl").write_text("".join(LINE % number for number in range(1, QUESTIONS + 1)))
    yield path
    shutil.rmtree(path)


def started(viewer: Viewer, **more: Any) -> Evaluation:
    wanted = {"dataset": "tv.jsonl", "graph": "toy", "scorer": "lexical", "split": "all", **more}
    return evaluation_create(wanted=EvaluationIn(**wanted), viewer=viewer)


def running(viewer: Viewer, **more: Any) -> Evaluation:
    """An evaluation whose questions are chosen and wait, and which nobody is at."""
    evaluation = started(viewer, **more)
    questions_select(evaluation)
    Evaluation.objects.filter(pk=evaluation.pk).update(status=Status.RUNNING)
    forget_deliveries()
    evaluation.refresh_from_db()
    return evaluation


def stands(evaluation: Evaluation) -> tuple[str, str, bool]:
    evaluation.refresh_from_db()
    return evaluation.status, evaluation.reason, evaluation.finished_at is not None


def held(evaluation: Evaluation) -> dict[int, tuple[UUID | None, int]]:
    """By position, who holds each question that is held or was tried, and how often it was."""
    rows = EvaluatedQuestion.objects.filter(evaluation=evaluation).exclude(claim=None, attempts=0)
    return {row.position: (row.claim, row.attempts) for row in rows}


def near(moment: datetime | None, expected: datetime) -> bool:
    return moment is not None and abs(moment - expected) < timedelta(seconds=5)


def raising(error: Exception) -> Callable[[], bool]:
    """Breaks where a worker asks whether it is to stop."""

    def ask() -> bool:
        raise error

    return ask


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def looks(*answers: bool) -> Callable[[], bool]:
    """Answers one after the other, the last again and again."""
    left = list(answers)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def never() -> bool:
    return False


# Choosing


def test_the_questions_of_a_dataset_are_chosen_once_and_written_down(cleo: Viewer) -> None:
    evaluation = started(cleo)
    questions_select(evaluation)
    evaluation.refresh_from_db()
    dataset = Dataset.objects.get()
    assert (evaluation.total, evaluation.done, evaluation.status) == (QUESTIONS, 0, Status.QUEUED)
    assert (evaluation.snapshot, evaluation.fingerprint) == (dataset, dataset.file_sha256)
    assert (dataset.name, dataset.file, dataset.starter) == ("tv.jsonl", "tv.jsonl", cleo.user)
    assert (evaluation.compared_by, evaluation.left_out, evaluation.refused) == ("id", {}, [])
    rows = list(EvaluatedQuestion.objects.order_by("position"))
    assert [(row.position, row.question_id) for row in rows] == [(n, f"q{n}/1") for n in range(1, QUESTIONS + 1)]
    assert [row.dataset_question for row in rows] == list(dataset.questions.order_by("position"))
    first = rows[0]
    asked = BenchmarkQuestion.from_json(first.gold)
    assert (first.text, asked.text, asked.id) == ("who plays KITT?", "who plays KITT?", "q1/1")
    assert first.labels == asked.labels
    # Another worker that chose at the same time writes nothing.
    Evaluation.objects.update(left_out={"of": "the first"})
    questions_select(started(cleo))
    questions_select(evaluation)
    evaluation.refresh_from_db()
    assert evaluation.left_out == {"of": "the first"}
    assert EvaluatedQuestion.objects.filter(evaluation=evaluation).count() == QUESTIONS


@pytest.mark.parametrize("changes", [{"total": 3}, {"status": Status.RUNNING}])
def test_nothing_is_chosen_for_what_has_questions_or_was_begun(cleo: Viewer, changes: dict[str, Any]) -> None:
    evaluation = started(cleo)
    Evaluation.objects.update(**changes)
    questions_select(evaluation)
    assert not EvaluatedQuestion.objects.exists()


def test_entries_that_are_no_questions_are_counted_and_kept(cleo: Viewer, folder: Path) -> None:
    (folder / "odd.jsonl").write_text(f'{{"id": 7}}\n{LINE % 1}{{"id": 8}}\n')
    evaluation = started(cleo, dataset="odd.jsonl")
    questions_select(evaluation)
    evaluation.refresh_from_db()
    assert (evaluation.total, sum(evaluation.left_out.values())) == (1, 2)
    assert [entry["place"] for entry in evaluation.refused] == ["line 1", "line 3"]
    assert all(entry["reason"] and entry["detail"] for entry in evaluation.refused)


def test_a_part_and_a_number_of_questions_may_be_chosen(cleo: Viewer) -> None:
    evaluation = running(cleo, limit=4)
    positions = EvaluatedQuestion.objects.filter(evaluation=evaluation).values_list("position", flat=True)
    assert (evaluation.total, list(positions)) == (4, [1, 2, 3, 4])
    parts = [running(cleo, split=split).total for split in ("train", "validation")]
    assert all(parts)
    assert sum(part or 0 for part in parts) == QUESTIONS


def test_of_the_bundled_sample_it_is_known_what_the_bundled_scorer_learned(cleo: Viewer) -> None:
    evaluation = running(cleo, dataset="sample", scorer="encoder", limit=20, settings={"topics": "linked"})
    seen = list(EvaluatedQuestion.objects.values_list("seen", flat=True))
    assert None not in seen
    assert evaluation.seen_in_training is not None
    assert True in seen
    # One that learns nothing has seen nothing.
    assert set(running(cleo, limit=2).questions.values_list("seen", flat=True)) == {False}


def test_where_no_question_is_left_the_reason_is_told(cleo: Viewer, folder: Path) -> None:
    (folder / "one.jsonl").write_text(LINE % 1)
    running(cleo, dataset="one.jsonl")
    (asked,) = Dataset.objects.get().questions.all()
    other = "train" if asked.split == "validation" else "validation"
    with pytest.raises(DatasetError) as told:
        questions_select(started(cleo, dataset="one.jsonl", split=other))
    assert str(told.value) == "“one.jsonl” holds no such question that could be judged. Choose another split."
    branched = started(cleo, settings={"min_branches": 3})
    with pytest.raises(DatasetError) as told:
        questions_select(branched)
    assert str(told.value) == (
        "“tv.jsonl” holds no such question that could be judged. Left out were: fewer branches, or no gold "
        f"structure: {QUESTIONS}."
    )


def test_topics_that_are_given_must_be_of_the_graph(cleo: Viewer, folder: Path) -> None:
    (folder / "far.jsonl").write_text((LINE % 1).replace("en.knight_rider", "m.far_away"))
    with pytest.raises(DatasetError, match="holds none of the 1 topic entities"):
        questions_select(started(cleo, dataset="far.jsonl", settings={"topics": "gold"}))
    questions_select(started(cleo, dataset="far.jsonl", settings={"topics": "linked"}))


def test_graphs_of_questions_lie_in_the_site_s_file_or_in_the_kept_one(cleo: Viewer, folder: Path) -> None:
    row = (
        '{"id": "Q-1", "question": "who wrote it?", "q_entity": ["Book"], "a_entity": ["Ann"], '
        '"graph": [["Book", "book.book.author", "Ann"]]}\n'
    )
    (folder / "rog.jsonl").write_text(row)
    evaluation = started(cleo, dataset="rog.jsonl", graph=None)
    assert own_graphs(evaluation) == folder / "rog.jsonl"
    evaluation_work(evaluation_id=evaluation.pk)
    assert stands(evaluation) == (Status.SUCCEEDED, "", True)
    kept = own_graphs(evaluation)
    assert kept != folder / "rog.jsonl"
    assert kept.read_text() == row
    kept.unlink()
    with pytest.raises(DatasetError) as told:
        own_graphs(evaluation)
    assert str(told.value) == "The file of “rog.jsonl” is gone, and with it the graphs of its questions."


# Claims


def test_a_worker_holds_a_few_questions_at_a_time_the_first_ones_first(cleo: Viewer) -> None:
    evaluation, other, mine, theirs = running(cleo), running(cleo), uuid4(), uuid4()
    rows = questions_claim(evaluation.pk, mine)
    assert [row.position for row in rows] == list(range(1, BATCH + 1))
    assert all(near(row.lease_until, timezone.now() + LEASE) for row in rows)
    assert [row.position for row in questions_claim(evaluation.pk, theirs)] == list(range(BATCH + 1, 2 * BATCH + 1))
    assert held(evaluation) == {n: (mine if n <= BATCH else theirs, 1) for n in range(1, 2 * BATCH + 1)}
    assert held(other) == {}
    assert {row.evaluation for row in questions_claim(other.pk, mine)} == {other}
    assert questions_open(evaluation.pk).count() == QUESTIONS - 2 * BATCH


def test_what_a_dead_worker_held_is_held_by_the_next_one(cleo: Viewer) -> None:
    evaluation, dead, living = running(cleo, limit=3), uuid4(), uuid4()
    questions_claim(evaluation.pk, dead)
    assert questions_claim(evaluation.pk, living) == []
    EvaluatedQuestion.objects.filter(position=2).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert [row.position for row in questions_claim(evaluation.pk, living)] == [2]
    assert held(evaluation) == {1: (dead, 1), 2: (living, 2), 3: (dead, 1)}


def test_a_question_that_ends_worker_after_worker_ends_the_evaluation(cleo: Viewer) -> None:
    evaluation = running(cleo, limit=3)
    long = "why " * 100
    EvaluatedQuestion.objects.filter(position=2).update(attempts=ATTEMPTS - 1, text=long)
    claim = uuid4()
    assert len(questions_claim(evaluation.pk, claim)) == 3
    EvaluatedQuestion.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    with pytest.raises(ClaimLostError):
        questions_claim(evaluation.pk, uuid4())
    assert stands(evaluation) == (
        Status.FAILED,
        f"The worker stopped 5 times at question 2, “{long[:200]}”. See its log, then resume this evaluation.",
        True,
    )


def test_what_was_not_asked_goes_back_and_counts_as_no_attempt(cleo: Viewer) -> None:
    evaluation, other, mine, theirs = running(cleo), running(cleo), uuid4(), uuid4()
    questions_claim(evaluation.pk, mine)
    questions_claim(evaluation.pk, theirs)
    questions_claim(other.pk, mine)
    EvaluatedQuestion.objects.filter(position=1).update(attempts=3)
    questions_release(evaluation.pk, mine)
    assert held(evaluation) == {1: (None, 2)} | dict.fromkeys(range(BATCH + 1, 2 * BATCH + 1), (theirs, 1))
    assert len(held(other)) == BATCH
    assert not EvaluatedQuestion.objects.filter(claim=None).exclude(lease_until=None).exists()


def test_a_lease_is_renewed_for_what_is_held(cleo: Viewer) -> None:
    evaluation, other, mine, theirs = running(cleo), running(cleo), uuid4(), uuid4()
    for each, claim in ((evaluation, mine), (evaluation, theirs), (other, mine)):
        questions_claim(each.pk, claim)
    before = timezone.now() - timedelta(hours=1)
    EvaluatedQuestion.objects.exclude(claim=None).update(lease_until=before)
    Evaluation.objects.update(seen_at=before)
    assert questions_renew(evaluation.pk, mine) is True
    renewed = EvaluatedQuestion.objects.filter(lease_until__gt=before)
    assert {(row.evaluation_id, row.claim) for row in renewed} == {(evaluation.pk, mine)}
    assert renewed.count() == BATCH
    assert all(near(row.lease_until, timezone.now() + LEASE) for row in renewed)
    evaluation.refresh_from_db()
    other.refresh_from_db()
    assert near(evaluation.seen_at, timezone.now())
    assert other.seen_at == before


@pytest.mark.parametrize(
    ("waiting", "others"),
    [(0, 0), (1, 0), (BATCH, 0), (BATCH + 1, 1), (2 * BATCH, 1), (2 * BATCH + 1, 2), (LANES * BATCH + 9, LANES - 1)],
)
def test_as_many_others_join_as_find_something_to_do(cleo: Viewer, folder: Path, waiting: int, others: int) -> None:
    count = max(waiting, 1)
    (folder / "some.jsonl").write_text("".join(LINE % number for number in range(1, count + 1)))
    evaluation = running(cleo, dataset="some.jsonl")
    EvaluatedQuestion.objects.filter(position__gt=waiting).delete()
    deliver_to_others(evaluation)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))] * others


# Outcomes


def test_an_outcome_is_written_whole(cleo: Viewer) -> None:
    evaluation, claim = running(cleo), uuid4()
    row = questions_claim(evaluation.pk, claim)[0]
    Evaluation.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    told = Failed(code="undecided", message="no", retryable=False)
    made = replace(outcome(), case="E2", hit_first=False, f1=0.5, seconds=2.5, leaves=2, hops=3, told=(told,))
    outcome_write(row, claim, made)
    row.refresh_from_db()
    assert row.outcome == made.to_json()
    assert (row.verdict, row.case, row.right, row.f1, row.seconds) == ("answered", "E2", False, 0.5, 2.5)
    assert (row.leaves, row.hops, row.graph_gap, row.answerable) == (2, 3, False, True)
    assert (row.claim, row.lease_until) == (None, None)
    assert near(row.judged_at, timezone.now())
    kept = JudgedDecisions.objects.get()
    assert (kept.question_id, kept.events) == (row.pk, [told.model_dump(mode="json")])
    evaluation.refresh_from_db()
    assert evaluation.done == 1
    assert near(evaluation.seen_at, timezone.now())


@pytest.mark.parametrize(
    ("verdict", "answerable", "hit_first", "right"),
    [
        ("answered", True, True, True),
        ("answered", True, False, False),
        ("no_answer_found", True, False, False),
        ("no_answer_found", False, False, True),
        ("answered", False, True, False),
        ("failed", False, False, False),
    ],
)
def test_what_has_no_answer_is_right_where_that_was_said(
    cleo: Viewer, verdict: Any, *, answerable: bool, hit_first: bool, right: bool
) -> None:
    claim = uuid4()
    row = questions_claim(running(cleo, limit=1).pk, claim)[0]
    outcome_write(
        row, claim, replace(outcome(), verdict=verdict, answerable=answerable, hit_first=hit_first, case=None)
    )
    row.refresh_from_db()
    assert (row.right, row.case, row.verdict, row.answerable) == (right, "", verdict, answerable)
    assert not JudgedDecisions.objects.exists()


def test_nobody_writes_what_another_holds_or_nobody_wants_any_more(cleo: Viewer) -> None:
    evaluation, claim = running(cleo), uuid4()
    first, second, *_ = questions_claim(evaluation.pk, claim)
    outcome_write(first, claim, outcome())
    EvaluatedQuestion.objects.filter(pk=second.pk).update(claim=uuid4())
    for row in (first, second):
        with pytest.raises(ClaimLostError):
            outcome_write(row, claim, outcome())
    EvaluatedQuestion.objects.filter(pk=second.pk).update(claim=claim)
    Evaluation.objects.update(status=Status.CANCELLED, finished_at=timezone.now())
    with pytest.raises(ClaimLostError):
        outcome_write(second, claim, outcome())
    evaluation.refresh_from_db()
    second.refresh_from_db()
    assert (evaluation.done, second.judged_at) == (1, None)
    # One that waits takes what another worker had in its hands.
    Evaluation.objects.update(status=Status.QUEUED, reason="waits", finished_at=None)
    outcome_write(second, claim, outcome())
    evaluation.refresh_from_db()
    assert evaluation.done == 2


def test_what_was_waited_for_is_back_once_and_others_join(cleo: Viewer) -> None:
    evaluation = running(cleo)
    Evaluation.objects.update(reason="its model is away")
    for _ in range(2):
        evaluation.reason = "its model is away"
        evaluation_go_on(evaluation)
        assert evaluation.reason == ""
    assert stands(evaluation) == (Status.RUNNING, "", False)
    assert len(delivered(Queue.CPU_BACKGROUND)) == 3
    Evaluation.objects.update(reason="its model is away", status=Status.QUEUED)
    evaluation.refresh_from_db()
    evaluation_go_on(evaluation)
    assert stands(evaluation)[1] == "its model is away"


# A slice


def test_a_slice_ends_where_the_worker_stops_or_gives_way(cleo: Viewer) -> None:
    for stopping, gives_way in ((looks(False, False, True), never), (never, looks(False, False, True))):
        evaluation = running(cleo)
        questions = ClaimedQuestions(evaluation, uuid4(), stopping, gives_way)
        assert [question.id for question in questions] == ["q1/1", "q2/1"]


def test_a_slice_ends_after_its_time_which_is_longer_where_graphs_are_sought(
    cleo: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = running(cleo)
    for graph, short in (("toy", True), ("", False)):
        evaluation.graph = graph
        monkeypatch.setattr("webapp.evaluations.claims.SLICE_SECONDS", -1.0 if short else 60.0)
        monkeypatch.setattr("webapp.evaluations.claims.OWN_GRAPHS_SLICE_SECONDS", 60.0 if short else -1.0)
        assert list(ClaimedQuestions(evaluation, uuid4(), never, never)) == []
    monkeypatch.setattr("webapp.evaluations.claims.OWN_GRAPHS_SLICE_SECONDS", 60.0)
    assert [question.id for question in ClaimedQuestions(evaluation, uuid4(), never, never)][:1] == ["q17/1"]


def test_no_question_is_begun_on_a_full_disk(cleo: Viewer, settings: SettingsWrapper) -> None:
    evaluation = running(cleo)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    with pytest.raises(NoRoomError):
        next(iter(ClaimedQuestions(evaluation, uuid4(), never, never)))


def test_a_question_in_hand_is_watched(cleo: Viewer) -> None:
    evaluation, claim = running(cleo), uuid4()
    questions = ClaimedQuestions(evaluation, claim, never, looks(False, True, False))
    asked = iter(questions)
    next(asked)
    with pytest.raises(HandedBackError):
        questions.watch()
    questions.watch()
    for changes in ({"claim": uuid4()}, {"claim": claim}):
        EvaluatedQuestion.objects.filter(position=1).update(**changes)
        if changes["claim"] == claim:
            questions.watch()
        else:
            with pytest.raises(ClaimLostError):
                questions.watch()
    Evaluation.objects.update(status=Status.CANCELLED, finished_at=timezone.now())
    with pytest.raises(ClaimLostError):
        questions.watch()
    with pytest.raises(HandedBackError):
        ClaimedQuestions(evaluation, claim, lambda: True, never).watch()


def test_somebody_waits_once_for_a_question_until_it_is_judged(cleo: Viewer) -> None:
    evaluation, claim = running(cleo), uuid4()
    questions = ClaimedQuestions(evaluation, claim, never, looks(False, True, True, True, False))
    asked = iter(questions)
    next(asked)
    with pytest.raises(HandedBackError):
        questions.watch()
    questions.watch()
    Evaluation.objects.update(reason="its model is away")
    evaluation.refresh_from_db()
    questions.keep(outcome())
    assert stands(evaluation)[1] == ""
    assert evaluation.done == 1
    EvaluatedQuestion.objects.filter(position=1).update(judged_at=None, outcome=None, right=None, claim=claim)
    with pytest.raises(HandedBackError):
        questions.watch()


# Work


def test_an_evaluation_is_judged_slice_by_slice_and_handed_on(cleo: Viewer) -> None:
    evaluation = started(cleo)
    forget_deliveries()
    evaluation_work(evaluation_id=evaluation.pk, stopping=looks(False, False, False, True))
    assert stands(evaluation) == (Status.RUNNING, "", False)
    assert near(evaluation.started_at, timezone.now())
    # Three more may join at the beginning, and it goes on itself.
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))] * 4
    assert not EvaluatedQuestion.objects.exclude(claim=None).exists()
    first = evaluation.started_at
    while not evaluation.is_over:
        evaluation_work(evaluation_id=evaluation.pk)
        evaluation.refresh_from_db()
    assert stands(evaluation) == (Status.SUCCEEDED, "", True)
    assert (evaluation.done, evaluation.started_at) == (QUESTIONS, first)
    forget_deliveries()
    evaluation_work(evaluation_id=evaluation.pk)
    assert delivered(Queue.CPU_BACKGROUND) == []


def test_a_worker_that_takes_long_is_heard_of_meanwhile(cleo: Viewer) -> None:
    evaluation, before = running(cleo), timezone.now() - timedelta(hours=1)
    heard: list[bool] = []

    def stopping() -> bool:
        """Takes longer than from one renewal to the next."""
        Evaluation.objects.update(seen_at=before)
        EvaluatedQuestion.objects.exclude(claim=None).update(lease_until=before)
        until = time.monotonic() + LEASE.total_seconds()
        while time.monotonic() < until and not EvaluatedQuestion.objects.filter(lease_until__gt=before).exists():
            time.sleep(0.1)
        evaluation.refresh_from_db()
        heard.append(evaluation.seen_at > before)
        return True

    evaluation_work(evaluation_id=evaluation.pk, stopping=stopping)
    assert heard == [True]


def test_figures_are_made_only_where_they_are_due(cleo: Viewer) -> None:
    evaluation = running(cleo)
    Evaluation.objects.update(done=10, figures_of=10, figures={"of": "ten"})
    EvaluatedQuestion.objects.filter(position__gt=1).delete()
    evaluation_work(evaluation_id=evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.done, evaluation.figures) == (11, {"of": "ten"})


def test_nothing_is_done_for_what_is_over_or_waits(cleo: Viewer) -> None:
    over = evaluation_cancel(evaluation=started(cleo), viewer=cleo)
    evaluation_work(evaluation_id=over.pk)
    assert stands(over) == (Status.CANCELLED, "", True)
    assert over.total is None
    waits = running(cleo)
    Evaluation.objects.filter(pk=waits.pk).update(reason="its model is away")
    evaluation_work(evaluation_id=waits.pk)
    assert stands(waits) == (Status.RUNNING, "its model is away", False)
    # One worker finds out whether it is back.
    Evaluation.objects.filter(pk=waits.pk).update(status=Status.QUEUED)
    forget_deliveries()
    evaluation_work(evaluation_id=waits.pk, stopping=looks(False, False, True))
    assert stands(waits) == (Status.RUNNING, "its model is away", False)


def test_a_graph_that_was_loaded_anew_ends_the_evaluation(cleo: Viewer) -> None:
    evaluation = started(cleo)
    Evaluation.objects.update(graph_version="another")
    evaluation_work(evaluation_id=evaluation.pk)
    assert stands(evaluation)[0] == Status.FAILED
    assert stands(evaluation)[1].startswith("The graph “Toy” was loaded anew")
    assert evaluation.started_at is None
    assert not EvaluatedQuestion.objects.exclude(judged_at=None).exists()


@pytest.mark.parametrize(
    ("error", "status", "reason", "told"),
    [
        (GraphBusyError("locked"), Status.QUEUED, GraphBusyError.people, "evaluation {pk}: locked"),
        (GraphDamagedError("torn"), Status.FAILED, GraphDamagedError.people, "evaluation {pk}: torn"),
        (
            ScorerUnavailableError("no weights in /srv"),
            Status.FAILED,
            ScorerUnavailableError.people,
            "evaluation {pk}: no weights in /srv",
        ),
        (
            RuntimeError("odd"),
            Status.FAILED,
            "The engine broke over a question. See the worker's log, then resume this evaluation.",
            "evaluation {pk} broke",
        ),
        (
            DatasetError("{folder}/tv.jsonl is gone."),
            Status.FAILED,
            "tv.jsonl is gone.",
            "evaluation {pk} failed: {folder}/tv.jsonl is gone.",
        ),
        (
            DatasetError(f"{SAMPLE_FOLDER}/webqsp.jsonl is gone."),
            Status.FAILED,
            "webqsp.jsonl is gone.",
            f"evaluation {{pk}} failed: {SAMPLE_FOLDER}/webqsp.jsonl is gone.",
        ),
        (
            caused(GraphLoadError("a graph could not be written"), OSError(errno.ENOSPC, "No space left on device")),
            Status.QUEUED,
            "The disk of this site is full. This goes on by itself once there is room.",
            "the disk is full: a graph could not be written",
        ),
        (GraphLoadError("no row"), Status.FAILED, "no row", "evaluation {pk} failed: no row"),
        (
            NoRoomError("little"),
            Status.QUEUED,
            "The disk of this site is full. This goes on by itself once there is room.",
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
def test_what_goes_wrong_is_told_and_nothing_stays_held(
    cleo: Viewer, folder: Path, caplog: pytest.LogCaptureFixture, error: Exception, status: str, reason: str, told: str
) -> None:
    evaluation = running(cleo)
    if "{folder}" in str(error):
        error = type(error)(str(error).format(folder=folder))
    evaluation_work(evaluation_id=evaluation.pk, stopping=raising(error))
    assert stands(evaluation)[:2] == (status, reason)
    assert told.format(pk=evaluation.pk, folder=folder) in said_in(caplog, LOGS)
    assert held(evaluation) == {}
    assert delivered(Queue.CPU_BACKGROUND) == []


def test_no_folder_is_told_though_its_name_has_spaces(
    cleo: Viewer, settings: SettingsWrapper, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("webapp.evaluations.worker.SAMPLE_FOLDER", tmp_path / "our sample")
    home, ours = settings.ENVIRONMENT, settings.ENVIRONMENT.model_copy(update={"home": tmp_path / "our site"})
    for folder in (tmp_path / "our sample", ours.home / "datasets"):
        evaluation = running(cleo)

        def gone(folder: Path = folder) -> bool:
            settings.ENVIRONMENT = ours
            raise DatasetError(f"{folder}/tv.jsonl is gone.")

        evaluation_work(evaluation_id=evaluation.pk, stopping=gone)
        settings.ENVIRONMENT = home
        assert stands(evaluation) == (Status.FAILED, "tv.jsonl is gone.", True)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ClaimLostError(), "evaluation {pk} was cancelled, or a question of it taken over"),
        (HandedBackError(), "evaluation {pk} goes back to the queue in the midst of a question"),
    ],
)
def test_what_goes_back_is_taken_up_by_another(
    cleo: Viewer, caplog: pytest.LogCaptureFixture, error: Exception, told: str
) -> None:
    evaluation = running(cleo)
    evaluation_work(evaluation_id=evaluation.pk, stopping=raising(error))
    assert stands(evaluation) == (Status.RUNNING, "", False)
    assert said_in(caplog, LOGS) == [told.format(pk=evaluation.pk)]
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))]


def test_while_its_dataset_is_being_loaded_nobody_is_called(cleo: Viewer, caplog: pytest.LogCaptureFixture) -> None:
    evaluation = started(cleo)
    name = "tv.jsonl"
    path = site.ENVIRONMENT.home / "datasets" / name
    dataset_register(path, name=name, format="discern", file=name)
    Dataset.objects.update(status=Status.RUNNING, claim=uuid4(), lease_until=timezone.now() + LEASE)
    forget_deliveries()
    evaluation_work(evaluation_id=evaluation.pk)
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


def test_what_no_worker_is_heard_of_at_is_handed_over_again(cleo: Viewer) -> None:
    evaluation = forgotten(cleo, LEASE + timedelta(seconds=1))
    assert evaluations_recover() == 0
    assert delivered(Queue.CPU_BACKGROUND) == []
    lives()
    assert evaluations_recover() == 1
    assert stands(evaluation) == (Status.RUNNING, "", False)
    assert near(evaluation.seen_at, timezone.now())
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))] * LANES
    assert evaluations_recover() == 0


def test_two_that_were_forgotten_are_both_counted(cleo: Viewer) -> None:
    for _ in range(2):
        forgotten(cleo, timedelta(hours=1))
    lives()
    assert evaluations_recover() == 2


def test_what_waits_is_tried_by_one_worker_alone(cleo: Viewer) -> None:
    evaluation = forgotten(cleo, timedelta(hours=1), reason="its model is away")
    lives()
    assert evaluations_recover() == 1
    assert stands(evaluation) == (Status.QUEUED, "its model is away", False)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))]


def test_where_no_question_waits_one_worker_ends_it(cleo: Viewer) -> None:
    evaluation = forgotten(cleo, timedelta(hours=1))
    EvaluatedQuestion.objects.all().delete()
    lives()
    assert evaluations_recover() == 1
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))]


def test_what_is_over_or_was_heard_of_is_left_alone(cleo: Viewer) -> None:
    forgotten(cleo, LEASE - timedelta(seconds=2))
    forgotten(cleo, timedelta(hours=1), status=Status.CANCELLED, finished_at=timezone.now())
    lives()
    assert evaluations_recover() == 0
    # A time in the future is one of a clock that was set back.
    ahead = forgotten(cleo, -timedelta(hours=1))
    assert evaluations_recover() == 1
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(ahead.pk))] * LANES
