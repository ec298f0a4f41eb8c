"""Reads of chains, of what judges them, and of which model is the default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from django.db import OperationalError, ProgrammingError

from webapp import engine
from webapp.accounts.permissions import Action, may, may_ensure
from webapp.evaluations.models import Evaluation
from webapp.models.pipelines.held_out import held_out_pinned
from webapp.models.pipelines.models import Chain, DefaultChoice, HeldOut, Link
from webapp.models.pipelines.schemas import (
    ChainDetailOut,
    ChainOut,
    ChainSourceOut,
    DefaultChoiceOut,
    DefaultOut,
    HeldOutOut,
    LearningPageOut,
    StepOut,
    WaysToTeachOut,
)
from webapp.models.pipelines.sources import sources_offered
from webapp.models.trainings.selectors import base_list, no_worker_for, training_out
from webapp.models.trainings.trainers.lessons import starts
from webapp.platform.http.errors import ProductError
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    import uuid
    from typing import TypeAlias

    from django.db.models import QuerySet

    from webapp.accounts.viewer import Viewer
    from webapp.models.pipelines.schemas import LinkName, VerdictOut
    from webapp.models.trainings.schemas import KindName

    _State: TypeAlias = Literal["to come", "working", "waiting", "done", "stopped", "failed"]

CHAINS_SHOWN = 50
CHOICES_SHOWN = 10


def default_chosen() -> str | None:
    """The model that was made the default on this site; None where it is the one that the settings name."""
    try:
        last = DefaultChoice.objects.values_list("scorer", flat=True).first()
    except (OperationalError, ProgrammingError):
        # The database is away, or not set up yet: then no default was chosen, and other checks report it.
        return None
    return last or None


def chain_get(*, chain_id: uuid.UUID, viewer: Viewer) -> Chain:
    """A chain.

    Raises:
        ProductError: the viewer may not, or there is none.

    """
    may_ensure(viewer, Action.MANAGE_PROJECTS)
    chain = _chains().filter(pk=chain_id).first()
    if chain is None:
        raise ProductError(404, "unknown_chain", "There is no such chain. Choose one of the list.")
    return chain


def learning_page(*, viewer: Viewer) -> LearningPageOut:
    """The last chains, the newest first, and what they are judged by.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_PROJECTS)
    pinned = held_out_pinned()
    shown = list(_chains()[:CHAINS_SHOWN])
    return LearningPageOut(
        chains=[chain_out(chain) for chain in shown],
        total=Chain.objects.count(),
        held_out=None if pinned is None else held_out_out(pinned),
        default=default_out(),
        waits=no_worker_for(queue for chain in shown for queue in _queues(chain)),
        may_manage=may(viewer, Action.MANAGE_TRAININGS),
    )


def _queues(chain: Chain) -> list[str]:
    """The queues in which work of the chain's link waits."""
    return [work.queue for work in chain.works if work.status == Status.QUEUED]


def ways_to_teach(*, viewer: Viewer) -> WaysToTeachOut:
    """What a chain may be started with.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    graphs = engine.graph_library().names()
    return WaysToTeachOut(sources=sources_offered(viewer), starts=starts(), bases=base_list(), graphs=graphs)


def default_out() -> DefaultOut:
    """Which model is the default, and how it became so."""
    choices = list(DefaultChoice.objects.select_related("chooser")[:CHOICES_SHOWN])
    return DefaultOut(
        scorer=engine.default_scorer(),
        configured=engine.configured_scorer(),
        back=choices[0].before or engine.configured_scorer() if choices else None,
        choices=[
            DefaultChoiceOut(
                scorer=choice.scorer,
                before=choice.before,
                evaluation=choice.evaluation_id,
                chooser=None if choice.chooser is None else choice.chooser.display_name,
                chosen_at=choice.chosen_at,
            )
            for choice in choices
        ],
    )


def held_out_out(row: HeldOut) -> HeldOutOut:
    """Held-out questions."""
    return HeldOutOut(
        id=row.pk,
        dataset=row.dataset.name,
        version=row.dataset.version,
        dataset_id=row.dataset_id,
        split=row.split,
        limit=row.limit,
        graph=row.graph,
        questions=row.questions,
        pinned_at=row.pinned_at,
        pinner=None if row.pinner is None else row.pinner.display_name,
    )


def chain_out(chain: Chain) -> ChainOut:
    """A chain, and where it is."""
    lessons = chain.lessons or [{} for _ in chain.sources]
    return ChainOut(
        id=chain.pk,
        name=chain.name,
        status=Status(chain.status),
        reason=chain.reason,
        link=cast("LinkName", chain.link),
        steps=[_step(chain, link) for link in Link],
        sources=[
            ChainSourceOut(
                kind=source["kind"],
                title=source["title"],
                graph=source["graph"],
                share=source["share"],
                corrected=source["overlay"] is not None,
                least_precision=source.get("least_precision"),
                snapshot=lesson.get("title", ""),
                dataset=lesson.get("dataset"),
            )
            for source, lesson in zip(chain.sources, lessons, strict=True)
        ],
        start=chain.start,
        kind=cast("KindName", chain.kind),
        base=chain.base,
        held_out=held_out_out(chain.held_out),
        evaluation=chain.evaluation_id,
        baseline=chain.baseline_id,
        against=chain.against,
        comparison=chain.comparison,
        reviewed_at=chain.reviewed_at,
        reviewer=None if chain.reviewer is None else chain.reviewer.display_name,
        note=chain.note,
        starter=None if chain.starter is None else chain.starter.display_name,
        created_at=chain.created_at,
        finished_at=chain.finished_at,
    )


def chain_detail(chain: Chain, *, verdict: VerdictOut | None, viewer: Viewer) -> ChainDetailOut:
    """A chain with all that is known of its parts."""
    return ChainDetailOut(
        **dict(chain_out(chain)),
        training=None if chain.training is None else training_out(chain.training),
        verdict=verdict,
        may_manage=may(viewer, Action.MANAGE_TRAININGS),
    )


def _chains() -> QuerySet[Chain]:
    return Chain.objects.select_related(
        "held_out__dataset", "held_out__pinner", "training__starter", "evaluation", "baseline", "starter", "reviewer"
    ).prefetch_related("training__lessons__dataset")


_AT_LINK: dict[str, _State] = {
    Status.QUEUED: "waiting",
    Status.RUNNING: "working",
    Status.SUCCEEDED: "waiting",
    Status.FAILED: "failed",
    Status.CANCELLED: "stopped",
}
_ORDER = list(Link)


def _step(chain: Chain, link: Link) -> StepOut:
    at = Link(chain.link)
    done = total = 0
    says = ""
    if link is Link.REVIEW and chain.reviewed_at is not None:
        state: _State = "done"
    elif _ORDER.index(link) < _ORDER.index(at):
        state = "done"
    elif link is not at:
        state = "to come"
    else:
        state = _AT_LINK[chain.status]
        works = chain.works
        open_ = [work for work in works if not work.is_over]
        if state == "waiting" and any(work.status == Status.RUNNING for work in open_):
            state = "working"
        if open_:
            done = sum(work.done for work in works)
            total = sum(work.total or 0 for work in works)
            says = "" if isinstance(open_[0], Evaluation) else open_[0].stage
        if link is Link.REVIEW:
            says = "to be looked at"
    return StepOut(
        link=cast("LinkName", link.value), title=str(link.label), state=state, done=done, total=total, says=says
    )
