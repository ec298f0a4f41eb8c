"""Workers hold a few questions of an evaluation at a time, and write each outcome once."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.utils import timezone

from reasoning.events import Failed
from tests.reasoning.outcomes import outcome
from tests.webapp.evaluations_at_work import (
    LINE,
    QUESTIONS,
    TASK,
    held,
    looks,
    near,
    never,
    running,
    stands,
    television,
)
from tests.webapp.failing_writes import failing_write
from tests.webapp.told_by_services import delivered, said_in
from webapp.evaluations.models import EvaluatedQuestion, Evaluation, JudgedDecisions
from webapp.evaluations.working.claims import (
    ATTEMPTS,
    BATCH,
    LANES,
    ClaimedQuestions,
    EvaluationShare,
    deliver_to_others,
    evaluation_go_on,
    outcome_write,
    questions_claim,
    questions_open,
    questions_release,
    questions_renew,
)
from webapp.platform.disk import NoRoomError
from webapp.platform.work.lease import LEASE, ClaimLostError
from webapp.platform.work.queues import Queue
from webapp.platform.work.states import Status
from webapp.platform.work.turn import HandedBackError, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from uuid import UUID

    from pytest_django.fixtures import SettingsWrapper

    from webapp.accounts.viewer import Viewer

LOG = "webapp.evaluations.working.claims"


@pytest.fixture(autouse=True)
def folder(caplog: pytest.LogCaptureFixture) -> Iterator[Path]:
    """The folder where admins put files of questions, with one file."""
    caplog.set_level(logging.INFO, LOG)
    with television() as path:
        yield path


def claimed_by(
    evaluation: Evaluation, claim: UUID, stopping: Callable[[], bool], gives_way: Callable[[], bool]
) -> ClaimedQuestions:
    """The questions of an evaluation in the turn of a worker."""
    return ClaimedQuestions(evaluation, Turn(TASK, EvaluationShare(evaluation.pk, claim), never, stopping, gives_way))


# Claims


def test_a_worker_holds_a_few_questions_at_a_time_the_first_ones_first(admin_viewer: Viewer) -> None:
    evaluation, other, mine, theirs = running(admin_viewer), running(admin_viewer), uuid4(), uuid4()
    rows = questions_claim(evaluation.pk, mine)
    assert [row.position for row in rows] == list(range(1, BATCH + 1))
    assert all(near(row.lease_until, timezone.now() + LEASE) for row in rows)
    assert [row.position for row in questions_claim(evaluation.pk, theirs)] == list(range(BATCH + 1, 2 * BATCH + 1))
    assert held(evaluation) == {n: (mine if n <= BATCH else theirs, 1) for n in range(1, 2 * BATCH + 1)}
    assert held(other) == {}
    assert {row.evaluation for row in questions_claim(other.pk, mine)} == {other}
    assert questions_open(evaluation.pk).count() == QUESTIONS - 2 * BATCH


def test_what_a_dead_worker_held_is_held_by_the_next_one(admin_viewer: Viewer) -> None:
    evaluation, dead, living = running(admin_viewer, limit=3), uuid4(), uuid4()
    questions_claim(evaluation.pk, dead)
    assert questions_claim(evaluation.pk, living) == []
    EvaluatedQuestion.objects.filter(position=2).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert [row.position for row in questions_claim(evaluation.pk, living)] == [2]
    assert held(evaluation) == {1: (dead, 1), 2: (living, 2), 3: (dead, 1)}


def test_a_question_that_ends_worker_after_worker_ends_the_evaluation(admin_viewer: Viewer) -> None:
    evaluation = running(admin_viewer, limit=3)
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


def test_what_was_not_asked_goes_back_and_counts_as_no_attempt(admin_viewer: Viewer) -> None:
    evaluation, other, mine, theirs = running(admin_viewer), running(admin_viewer), uuid4(), uuid4()
    questions_claim(evaluation.pk, mine)
    questions_claim(evaluation.pk, theirs)
    questions_claim(other.pk, mine)
    EvaluatedQuestion.objects.filter(position=1).update(attempts=3)
    questions_release(evaluation.pk, mine)
    assert held(evaluation) == {1: (None, 2)} | dict.fromkeys(range(BATCH + 1, 2 * BATCH + 1), (theirs, 1))
    assert len(held(other)) == BATCH
    assert not EvaluatedQuestion.objects.filter(claim=None).exclude(lease_until=None).exists()


def test_what_a_broken_database_does_not_give_back_waits_for_its_lease(
    admin_viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    evaluation, claim = running(admin_viewer), uuid4()
    questions_claim(evaluation.pk, claim)
    with failing_write(1):
        questions_release(evaluation.pk, claim)
    assert held(evaluation) == dict.fromkeys(range(1, BATCH + 1), (claim, 1))
    (messages,) = said_in(caplog, [LOG])
    assert messages == (
        f"questions of evaluation {evaluation.pk} stay claimed until their lease expires: "
        "the server closed the connection"
    )


def test_a_lease_is_renewed_for_what_is_held(admin_viewer: Viewer) -> None:
    evaluation, other, mine, theirs = running(admin_viewer), running(admin_viewer), uuid4(), uuid4()
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
def test_as_many_others_join_as_find_something_to_do(
    admin_viewer: Viewer, folder: Path, waiting: int, others: int
) -> None:
    count = max(waiting, 1)
    (folder / "some.jsonl").write_text("".join(LINE % number for number in range(1, count + 1)))
    evaluation = running(admin_viewer, dataset="some.jsonl")
    EvaluatedQuestion.objects.filter(position__gt=waiting).delete()
    deliver_to_others(evaluation)
    assert delivered(Queue.CPU_BACKGROUND) == [(TASK, str(evaluation.pk))] * others


# Outcomes


def test_an_outcome_is_written_whole(admin_viewer: Viewer) -> None:
    evaluation, claim = running(admin_viewer), uuid4()
    row = questions_claim(evaluation.pk, claim)[0]
    Evaluation.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    shown = Failed(code="undecided", message="no", retryable=False)
    made = replace(outcome(), case="E2", hit_first=False, f1=0.5, seconds=2.5, leaves=2, hops=3, emitted=(shown,))
    outcome_write(row, claim, made)
    row.refresh_from_db()
    assert row.outcome == made.to_json()
    assert (row.verdict, row.case, row.right, row.f1, row.seconds) == ("answered", "E2", False, 0.5, 2.5)
    assert (row.leaves, row.hops, row.graph_gap, row.answerable) == (2, 3, False, True)
    assert (row.claim, row.lease_until) == (None, None)
    assert near(row.judged_at, timezone.now())
    kept = JudgedDecisions.objects.get()
    assert (kept.question_id, kept.events) == (row.pk, [shown.model_dump(mode="json")])
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
    admin_viewer: Viewer, verdict: Any, *, answerable: bool, hit_first: bool, right: bool
) -> None:
    claim = uuid4()
    row = questions_claim(running(admin_viewer, limit=1).pk, claim)[0]
    outcome_write(
        row, claim, replace(outcome(), verdict=verdict, answerable=answerable, hit_first=hit_first, case=None)
    )
    row.refresh_from_db()
    assert (row.right, row.case, row.verdict, row.answerable) == (right, "", verdict, answerable)
    assert not JudgedDecisions.objects.exists()


def test_nobody_writes_what_another_holds_or_nobody_wants_any_more(admin_viewer: Viewer) -> None:
    evaluation, claim = running(admin_viewer), uuid4()
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


def test_what_is_judged_waits_no_longer(admin_viewer: Viewer) -> None:
    evaluation, claim = running(admin_viewer), uuid4()
    first = questions_claim(evaluation.pk, claim)[0]
    outcome_write(first, claim, outcome())
    questions_release(evaluation.pk, claim)
    assert [row.position for row in questions_claim(evaluation.pk, uuid4())] == list(range(2, BATCH + 2))


def test_what_was_waited_for_is_back_once_and_others_join(admin_viewer: Viewer) -> None:
    evaluation, other = running(admin_viewer), running(admin_viewer)
    Evaluation.objects.update(reason="its model is away")
    for _ in range(2):
        evaluation.reason = "its model is away"
        evaluation_go_on(evaluation)
        assert evaluation.reason == ""
    assert stands(evaluation) == (Status.RUNNING, "", False)
    assert stands(other) == (Status.RUNNING, "its model is away", False)
    assert len(delivered(Queue.CPU_BACKGROUND)) == 3
    Evaluation.objects.update(reason="its model is away", status=Status.QUEUED)
    evaluation.refresh_from_db()
    evaluation_go_on(evaluation)
    assert stands(evaluation)[1] == "its model is away"


# A slice


def test_a_slice_ends_where_the_worker_stops_or_gives_way(admin_viewer: Viewer) -> None:
    for stopping, gives_way in ((looks(False, False, True), never), (never, looks(False, False, True))):
        evaluation = running(admin_viewer)
        questions = claimed_by(evaluation, uuid4(), stopping, gives_way)
        assert [question.id for question in questions] == ["q1/1", "q2/1"]


def test_a_slice_ends_after_its_time_which_is_longer_where_graphs_are_sought(
    admin_viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = running(admin_viewer)
    for graph, short in (("toy", True), ("", False)):
        evaluation.graph = graph
        monkeypatch.setattr("webapp.evaluations.working.claims.SLICE_SECONDS", -1.0 if short else 60.0)
        monkeypatch.setattr("webapp.evaluations.working.claims.OWN_GRAPHS_SLICE_SECONDS", 60.0 if short else -1.0)
        assert list(claimed_by(evaluation, uuid4(), never, never)) == []
    monkeypatch.setattr("webapp.evaluations.working.claims.OWN_GRAPHS_SLICE_SECONDS", 60.0)
    assert [question.id for question in claimed_by(evaluation, uuid4(), never, never)][:1] == ["q17/1"]


def test_no_question_is_begun_on_a_full_disk(admin_viewer: Viewer, settings: SettingsWrapper) -> None:
    evaluation = running(admin_viewer)
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"disk_reserve_mb": 10**9})
    with pytest.raises(NoRoomError):
        next(iter(claimed_by(evaluation, uuid4(), never, never)))


def test_a_question_in_hand_is_watched(admin_viewer: Viewer) -> None:
    evaluation, claim = running(admin_viewer), uuid4()
    questions = claimed_by(evaluation, claim, never, looks(False, True, False))
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
        claimed_by(evaluation, claim, lambda: True, never).watch()


def test_somebody_waits_once_for_a_question_until_it_is_judged(admin_viewer: Viewer) -> None:
    evaluation, claim = running(admin_viewer), uuid4()
    questions = claimed_by(evaluation, claim, never, looks(False, True, True, True, False))
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
