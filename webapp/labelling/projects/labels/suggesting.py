"""A model that decides, ahead of those who label, what is suggested to them: it is begun, stopped and let go on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from reasoning.core.errors import ScorerUnavailableError
from reasoning.strategies.registry import STRATEGIES
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.health.readiness import no_worker_reason
from webapp.labelling.projects.labels.preview import project_graph
from webapp.labelling.projects.models import Suggesting
from webapp.labelling.projects.schemas import SuggesterIn, SuggestionsOut
from webapp.platform.http.errors import ProductError, room_ensure
from webapp.platform.work.heartbeat import is_served
from webapp.platform.work.queues import Queue
from webapp.platform.work.state_machine import StateMachine
from webapp.platform.work.states import OVER, Status

if TYPE_CHECKING:
    import uuid
    from collections.abc import Collection
    from datetime import datetime

    from webapp.accounts.viewer import Viewer
    from webapp.labelling.projects.models import Project, Task
    from webapp.labelling.projects.schemas import ProjectIn

TASK = "annotation.suggest"
"""The Celery task that works one off. Messages in the broker bear it, so it never changes."""


class _Moves(StateMachine[Suggesting]):
    """The moves of such work, which waits where its model is asked."""

    def _deliver_again(self, now: datetime, waiting: Q) -> int:
        # If no worker takes them from the broker, they would only pile up there.
        return super()._deliver_again(now, waiting & Q(queue__in=list(filter(is_served, Queue))))


suggestings = _Moves(
    Suggesting.objects,
    TASK,
    given_up="The worker stopped {times} times at one question. See its log, then let it go on.",
    disk_full="The disk of this site is full. What was decided is kept. Free space, then let it go on.",
    broke="The engine broke. See the worker's log, then let it go on.",
)


def _queue_of(scorer: str, strategy: str) -> str:
    return engine.queue_of(scorer, strategy).background.value


def source_of(item: Suggesting) -> str:
    """What a suggestion says of where it comes from: *encoder, READS*."""
    strategy = STRATEGIES.get(item.strategy)
    readings = f", width {item.width}" if strategy is not None and strategy.keeps_readings else ""
    return f"{item.scorer}, {item.strategy if strategy is None else strategy.title}{readings}"


def suggester_chosen(wanted: ProjectIn) -> SuggesterIn | None:
    """The model that suggests in a project, with what was left out; None where none does.

    Raises:
        ProductError: there is no such model or strategy, or it cannot be used here.

    """
    if wanted.suggests != "model":
        return None
    scorer = engine.scorer_chosen(wanted.suggester.scorer)
    try:
        engine.scorer_card(scorer)
    except ScorerUnavailableError as error:
        raise ProductError(422, "scorer_unavailable", error.for_people, scorer=scorer) from error
    strategy = engine.strategy_chosen(wanted.suggester.strategy)
    return SuggesterIn(scorer=scorer, strategy=strategy, width=wanted.suggester.width)


def suggesting_begin(project: Project, suggester: SuggesterIn) -> None:
    """Queue the work of a model for a new project."""
    item = Suggesting.objects.create(
        project=project,
        scorer=suggester.scorer or "",
        strategy=suggester.strategy or "",
        width=suggester.width,
        queue=_queue_of(suggester.scorer or "", suggester.strategy or ""),
        wanted=project.tasks.filter(blind=False).count(),
        enqueued_at=timezone.now(),
    )
    transaction.on_commit(partial(suggestings.deliver, item))


def suggesting_cancel(*, project: Project, viewer: Viewer) -> None:
    """Stop the model; what it decided stays. An ended one stays as it is.

    Raises:
        ProductError: the viewer may not, or no model suggests in the project.

    """
    item = _of(project, viewer)
    with transaction.atomic():
        if suggestings.close(item.pk, Status.CANCELLED):
            audited(viewer, Audited.PROJECT_CHANGED, project, after="suggestions stopped")


def suggesting_resume(*, project: Project, viewer: Viewer) -> None:
    """Let a model that was stopped, or failed, go on after the last question that it decided.

    Raises:
        ProductError: the viewer may not, no model suggests in the project, or its graph is not what it was.

    """
    item = _of(project, viewer)
    room_ensure()
    with project_graph(project):
        pass
    with transaction.atomic():
        item.queue = _queue_of(item.scorer, item.strategy)
        if suggestings.resume(item, queue=item.queue):
            audited(viewer, Audited.PROJECT_CHANGED, project, after="suggestions go on")


def uncount(task: Task) -> None:
    """Count a task no more that is gone, and was not blind."""
    counted = ""
    if task.suggestion is not None:
        counted = "found" if task.suggestion["derivation"] else "unanswered" if task.suggestion["source"] else "late"
    one_less = {name: F(name) - 1 for name in ("wanted", counted) if name}
    Suggesting.objects.filter(project=task.project_id).update(**one_less)


def _of(project: Project, viewer: Viewer) -> Suggesting:
    may_ensure(viewer, Action.MANAGE_PROJECTS)
    item = Suggesting.objects.filter(project=project).first()
    if item is None:
        raise ProductError(404, "no_suggestions", "No model suggests anything in this project.")
    return item


def suggestions_out(projects: Collection[uuid.UUID]) -> dict[uuid.UUID, SuggestionsOut]:
    """How far the models of some projects are, by project."""
    return {item.project_id: _out(item) for item in Suggesting.objects.filter(project__in=projects)}


def _out(item: Suggesting) -> SuggestionsOut:
    over = item.status in OVER
    return SuggestionsOut(
        source=source_of(item),
        status=Status(item.status),
        reason=item.reason if over else "",
        waits=None if over else no_worker_reason(item.waits_in) or item.reason or None,
        wanted=item.wanted,
        found=item.found,
        unanswered=item.unanswered,
        late=item.late,
    )
