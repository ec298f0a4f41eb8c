"""Claims of an evaluation's questions: a worker holds a few at a time, and writes each outcome once."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from reasoning.datasets.question import BenchmarkQuestion
from webapp.evaluations.models import DOMAIN_LENGTH, RELATION_LENGTH, EvaluatedQuestion, Evaluation, JudgedDecisions
from webapp.evaluations.others import given_read
from webapp.evaluations.working.transitions import evaluation_close, evaluation_deliver
from webapp.platform.disk import room_check
from webapp.platform.work.lease import LEASE, ClaimLostError, lapsed_lease
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Sequence

    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.evaluation.predictions.predictions import Given
    from webapp.platform.work.turn import Turn

log = logging.getLogger(__name__)

BATCH = 8
"""Number of questions that are claimed at a time."""
LANES = 8
"""Maximum of workers of one evaluation at a time."""
ATTEMPTS = 5
"""Maximum of workers that may die over a question."""
SLICE_SECONDS = 1.0
"""A worker turns to other evaluations after so long."""
OWN_GRAPHS_SLICE_SECONDS = 20.0
"""The same where each question has its own graph: finding these in the file takes its time at every turn."""


@dataclass(slots=True)
class EvaluationShare:
    """The share of an evaluation that one worker holds; several workers may each hold one."""

    pk: uuid.UUID
    """Of the evaluation."""
    claim: uuid.UUID
    """Of the questions."""
    goes_on: bool = False
    """Whether the evaluation goes on after this turn."""


class ClaimedQuestions:
    """The questions of an evaluation that this worker gets hold of, for one slice of its time."""

    def __init__(self, evaluation: Evaluation, turn: Turn[EvaluationShare]) -> None:
        self._evaluation = evaluation
        self._turn = turn
        self._claim = turn.item.claim
        self._row = EvaluatedQuestion()

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        """Claim questions until none waits, the slice ends, the worker must stop, or a user waits for it.

        Raises:
            ClaimLostError: the workers stopped again and again over a question; the evaluation is closed.
            NoRoomError: the disk is nearly full.

        """
        until = time.monotonic() + (SLICE_SECONDS if self._evaluation.graph else OWN_GRAPHS_SLICE_SECONDS)
        while rows := questions_claim(self._evaluation.pk, self._claim):
            for self._row in rows:
                if self._turn.stopping() or self._turn.gives_way() or time.monotonic() > until:
                    return
                room_check()
                yield BenchmarkQuestion.from_json(self._row.gold)

    def given(self, _question: BenchmarkQuestion) -> Given | None:
        """What another system predicted for the question in hand."""
        return given_read(self._row.given)

    def watch(self) -> None:
        """See, in the midst of a question, that it is still to be asked.

        Raises:
            ClaimLostError: the evaluation has ended, or the question is no longer ours.
            HandedBackError: the worker must stop, or a user waits for it.

        """
        self._turn.check_within(self._row.pk)
        held = EvaluatedQuestion.objects.filter(pk=self._row.pk, claim=self._claim)
        if not held.exclude(evaluation__status__in=OVER).exists():
            raise ClaimLostError

    def keep(self, outcome: Outcome) -> None:
        """Write what became of a question.

        Raises:
            ClaimLostError: the evaluation has ended, or the question is no longer ours; nothing was written.

        """
        outcome_write(self._row, self._claim, outcome)
        self._turn.step_done(self._row.pk)
        if self._evaluation.reason:
            evaluation_go_on(self._evaluation)


def questions_open(evaluation_id: uuid.UUID) -> QuerySet[EvaluatedQuestion]:
    """The questions that wait, without a claim of a live worker."""
    free = Q(claim__isnull=True) | lapsed_lease(timezone.now())
    return EvaluatedQuestion.objects.filter(free, evaluation=evaluation_id, judged_at__isnull=True)


def deliver_to_others(evaluation: Evaluation) -> None:
    """Let as many others join as find something to do."""
    evaluation_deliver(evaluation, times=min(LANES, -(-questions_open(evaluation.pk).count() // BATCH)) - 1)


def questions_renew(evaluation_id: uuid.UUID, claim: uuid.UUID) -> bool:
    """Record that a worker is active; it may be active without holding a question for a while."""
    now = timezone.now()
    Evaluation.objects.filter(pk=evaluation_id).update(seen_at=now)
    EvaluatedQuestion.objects.filter(evaluation=evaluation_id, claim=claim).update(lease_until=now + LEASE)
    return True


def questions_release(evaluation_id: uuid.UUID, claim: uuid.UUID) -> None:
    """Give back what was claimed and not asked; that counts as no attempt."""
    try:
        EvaluatedQuestion.objects.filter(evaluation=evaluation_id, claim=claim).update(
            claim=None, lease_until=None, attempts=F("attempts") - 1
        )
    except (OperationalError, InterfaceError) as error:
        log.warning("questions of evaluation %s stay claimed until their lease expires: %s", evaluation_id, error)


def questions_claim(evaluation_id: uuid.UUID, claim: uuid.UUID) -> Sequence[EvaluatedQuestion]:
    """Hold some questions that wait; none are left where this returns none."""
    now = timezone.now()
    while first := list(questions_open(evaluation_id).order_by("position").values_list("pk", flat=True)[:BATCH]):
        questions_open(evaluation_id).filter(pk__in=first).update(
            claim=claim, lease_until=now + LEASE, attempts=F("attempts") + 1
        )
        rows = list(EvaluatedQuestion.objects.filter(evaluation=evaluation_id, claim=claim).order_by("position"))
        for row in rows:
            if row.attempts > ATTEMPTS:
                reason = f"The worker stopped {ATTEMPTS} times at question {row.position}, “{row.text[:200]}”. "
                evaluation_close(evaluation_id, Status.FAILED, f"{reason}See its log, then resume this evaluation.")
                raise ClaimLostError
        if rows:
            return rows
    return []


def outcome_write(row: EvaluatedQuestion, claim: uuid.UUID, outcome: Outcome) -> None:
    """Write what became of a question.

    Raises:
        ClaimLostError: the evaluation has ended, or the question is no longer ours; nothing was written.

    """
    now = timezone.now()
    with transaction.atomic():
        # One that waits takes what another worker had in its hands.
        running = Evaluation.objects.filter(pk=row.evaluation_id).exclude(status__in=OVER)
        if not running.update(done=F("done") + 1, seen_at=now):
            raise ClaimLostError
        if not EvaluatedQuestion.objects.filter(pk=row.pk, claim=claim, judged_at__isnull=True).update(
            outcome=outcome.to_json(),
            verdict=outcome.verdict,
            case=outcome.case or "",
            right=outcome.is_right,
            f1=outcome.f1,
            seconds=outcome.seconds,
            leaves=outcome.leaves,
            hops=outcome.hops,
            graph_gap=outcome.graph_gap,
            answerable=outcome.answerable,
            dog_class="" if outcome.dog is None else outcome.dog.name,
            cause="" if outcome.blame is None else outcome.blame.cause,
            blamed_stage="" if outcome.blame is None else outcome.blame.stage or "",
            relation=outcome.relation[:RELATION_LENGTH],
            domain=outcome.relation.partition(".")[0][:DOMAIN_LENGTH],
            confidence=outcome.confidence,
            judged_at=now,
            claim=None,
            lease_until=None,
        ):
            raise ClaimLostError
        if outcome.emitted:
            JudgedDecisions.objects.create(
                question_id=row.pk, events=[event.model_dump(mode="json") for event in outcome.emitted]
            )


def evaluation_go_on(evaluation: Evaluation) -> None:
    """What an evaluation waited for is back: others may join."""
    running = Evaluation.objects.filter(pk=evaluation.pk, status=Status.RUNNING)
    if running.exclude(reason="").update(reason=""):
        deliver_to_others(evaluation)
    evaluation.reason = ""
