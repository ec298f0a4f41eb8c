"""What a worker does for suggestions: it lets a model decide a project's questions, a slice of its time at a turn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q

from reasoning.labels.suggesting import suggest
from webapp import engine
from webapp.asking.runs.worker import LONGEST
from webapp.labelling.projects.labels.prelabels import Prelabel
from webapp.labelling.projects.labels.suggesting import source_of, suggestings
from webapp.labelling.projects.labels.uncertainty_order import doubts_rank
from webapp.labelling.projects.models import Suggesting, Task
from webapp.platform.disk import room_check
from webapp.platform.work.lease import ClaimLostError
from webapp.platform.work.states import Status
from webapp.platform.work.turn import HandedBackError, turn_at

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable

    from reasoning.labels.suggesting import Suggested

SLICE_SECONDS = 1.0
"""A worker turns to other work after so long; a question that was begun is decided first."""
DISK_FULL = "The disk of this site is full. What was decided is kept. Free space, then let it go on."
PUT_AWAY = "The project was put away."

_put_back: set[int] = set()
"""Tasks that this process put back for somebody who waited; once only, so that each is decided in the end."""


def suggesting_work(
    *,
    suggesting_id: uuid.UUID,
    stopping: Callable[[], bool] = lambda: False,
    gives_way: Callable[[], bool] = lambda: False,
) -> None:
    """Let a model decide some questions, then hand the rest back to the queue; safe to call at any time by many.

    Each decision is written as it is made, so a worker that is killed loses the question in its hands and no other.
    """
    item = suggestings.claim(suggesting_id)
    if item is None:
        return
    broke = "The engine broke. See the worker's log, then let it go on."
    with turn_at(suggestings, item, disk_full=DISK_FULL, broke=broke) as lost:
        _Slice(item, lost, stopping, gives_way).work()


class _Slice:
    """A worker's turn at a project."""

    def __init__(
        self,
        item: Suggesting,
        lost: Callable[[], bool],
        stopping: Callable[[], bool],
        gives_way: Callable[[], bool],
    ) -> None:
        self._item = item
        self._lost = lost
        self._stopping = stopping
        self._gives_way = gives_way
        self._source = source_of(item)
        self._task = Task()
        self._decided = item.found + item.unanswered

    def work(self) -> None:
        """Decide questions until none is left.

        Raises:
            ClaimLostError: it was stopped, or another worker is at it.
            GraphStoreError: the graph cannot be read.
            NoRoomError: the disk is nearly full.
            ReasoningError: the model cannot be asked.
            HandedBackError: the turn is over.

        """
        item, project = self._item, self._item.project
        mine = Q(claim=item.claim)
        if project.archived_at is not None:
            suggestings.close(item.pk, Status.CANCELLED, PUT_AWAY, only=mine)
            return
        store = engine.graph(project.graph)
        if store.info().version != project.graph_version:
            reason = f"The graph “{project.graph_title}” was loaded anew. Take the project to it, then let this go on."
            suggestings.fail(item, reason)
            return
        with engine.scorer(item.scorer) as scorer, engine.writer(item.strategy) as writer:
            until = time.monotonic() + SLICE_SECONDS
            while (task := self._next()) is not None:
                doubts_rank(project, decided=self._decided, last=False)
                if self._stopping() or self._gives_way():
                    raise HandedBackError
                room_check()
                self._task = task
                suggested = suggest(
                    task.question.text,
                    store,
                    scorer,
                    strategy=item.strategy,
                    width=item.width,
                    writer=writer,
                    today=engine.today(),
                    longest=LONGEST.total_seconds(),
                    watch=self._watch,
                )
                self._keep(suggested)
                if time.monotonic() > until:
                    raise HandedBackError
        doubts_rank(project, decided=self._decided, last=True)
        suggestings.close(item.pk, Status.SUCCEEDED, only=mine)

    def _next(self) -> Task | None:
        """The next task that nobody looked at yet."""
        open_ = Task.objects.filter(project=self._item.project_id, blind=False, suggestion__isnull=True)
        after = open_.filter(position__gt=self._item.position).order_by("position")
        return after.select_related("question").first()

    def _watch(self) -> None:
        """See, in the midst of a question, that it is still to be decided."""
        if self._lost() or not suggestings.held(self._item).exists():
            raise ClaimLostError
        if self._stopping():
            raise HandedBackError
        if self._task.pk not in _put_back and self._gives_way():
            _put_back.add(self._task.pk)
            raise HandedBackError

    def _keep(self, suggested: Suggested) -> None:
        """Write what a question came to; of a task that somebody looks at by now, only that the model is past it."""
        made = suggested.derivation
        kept = Prelabel(
            source=self._source, derivation=None if made is None else made.to_json(), reason=suggested.reason
        )
        counted = "unanswered" if made is None else "found"
        with transaction.atomic():
            rows = Task.objects.filter(pk=self._task.pk)
            rows.update(doubt=suggested.doubt)
            written = rows.filter(suggestion__isnull=True).update(suggestion=kept)
            # Whoever died over earlier questions does not count for later ones.
            past = suggestings.held(self._item).update(
                position=self._task.position, attempts=1, **{counted: F(counted) + written}
            )
            if not past:
                raise ClaimLostError
        self._item.position = self._task.position
        self._decided += 1
        _put_back.discard(self._task.pk)
