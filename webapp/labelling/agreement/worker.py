"""What a worker does for agreement: it compares the labels of a project, some tasks at a time, and sums them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from webapp.labelling.agreement.comparing import AGREEMENT, FOUND, compare_labels, found_of, graph_of
from webapp.labelling.agreement.models import AgreementWork, ComparedTask
from webapp.labelling.agreement.services import agreements
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from webapp.labelling.agreement.comparing import TaskCompared
    from webapp.platform.work.turn import Turn

BATCH = 100
"""Number of tasks that are compared and written at a time; a worker that is killed loses no more."""


@worker_of(agreements)
def agreement_work(turn: Turn[AgreementWork]) -> None:
    """Compare the labels of a project, going on where another worker stopped; then sum up."""
    item = turn.item
    project = item.project
    store, fault = graph_of(project)
    while batch := list(compare_labels(project, store, after=item.position, most=BATCH)):
        turn.check()
        _keep(item, batch)
    rows = item.tasks.filter(turn=item.turn).order_by("position")
    questions = [AGREEMENT.validate_python(stored) for stored in rows.values_list("told", flat=True).iterator()]
    found = FOUND.dump_python(found_of(questions, project, fault), mode="json")
    with transaction.atomic():
        ended = agreements.close(
            item.pk,
            Status.SUCCEEDED,
            only=Q(claim=item.claim),
            found=found,
            found_stamp=item.stamp,
            found_turn=item.turn,
            found_at=timezone.now(),
        )
        if ended:
            item.tasks.exclude(turn=item.turn).delete()


def _keep(item: AgreementWork, batch: list[TaskCompared]) -> None:
    last = batch[-1].position
    with transaction.atomic():
        # Workers that died during earlier tasks do not count for later ones.
        if not agreements.held(item).update(position=last, done=F("done") + len(batch), attempts=1):
            raise ClaimLostError
        ComparedTask.objects.bulk_create([_row(item, each) for each in batch])
    item.position = last


def _row(item: AgreementWork, each: TaskCompared) -> ComparedTask:
    rank, rank_derivation, rank_distance = each.agreement.rank
    return ComparedTask(
        work=item,
        turn=item.turn,
        task_id=each.task,
        position=each.position,
        told=AGREEMENT.dump_python(each.agreement, mode="json"),
        pairs=len(each.agreement.pairs),
        agreed=each.agreement.agreed,
        rank=rank,
        rank_derivation=rank_derivation,
        rank_distance=rank_distance,
    )
