"""What a worker does for suggestions: it lets a model decide a project's questions, a slice of its time at a turn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q

from reasoning.labels.suggesting import suggest
from webapp import engine
from webapp.asking.runs.transitions import MAX_LENGTH
from webapp.labelling.projects.labels.prelabels import Prelabel
from webapp.labelling.projects.labels.suggesting import source_of, suggestings
from webapp.labelling.projects.labels.uncertainty_order import doubts_rank
from webapp.labelling.projects.models import Suggesting, Task
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status
from webapp.platform.work.turn import HandedBackError
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from reasoning.labels.suggesting import Suggested
    from webapp.platform.work.turn import Turn

SLICE_SECONDS = 1.0
"""A worker turns to other work after so long; a question that was begun is decided first."""
PUT_AWAY = "The project was put away."


@worker_of(suggestings, asks_models=True)
def suggesting_work(turn: Turn[Suggesting]) -> None:
    """Let a model decide some questions, then hand the rest back to the queue.

    Each decision is written as it is made, so a worker that is killed loses the question in its hands and no other.
    """
    _Slice(turn).work()


class _Slice:
    """A worker's turn at a project."""

    def __init__(self, turn: Turn[Suggesting]) -> None:
        self._turn = turn
        self._item = turn.item
        self._source = source_of(self._item)
        self._task = Task()
        self._decided = self._item.found + self._item.unanswered

    def work(self) -> None:
        """Decide questions until none is left.

        Raises:
            ClaimLostError: it was stopped, or another worker is at it.
            GraphStoreError: the graph cannot be read.
            NoRoomError: the disk is nearly full.
            ReasoningError: the model cannot be asked.
            HandedBackError: the turn has ended.

        """
        item, project = self._item, self._item.project
        mine = Q(claim=item.claim)
        if project.archived_at is not None:
            suggestings.close(item.pk, Status.CANCELLED, PUT_AWAY, only=mine)
            return
        store = engine.graph(project.graph)
        if store.info().version != project.graph_version:
            reason = f"The graph “{project.graph_title}” was loaded again. Take the project to it, then let this go on."
            suggestings.fail(item, reason)
            return
        with engine.scorer(item.scorer) as scorer, engine.writer(item.strategy) as writer:
            until = time.monotonic() + SLICE_SECONDS
            while (task := self._next()) is not None:
                doubts_rank(project, decided=self._decided, last=False)
                self._turn.yield_point()
                self._task = task
                suggested = suggest(
                    task.question.text,
                    store,
                    scorer,
                    strategy=item.strategy,
                    width=item.width,
                    writer=writer,
                    today=engine.today(),
                    longest=MAX_LENGTH.total_seconds(),
                    watch=self._watch,
                )
                self._keep(suggested)
                if time.monotonic() > until:
                    raise HandedBackError
        doubts_rank(project, decided=self._decided, last=True)
        suggestings.close(item.pk, Status.SUCCEEDED, only=mine)

    def _next(self) -> Task | None:
        """The next task without a prelabel."""
        open_ = Task.objects.filter(project=self._item.project_id, blind=False, suggestion__isnull=True)
        after = open_.filter(position__gt=self._item.position).order_by("position")
        return after.select_related("question").first()

    def _watch(self) -> None:
        """See, in the midst of a question, that it is still to be decided."""
        if not suggestings.held(self._item).exists():
            raise ClaimLostError
        self._turn.check_within(self._task.pk)

    def _keep(self, suggested: Suggested) -> None:
        """Save the result for a question; if an annotator has the task open by now, only that the model is past it."""
        made = suggested.derivation
        kept = Prelabel(
            source=self._source, derivation=None if made is None else made.to_json(), reason=suggested.reason
        )
        counted = "unanswered" if made is None else "found"
        with transaction.atomic():
            rows = Task.objects.filter(pk=self._task.pk)
            rows.update(doubt=suggested.doubt)
            written = rows.filter(suggestion__isnull=True).update(suggestion=kept)
            # Workers that died during earlier questions do not count for later ones.
            past = suggestings.held(self._item).update(
                position=self._task.position, attempts=1, **{counted: F(counted) + written}
            )
            if not past:
                raise ClaimLostError
        self._item.position = self._task.position
        self._decided += 1
        self._turn.step_done(self._task.pk)
