"""What people change of questions and runs: they ask, and stop a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from kgstore.terms import Entity
from reasoning.core.switches import EngineSwitches
from reasoning.run.continuation import Replace, TakeReading
from reasoning.strategies.registry import DEFAULT
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may
from webapp.asking.runs.changes import change_of
from webapp.asking.runs.models import MAX_WHAT_IF_LENGTH, Question, ReasoningRun, SideBySide
from webapp.asking.runs.selectors import run_is_own
from webapp.asking.runs.transitions import runs
from webapp.asking.runs.variants import asked_run, graph_unchanged
from webapp.platform.environment import Rate
from webapp.platform.http.errors import ProductError, room_ensure
from webapp.platform.http.rate_limit import allowance_take
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgstore.store import GraphInfo
    from webapp.accounts.viewer import Viewer
    from webapp.asking.runs.changes import ChangeIn


def run_queue(
    *,
    text: str,
    viewer: Viewer,
    info: GraphInfo,
    topic: str,
    scorer: str,
    strategy: str,
    switches: Mapping[str, object] | None = None,
    decided: Sequence[object] = (),
    variant: Variant | None = None,
) -> ReasoningRun:
    """Queue a run for a question whose parts are known to be right.

    ``decided`` are the events of a judged question as JSON, whose decisions it shows again; ``variant`` says which run
    it goes on from.
    """
    with transaction.atomic():
        return _run_create(
            question=_question_create(text, viewer),
            info=info,
            topic=topic,
            way=Way(scorer, strategy, switches or {}),
            decided=list(decided),
            **({} if variant is None else variant.fields()),
        )


@dataclass(frozen=True, slots=True)
class Way:
    """A way to answer a question, whose parts are known to be right."""

    scorer: str
    strategy: str
    switches: Mapping[str, object]


def runs_queue_side_by_side(
    *, text: str, viewer: Viewer, info: GraphInfo, topic: str, ways: Sequence[Way]
) -> SideBySide:
    """Queue a run for each of several ways to answer a question whose parts are known to be right."""
    with transaction.atomic():
        question = _question_create(text, viewer)
        together = SideBySide.objects.create(question=question)
        for way in ways:
            _run_create(question=question, info=info, topic=topic, way=way, side_by_side=together)
    return together


def _question_create(text: str, viewer: Viewer) -> Question:
    return Question.objects.create(text=text, asker=viewer.user, visitor=None if viewer.user else viewer.visitor)


def _run_create(*, question: Question, info: GraphInfo, topic: str, way: Way, **more: Any) -> ReasoningRun:
    """A queued run, which is handed to the broker once the transaction is through."""
    run = ReasoningRun.objects.create(
        question=question,
        graph=info.name,
        graph_title=info.title,
        graph_version=info.version,
        topic=topic,
        scorer=way.scorer,
        strategy=way.strategy,
        switches=dict(way.switches),
        queue=engine.queue_of(way.scorer, way.strategy, EngineSwitches.from_json(way.switches)).value,
        enqueued_at=timezone.now(),
        **more,
    )
    transaction.on_commit(partial(runs.deliver, run))
    return run


def run_change(*, run: ReasoningRun, wanted: ChangeIn, viewer: Viewer, scorer: str | None = None) -> ReasoningRun:
    """Queue a run that goes on from another one with one change; what came before the change asks no model.

    Anyone who may read a run may do so, and the new run is theirs. ``scorer`` decides what is not kept; the run's own
    does where it is left out.

    Raises:
        ProductError: the run is still at work, its graph was reloaded, the change does not fit it, no such scorer or
            strategy is there, or it comes too soon.

    """
    if not run.is_over:
        message = "This run is still running. Change it once it has ended, or stop it first."
        raise ProductError(409, "not_over", message)
    change = change_of(wanted)
    scorer = engine.scorer_chosen(scorer or run.scorer)
    # The decisions of a reading are those of READS, and no others are made.
    strategy = DEFAULT if isinstance(change, TakeReading) else engine.strategy_chosen(run.strategy)
    room_ensure()
    ask_allowance_take(viewer=viewer)
    with graph_unchanged(run):
        asked = asked_run(run)
        if fault := asked.fault(change):
            raise ProductError(422, "unsuitable_change", fault)
        words = asked.words(change)
        info = engine.graph(run.graph).info()
    chosen = change.choice if isinstance(change, Replace) and isinstance(change.choice, Entity) else None
    return run_queue(
        text=run.question.text,
        viewer=viewer,
        info=info,
        topic=run.topic if chosen is None else chosen.mid,
        scorer=scorer,
        strategy=strategy,
        switches=run.switches,
        variant=Variant(run, wanted.model_dump(mode="json"), words),
    )


@dataclass(frozen=True, slots=True)
class Variant:
    """Which run another one goes on from, and with which change."""

    parent: ReasoningRun
    change: Mapping[str, object]
    """A `ChangeIn` as JSON."""
    what_if: str

    def fields(self) -> dict[str, Any]:
        """The fields of the run."""
        words = self.what_if
        if len(words) > MAX_WHAT_IF_LENGTH:
            words = f"{words[: MAX_WHAT_IF_LENGTH - 1]}…"
        original = self.parent.original_id or self.parent.pk
        return {"parent": self.parent, "original_id": original, "change": dict(self.change), "what_if": words}


def ask_allowance_take(*, viewer: Viewer, times: int = 1) -> None:
    """Count one more question of this person, or a question that is answered by several methods at once.

    Raises:
        ProductError: it was one too many.

    """
    environment = settings.ENVIRONMENT
    known = viewer.user is not None
    allowance_take(
        what="ask",
        who=f"user:{viewer.user.pk}" if viewer.user is not None else f"address:{viewer.address}",
        rate=Rate(environment.user_rate if known else environment.visitor_rate),
        message="Limit: {count} questions in {period}. Wait {wait} s"
        + ("." if known else ", or sign in for more.")
        + (" Each method counts as a question." if times > 1 else ""),
        times=times,
    )


def run_cancel(*, run: ReasoningRun, viewer: Viewer) -> ReasoningRun:
    """Stop a run at once, whether it waits or is being worked on; its worker notices that it lost the claim.

    An ended run stays as it is.

    Raises:
        ProductError: another user asked, and the viewer is not an administrator.

    """
    if not run_may_cancel(run=run, viewer=viewer):
        raise ProductError(403, "not_your_run", "Only who asked, or an administrator, may stop this run.")
    with transaction.atomic():
        if runs.close(run.pk, Status.CANCELLED) and not run_is_own(run=run, viewer=viewer):
            audited(viewer, Audited.RUN_CANCELLED, run.pk, before=run.status)
    run.refresh_from_db()
    return run


def runs_cancel(*, together: SideBySide, viewer: Viewer) -> None:
    """Stop all runs that were asked side by side; those that are over stay as they are.

    Raises:
        ProductError: another user asked, and the viewer is not an administrator.

    """
    for run in together.runs.select_related("question"):
        run_cancel(run=run, viewer=viewer)


def run_may_cancel(*, run: ReasoningRun, viewer: Viewer) -> bool:
    """Whether the viewer may stop it: who asked may, and administrators."""
    return may(viewer, Action.CANCEL_ANY_RUN) or run_is_own(run=run, viewer=viewer)
