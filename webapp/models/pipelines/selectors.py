"""Reads of pipelines, of what judges them, and of which model is the default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from django.db import OperationalError, ProgrammingError

from webapp import engine
from webapp.accounts.permissions import Action, may, may_ensure
from webapp.evaluations.models import Evaluation
from webapp.models.pipelines.held_out import held_out_pinned
from webapp.models.pipelines.models import DefaultChoice, HeldOut, Pipeline, PipelineStep
from webapp.models.pipelines.schemas import (
    DefaultChoiceOut,
    DefaultOut,
    HeldOutOut,
    LearningPageOut,
    PipelineDetailOut,
    PipelineOut,
    PipelineSourceOut,
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

PIPELINES_SHOWN = 50
CHOICES_SHOWN = 10


def default_chosen() -> str | None:
    """The model that was made the default on this site; None where it is the one that the settings name."""
    try:
        last = DefaultChoice.objects.values_list("scorer", flat=True).first()
    except (OperationalError, ProgrammingError):
        # The database is away, or not set up yet: then no default was chosen, and other checks report it.
        return None
    return last or None


def pipeline_get(*, chain_id: uuid.UUID, viewer: Viewer) -> Pipeline:
    """A pipeline.

    Raises:
        ProductError: the viewer may not, or there is none.

    """
    may_ensure(viewer, Action.MANAGE_PROJECTS)
    pipeline = _pipelines().filter(pk=chain_id).first()
    if pipeline is None:
        raise ProductError(404, "unknown_chain", "There is no such pipeline. Choose one of the list.")
    return pipeline


def learning_page(*, viewer: Viewer) -> LearningPageOut:
    """The last pipelines, the newest first, and what they are judged by.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_PROJECTS)
    pinned = held_out_pinned()
    shown = list(_pipelines()[:PIPELINES_SHOWN])
    return LearningPageOut(
        chains=[pipeline_out(pipeline) for pipeline in shown],
        total=Pipeline.objects.count(),
        held_out=None if pinned is None else held_out_out(pinned),
        default=default_out(),
        waits=no_worker_for(queue for pipeline in shown for queue in _queues(pipeline)),
        may_manage=may(viewer, Action.MANAGE_TRAININGS),
    )


def _queues(pipeline: Pipeline) -> list[str]:
    """The queues in which work of the pipeline's step waits."""
    return [work.queue for work in pipeline.works if work.status == Status.QUEUED]


def ways_to_teach(*, viewer: Viewer) -> WaysToTeachOut:
    """What a pipeline may be started with.

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


def pipeline_out(pipeline: Pipeline) -> PipelineOut:
    """A pipeline, and where it is."""
    lessons = pipeline.lessons or [{} for _ in pipeline.sources]
    return PipelineOut(
        id=pipeline.pk,
        name=pipeline.name,
        status=Status(pipeline.status),
        reason=pipeline.reason,
        link=cast("LinkName", pipeline.link),
        steps=[_step(pipeline, link) for link in PipelineStep],
        sources=[
            PipelineSourceOut(
                kind=source["kind"],
                title=source["title"],
                graph=source["graph"],
                share=source["share"],
                corrected=source["overlay"] is not None,
                least_precision=source.get("least_precision"),
                snapshot=lesson.get("title", ""),
                dataset=lesson.get("dataset"),
            )
            for source, lesson in zip(pipeline.sources, lessons, strict=True)
        ],
        start=pipeline.start,
        kind=cast("KindName", pipeline.kind),
        base=pipeline.base,
        held_out=held_out_out(pipeline.held_out),
        evaluation=pipeline.evaluation_id,
        baseline=pipeline.baseline_id,
        against=pipeline.against,
        comparison=pipeline.comparison,
        reviewed_at=pipeline.reviewed_at,
        reviewer=None if pipeline.reviewer is None else pipeline.reviewer.display_name,
        note=pipeline.note,
        starter=None if pipeline.starter is None else pipeline.starter.display_name,
        created_at=pipeline.created_at,
        finished_at=pipeline.finished_at,
    )


def pipeline_detail(pipeline: Pipeline, *, verdict: VerdictOut | None, viewer: Viewer) -> PipelineDetailOut:
    """A pipeline with all that is known of its parts."""
    return PipelineDetailOut(
        **dict(pipeline_out(pipeline)),
        training=None if pipeline.training is None else training_out(pipeline.training),
        verdict=verdict,
        may_manage=may(viewer, Action.MANAGE_TRAININGS),
    )


def _pipelines() -> QuerySet[Pipeline]:
    return Pipeline.objects.select_related(
        "held_out__dataset", "held_out__pinner", "training__starter", "evaluation", "baseline", "starter", "reviewer"
    ).prefetch_related("training__lessons__dataset")


_AT_LINK: dict[str, _State] = {
    Status.QUEUED: "waiting",
    Status.RUNNING: "working",
    Status.SUCCEEDED: "waiting",
    Status.FAILED: "failed",
    Status.CANCELLED: "stopped",
}
_ORDER = list(PipelineStep)


def _step(pipeline: Pipeline, link: PipelineStep) -> StepOut:
    at = PipelineStep(pipeline.link)
    done = total = 0
    says = ""
    if link is PipelineStep.REVIEW and pipeline.reviewed_at is not None:
        state: _State = "done"
    elif _ORDER.index(link) < _ORDER.index(at):
        state = "done"
    elif link is not at:
        state = "to come"
    else:
        state = _AT_LINK[pipeline.status]
        works = pipeline.works
        open_ = [work for work in works if not work.is_over]
        if state == "waiting" and any(work.status == Status.RUNNING for work in open_):
            state = "working"
        if open_:
            done = sum(work.done for work in works)
            total = sum(work.total or 0 for work in works)
            says = "" if isinstance(open_[0], Evaluation) else open_[0].stage
        if link is PipelineStep.REVIEW:
            says = "to be looked at"
    return StepOut(
        link=cast("LinkName", link.value), title=str(link.label), state=state, done=done, total=total, says=says
    )
