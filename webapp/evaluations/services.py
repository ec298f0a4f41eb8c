"""What changes evaluations.

As with runs, every move is one conditional UPDATE. A worker takes up a slice of an evaluation: it claims a few
questions at a time, asks them, writes each outcome once, and hands the evaluation back to the queue, so that several
workers share it, and each takes up several by turns.
"""

from __future__ import annotations

import logging
import time
import uuid
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, cast

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from kgstore.loading.errors import GraphLoadError
from kgstore.store import GraphStoreError
from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import BenchmarkQuestion, RefusedQuestion
from reasoning.datasets.registry import FORMATS, read_dataset
from reasoning.datasets.sample_questions import SAMPLE_FOLDER
from reasoning.errors import ReasoningError
from reasoning.evaluation.loop import judge_all
from reasoning.evaluation.selection import check_topics, select
from reasoning.evaluation.settings import EvaluationSettings
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.datasets.files import (
    DatasetFile,
    dataset_file,
    dataset_fingerprint,
    dataset_path,
    datasets_folder,
)
from webapp.discretion import without_folders
from webapp.disk import NoRoomError, is_no_room, room_check, write_refused
from webapp.errors import ProductError, graph_error, room_ensure
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.evaluations.selectors import evaluation_figures
from webapp.runs.services import LONGEST
from webapp.work.clock import long_ago
from webapp.work.delivery import deliver
from webapp.work.heartbeat import is_served
from webapp.work.lease import LEASE, ClaimLostError, lapsed_lease, lease_renewed
from webapp.work.states import OVER, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reasoning.evaluation.outcome import Outcome
    from reasoning.evaluation.selection import Part
    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.schemas import EvaluationIn

log = logging.getLogger(__name__)

TASK = "evaluations.work"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""
BATCH = 8
"""So many questions are claimed at a time."""
SLICE_SECONDS = 1.0
"""A worker turns to other evaluations after so long."""
OWN_GRAPHS_SLICE_SECONDS = 20.0
"""The same where each question has its own graph: finding these in the file takes its time at every turn."""
OWN_GRAPHS = "a graph of its own for each question"
"""The title of the graph of such evaluations."""
LANES = 8
"""So many workers may be at one evaluation at a time."""
ATTEMPTS = 5
"""So many workers may die over a question."""
FIGURES_GROWTH = 1.3
"""Partial figures are made anew once the outcomes have grown by this factor, so that all of it costs little."""
_ROWS_AT_ONCE = 500
ENTRIES_LOOKED_AT = 20
"""Of the first so many entries of a file one must be a question, else the file is taken to be of another format."""


_put_back: set[int] = set()
"""Questions that this process put back for somebody who waited."""


class _HandedBackError(Exception):
    """The worker is to stop, or somebody waits for it; the question in its hands goes back."""


def evaluation_create(*, wanted: EvaluationIn, viewer: Viewer) -> Evaluation:
    """Queue an evaluation.

    Raises:
        ProductError: the viewer may not, or what is wanted names no known dataset, format, graph or scorer, or the file
            is not of the format.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    room_ensure()
    file = dataset_file(wanted.dataset)
    format_ = wanted.format or file.likely_format
    _format_check(file, format_)
    scorer = engine.scorer_chosen(wanted.scorer)
    own = FORMATS[format_].own_graphs and not wanted.graph
    try:
        info = None if own else engine.graph(wanted.graph or engine.default_graph()).info()
    except GraphStoreError as error:
        raise graph_error(error, status=422) from error
    with transaction.atomic():
        evaluation = Evaluation.objects.create(
            note=" ".join(wanted.note.split()),
            dataset=file.name,
            format=format_,
            split=wanted.split,
            limit=wanted.limit,
            graph="" if info is None else info.name,
            graph_title=OWN_GRAPHS if info is None else info.title,
            graph_version="" if info is None else info.version,
            scorer=scorer,
            switches=wanted.settings.to_settings().to_json(),
            starter=viewer.user,
            seen_at=timezone.now(),
        )
        audited(viewer, Audited.EVALUATION_STARTED, evaluation.pk, after=f"{file.name}, {scorer}")
        transaction.on_commit(partial(_deliver, evaluation))
    return evaluation


def evaluation_cancel(*, evaluation: Evaluation, viewer: Viewer) -> Evaluation:
    """Stop an evaluation; what was judged stays. One that is over stays as it is.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    with transaction.atomic():
        if _close(evaluation.pk, Status.CANCELLED):
            audited(viewer, Audited.EVALUATION_CANCELLED, evaluation.pk, before=evaluation.status)
    evaluation.refresh_from_db()
    _sum_up(evaluation, only_if_due=False)
    return evaluation


def evaluation_resume(*, evaluation: Evaluation, viewer: Viewer) -> Evaluation:
    """Go on with an evaluation that was cancelled or failed; questions that were judged are not asked again.

    Raises:
        ProductError: the viewer may not, or the graph is not what it was.

    """
    may_ensure(viewer, Action.MANAGE_EVALUATIONS)
    changed = _graph_changed(evaluation)
    if changed:
        raise ProductError(409, "graph_changed", changed)
    with transaction.atomic():
        EvaluatedQuestion.objects.filter(evaluation=evaluation, judged_at__isnull=True).update(attempts=0)
        if Evaluation.objects.filter(pk=evaluation.pk, status__in=(Status.CANCELLED, Status.FAILED)).update(
            status=Status.QUEUED, reason="", finished_at=None, seen_at=timezone.now()
        ):
            audited(viewer, Audited.EVALUATION_RESUMED, evaluation.pk, before=evaluation.status)
            transaction.on_commit(partial(_deliver, evaluation))
    evaluation.refresh_from_db()
    return evaluation


def evaluation_work(
    *,
    evaluation_id: uuid.UUID,
    stopping: Callable[[], bool] = lambda: False,
    gives_way: Callable[[], bool] = lambda: False,
) -> None:
    """Take up a slice of an evaluation, then hand it back while anything is left; safe to call at any time by many.

    It is handed back at once where the worker is ``stopping`` or the slice ``gives_way`` to somebody who waits. A
    question is put back for that once only, so that every question is judged in the end.
    """
    claim = uuid.uuid4()
    with lease_renewed(evaluation_id, partial(_renew, evaluation_id, claim)):
        try:
            evaluation = _begun(evaluation_id)
            if evaluation is None:
                return
            _slice(evaluation, claim, stopping, gives_way)
        except ClaimLostError:
            log.info("evaluation %s was cancelled, or a question of it taken over", evaluation_id)
        except _HandedBackError:
            log.info("evaluation %s goes back to the queue in the midst of a question", evaluation_id)
        except (OperationalError, InterfaceError, NoRoomError) as error:
            _unwritten(evaluation_id, error)
            return
        except (DatasetError, GraphLoadError) as error:
            _unreadable(evaluation_id, error)
            return
        except (GraphStoreError, ReasoningError) as error:
            log.warning("evaluation %s: %s", evaluation_id, error.for_operators)
            if error.retryable:
                _wait(evaluation_id, error.for_people)
            else:
                _close(evaluation_id, Status.FAILED, error.for_people)
            return
        except Exception:
            log.exception("evaluation %s broke", evaluation_id)
            reason = "The engine broke over a question. See the worker's log, then resume this evaluation."
            _close(evaluation_id, Status.FAILED, reason)
            return
        finally:
            _let_go(evaluation_id, claim)
        evaluation = Evaluation.objects.get(pk=evaluation_id)
        _sum_up(evaluation, only_if_due=True)
        if evaluation.status == Status.RUNNING and _open(evaluation_id).exists():
            _deliver(evaluation)


def evaluations_recover() -> int:
    """Hand every evaluation that no worker is heard of at to the broker again; return how many."""
    now = timezone.now()
    forgotten = long_ago("seen_at", now, LEASE) & ~Q(status__in=OVER)
    moved = 0
    for evaluation in Evaluation.objects.filter(forgotten).only("pk", "scorer", "reason"):
        # Where nobody takes it from the broker, it would only pile up there.
        if not is_served(engine.queue_of(evaluation.scorer).background):
            continue
        status = Status.QUEUED if evaluation.reason else F("status")
        if Evaluation.objects.filter(forgotten, pk=evaluation.pk).update(seen_at=now, status=status):
            _deliver(evaluation, times=LANES if not evaluation.reason and _open(evaluation.pk).exists() else 1)
            moved += 1
    return moved


def _format_check(file: DatasetFile, format_: str) -> None:
    """See that a question of the format stands near the file's beginning; the rest is read by a worker."""
    if format_ not in FORMATS:
        raise ProductError(
            422, "unknown_format", f"There is no format “{format_}”. Choose one of: {', '.join(FORMATS)}."
        )
    try:
        first = list(islice(read_dataset(file.path, format_), ENTRIES_LOOKED_AT))
    except DatasetError as error:
        raise _wrong_format(file, format_, str(error).replace(str(file.path), "It says")) from error
    refused = [entry for entry in first if isinstance(entry, RefusedQuestion)]
    if refused and len(refused) == len(first):
        raise _wrong_format(file, format_, f"It says, {refused[0].place}: {refused[0].detail}.")
    if not first:
        raise ProductError(422, "empty_dataset", f"“{file.name}” holds no question. Choose another file.")


def _wrong_format(file: DatasetFile, format_: str, says: str) -> ProductError:
    why = without_folders(says, datasets_folder())
    message = f"“{file.name}” is not a file of {FORMATS[format_].title}. {why}"
    return ProductError(422, "wrong_format", message, dataset=file.name, format=format_)


def _begun(evaluation_id: uuid.UUID) -> Evaluation | None:
    """The evaluation, running, its questions read; None where it is over.

    Of one that waits, one worker finds out whether what it waits for is back; for others it is None.
    """
    evaluation = Evaluation.objects.get(pk=evaluation_id)
    if evaluation.is_over:
        return None
    if evaluation.total is None:
        _read(evaluation)
        evaluation.refresh_from_db()
    changed = _graph_changed(evaluation)
    if changed:
        _close(evaluation.pk, Status.FAILED, changed)
        return None
    begun = Evaluation.objects.filter(pk=evaluation_id, status=Status.QUEUED).update(
        status=Status.RUNNING, started_at=Coalesce(F("started_at"), timezone.now())
    )
    evaluation.refresh_from_db()
    if begun and not evaluation.reason:
        _deliver_to_others(evaluation)
    return None if evaluation.is_over or (evaluation.reason and not begun) else evaluation


def _read(evaluation: Evaluation) -> None:
    """Read the dataset into rows. Two workers may do so at once; one writes."""
    file = dataset_path(evaluation.dataset)
    settings = EvaluationSettings.from_json(evaluation.switches)
    selection = select(
        read_dataset(file, evaluation.format),
        settings,
        store=engine.graph(evaluation.graph) if evaluation.graph else None,
        part=cast("Part", evaluation.split),
        limit=evaluation.limit,
    )
    questions = selection.questions
    if not questions:
        why = "; ".join(f"{reason}: {count:,}" for reason, count in selection.left_out.items())
        told = f" Left out were: {why}." if why else " Choose another split."
        raise DatasetError(f"“{evaluation.dataset}” holds no such question that could be judged.{told}")
    if evaluation.graph and settings.topics == "gold":
        check_topics(questions, engine.graph(evaluation.graph))
    fingerprint = dataset_fingerprint(file)
    with transaction.atomic():
        unread = Evaluation.objects.filter(pk=evaluation.pk, total__isnull=True, status=Status.QUEUED)
        if not unread.update(
            total=len(questions),
            left_out=dict(selection.left_out),
            refused=[question.to_json() for question in selection.refused],
            fingerprint=fingerprint,
            compared_by=questions[0].compared_by,
        ):
            return
        EvaluatedQuestion.objects.bulk_create(
            (
                EvaluatedQuestion(
                    evaluation=evaluation,
                    position=position,
                    question_id=question.id,
                    text=question.text,
                    labels=dict(question.labels),
                    gold=question.to_json(),
                )
                for position, question in enumerate(questions, start=1)
            ),
            batch_size=_ROWS_AT_ONCE,
        )


def _graph_changed(evaluation: Evaluation) -> str:
    """What to say where the graph is not the one that the evaluation began with."""
    if not evaluation.graph:
        return ""
    if engine.graph(evaluation.graph).info().version == evaluation.graph_version:
        return ""
    return f"The graph “{evaluation.graph_title}” was loaded anew since this began. Start a new evaluation."


def _slice(
    evaluation: Evaluation, claim: uuid.UUID, stopping: Callable[[], bool], gives_way: Callable[[], bool]
) -> None:
    questions = _ClaimedQuestions(evaluation, claim, stopping, gives_way)
    settings = EvaluationSettings.from_json(evaluation.switches)
    with engine.scorer(evaluation.scorer) as scorer:
        graph = engine.graph(evaluation.graph) if evaluation.graph else dataset_path(evaluation.dataset)
        judge_all(questions, graph, scorer, settings, longest=LONGEST.total_seconds())


class _ClaimedQuestions:
    """The questions of an evaluation that this worker gets hold of, for one slice of its time."""

    def __init__(
        self, evaluation: Evaluation, claim: uuid.UUID, stopping: Callable[[], bool], gives_way: Callable[[], bool]
    ) -> None:
        self._evaluation = evaluation
        self._claim = claim
        self._stopping = stopping
        self._gives_way = gives_way
        self._row = EvaluatedQuestion()

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        """Claim questions until none waits, the slice is over, the worker is to stop, or somebody waits for it.

        Raises:
            ClaimLostError: the workers stopped again and again over a question; the evaluation is closed.
            NoRoomError: the disk is nearly full.

        """
        until = time.monotonic() + (SLICE_SECONDS if self._evaluation.graph else OWN_GRAPHS_SLICE_SECONDS)
        while rows := _claimed(self._evaluation.pk, self._claim):
            for self._row in rows:
                if self._stopping() or self._gives_way() or time.monotonic() > until:
                    return
                room_check()
                yield BenchmarkQuestion.from_json(self._row.gold)

    def watch(self) -> None:
        """See, in the midst of a question, that it is still to be asked.

        Raises:
            ClaimLostError: the evaluation is over, or the question no longer ours.
            _HandedBackError: the worker is to stop, or somebody waits for it.

        """
        if self._stopping():
            raise _HandedBackError
        if self._row.pk not in _put_back and self._gives_way():
            _put_back.add(self._row.pk)
            raise _HandedBackError
        held = EvaluatedQuestion.objects.filter(pk=self._row.pk, claim=self._claim)
        if not held.exclude(evaluation__status__in=OVER).exists():
            raise ClaimLostError

    def keep(self, outcome: Outcome) -> None:
        """Write what became of a question.

        Raises:
            ClaimLostError: the evaluation is over, or the question no longer ours; nothing was written.

        """
        _write(self._row, self._claim, outcome)
        _put_back.discard(self._row.pk)
        if self._evaluation.reason:
            _go_on(self._evaluation)


def _open(evaluation_id: uuid.UUID) -> QuerySet[EvaluatedQuestion]:
    """The questions that wait, held by nobody who lives."""
    free = Q(claim__isnull=True) | lapsed_lease(timezone.now())
    return EvaluatedQuestion.objects.filter(free, evaluation=evaluation_id, judged_at__isnull=True)


def _claimed(evaluation_id: uuid.UUID, claim: uuid.UUID) -> Sequence[EvaluatedQuestion]:
    """Hold some questions that wait; none are left where this returns none."""
    now = timezone.now()
    while first := list(_open(evaluation_id).order_by("position").values_list("pk", flat=True)[:BATCH]):
        _open(evaluation_id).filter(pk__in=first).update(
            claim=claim, lease_until=now + LEASE, attempts=F("attempts") + 1
        )
        rows = list(EvaluatedQuestion.objects.filter(evaluation=evaluation_id, claim=claim).order_by("position"))
        for row in rows:
            if row.attempts > ATTEMPTS:
                reason = f"The worker stopped {ATTEMPTS} times at question {row.position}, “{row.text[:200]}”. "
                _close(evaluation_id, Status.FAILED, f"{reason}See its log, then resume this evaluation.")
                raise ClaimLostError
        if rows:
            return rows
    return []


def _write(row: EvaluatedQuestion, claim: uuid.UUID, outcome: Outcome) -> None:
    """Write what became of a question.

    Raises:
        ClaimLostError: the evaluation is over, or the question no longer ours; nothing was written.

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
            right=is_right(outcome),
            f1=outcome.f1,
            seconds=outcome.seconds,
            leaves=outcome.leaves,
            hops=outcome.hops,
            graph_gap=outcome.graph_gap,
            answerable=outcome.answerable,
            judged_at=now,
            claim=None,
            lease_until=None,
        ):
            raise ClaimLostError


def is_right(outcome: Outcome) -> bool:
    """Whether the first answer is right; where the benchmark has none, whether it was said that there is none."""
    return outcome.hit_first if outcome.answerable else outcome.verdict == "not_in_graph"


def _renew(evaluation_id: uuid.UUID, claim: uuid.UUID) -> bool:
    """Say that somebody is at it; a worker may hold no question for a while, and is at it all the same."""
    now = timezone.now()
    Evaluation.objects.filter(pk=evaluation_id).update(seen_at=now)
    EvaluatedQuestion.objects.filter(evaluation=evaluation_id, claim=claim).update(lease_until=now + LEASE)
    return True


def _let_go(evaluation_id: uuid.UUID, claim: uuid.UUID) -> None:
    """Give back what was claimed and not asked; that counts as no attempt."""
    try:
        EvaluatedQuestion.objects.filter(evaluation=evaluation_id, claim=claim).update(
            claim=None, lease_until=None, attempts=F("attempts") - 1
        )
    except (OperationalError, InterfaceError) as error:
        log.warning("questions of evaluation %s stay claimed until their lease is over: %s", evaluation_id, error)


def _sum_up(evaluation: Evaluation, *, only_if_due: bool) -> None:
    """Make the figures of what is judged so far, and end the evaluation where that is all."""
    complete = evaluation.total is not None and evaluation.done == evaluation.total
    due = complete or evaluation.done >= max(evaluation.figures_of + 1, evaluation.figures_of * FIGURES_GROWTH)
    if evaluation.done == 0 or (only_if_due and not due):
        return
    figures, count = evaluation_figures(evaluation=evaluation)
    Evaluation.objects.filter(pk=evaluation.pk, figures_of__lte=count).update(figures=figures, figures_of=count)
    if complete:
        Evaluation.objects.filter(pk=evaluation.pk, done=F("total")).exclude(status__in=OVER).update(
            status=Status.SUCCEEDED, reason="", finished_at=timezone.now()
        )


def _wait(evaluation_id: uuid.UUID, reason: str) -> None:
    """Let an evaluation wait for its graph or model; `evaluations_recover` tries again soon."""
    log.warning("evaluation %s waits: %s", evaluation_id, reason)
    Evaluation.objects.filter(pk=evaluation_id).exclude(status__in=OVER).update(
        status=Status.QUEUED, reason=reason[:1_000], seen_at=timezone.now()
    )


def _unreadable(evaluation_id: uuid.UUID, error: DatasetError | GraphLoadError) -> None:
    """What becomes of an evaluation whose file, or a question's own graph, cannot be had."""
    if is_no_room(error):
        _unwritten(evaluation_id, error)
    else:
        log.warning("evaluation %s failed: %s", evaluation_id, error)
        reason = without_folders(str(error), datasets_folder(), SAMPLE_FOLDER)
        _close(evaluation_id, Status.FAILED, reason)


def _unwritten(evaluation_id: uuid.UUID, error: Exception) -> None:
    """Let an evaluation wait where the disk is full, or the database did not take something; no outcome is lost.

    Where not even that can be written, `evaluations_recover` finds it by its age.
    """
    try:
        if is_no_room(error):
            write_refused(error)
            _wait(evaluation_id, "The disk of this site is full. This goes on by itself once there is room.")
        else:
            log.error("evaluation %s met a fault of the database: %s", evaluation_id, error)
    except (OperationalError, InterfaceError) as again:
        log.warning("evaluation %s goes on once its lease is over: %s", evaluation_id, again)


def _go_on(evaluation: Evaluation) -> None:
    """What an evaluation waited for is back: others may join."""
    running = Evaluation.objects.filter(pk=evaluation.pk, status=Status.RUNNING)
    if running.exclude(reason="").update(reason=""):
        _deliver_to_others(evaluation)
    evaluation.reason = ""


def _close(evaluation_id: uuid.UUID, status: Status, reason: str = "") -> int:
    """End an evaluation unless it is over; return how many were ended: one or none."""
    return (
        Evaluation.objects.filter(pk=evaluation_id)
        .exclude(status__in=OVER)
        .update(status=status, reason=reason[:1_000], finished_at=timezone.now())
    )


def _deliver_to_others(evaluation: Evaluation) -> None:
    """Let as many others join as find something to do."""
    _deliver(evaluation, times=min(LANES, -(-_open(evaluation.pk).count() // BATCH)) - 1)


def _deliver(evaluation: Evaluation, *, times: int = 1) -> None:
    deliver(TASK, evaluation.pk, engine.queue_of(evaluation.scorer).background, times=times)
