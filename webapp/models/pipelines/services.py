"""What people change of pipelines: they start, stop and resume them, and say that they looked at what came of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone

from reasoning.scorers.registry import ScorerNameError, trained_name
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.evaluations.models import Evaluation
from webapp.evaluations.services import evaluation_cancel, evaluation_resume
from webapp.models.pipelines.held_out import held_out_pinned
from webapp.models.pipelines.models import Pipeline
from webapp.models.pipelines.sources import source_chosen
from webapp.models.pipelines.transitions import pipelines
from webapp.models.trainings.services import training_cancel, training_resume
from webapp.models.trainings.trainers.registry import TRAINERS, Chosen
from webapp.platform.http.errors import ProductError, room_ensure
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.models.pipelines.schemas import PipelineIn


def pipeline_create(*, wanted: PipelineIn, viewer: Viewer) -> Pipeline:
    """Start a pipeline: it goes from step to step by itself.

    Raises:
        ProductError: the viewer may not, nothing is pinned to judge by, or the name, a source or the start will not do.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    room_ensure()
    held_out = held_out_pinned()
    if held_out is None:
        message = "Pin held-out questions first: by them the model is judged, and it never learns from them."
        raise ProductError(409, "not_pinned", message)
    try:
        name = trained_name(wanted.name)
    except ScorerNameError as error:
        raise ProductError(422, error.code, str(error)) from error
    if name in engine.scorer_names():
        raise ProductError(422, "scorer_name", f"There is a scorer “{name}” already. Choose another name.")
    TRAINERS[wanted.kind].ensure(Chosen(wanted.base, wanted.start, wanted.settings))
    sources = [source_chosen(source, viewer) for source in wanted.sources]
    if len({(source["kind"], source["key"]) for source in sources}) < len(sources):
        raise ProductError(422, "source_twice", "A source is chosen twice. Give it a larger share instead.")
    try:
        with transaction.atomic():
            pipeline = Pipeline.objects.create(
                name=name,
                sources=sources,
                start=wanted.start,
                kind=wanted.kind,
                base=wanted.base,
                how=wanted.settings.model_dump(exclude_none=True),
                held_out=held_out,
                starter=viewer.user,
                enqueued_at=timezone.now(),
            )
            audited(viewer, Audited.PIPELINE_STARTED, name, after="; ".join(source["title"] for source in sources))
            transaction.on_commit(partial(pipelines.deliver, pipeline))
    except IntegrityError as error:
        message = f"A model “{name}” is being taught already. Choose another name."
        raise ProductError(422, "scorer_name", message) from error
    return pipeline


def pipeline_stop(*, pipeline: Pipeline, viewer: Viewer) -> Pipeline:
    """Stop a pipeline and the work of its step, whose whole epochs and judged questions stay. An ended one stays.

    Raises:
        ProductError: the viewer may not.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    with transaction.atomic():
        stopped = pipelines.close(pipeline.pk, Status.CANCELLED, awaits=False)
        if stopped:
            audited(viewer, Audited.PIPELINE_STOPPED, pipeline.name, before=pipeline.link)
    pipeline.refresh_from_db()
    for work in pipeline.works if stopped else ():
        if work.is_over:
            continue
        if isinstance(work, Evaluation):
            evaluation_cancel(evaluation=work, viewer=viewer)
        else:
            training_cancel(training=work, viewer=viewer)
    return pipeline


def pipeline_resume(*, pipeline: Pipeline, viewer: Viewer) -> Pipeline:
    """Go on with a pipeline that was stopped or failed, at its step; its work resumes where it stopped.

    Raises:
        ProductError: the viewer may not, or the work of the step, or another pipeline of the name, does not let it.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    room_ensure()
    if pipeline.status not in (Status.CANCELLED, Status.FAILED):
        return pipeline
    try:
        with transaction.atomic():
            for work in pipeline.works:
                if work.status not in (Status.CANCELLED, Status.FAILED):
                    continue
                if isinstance(work, Evaluation):
                    evaluation_resume(evaluation=work, viewer=viewer)
                else:
                    training_resume(training=work, viewer=viewer)
            if pipelines.resume(pipeline, awaits=False):
                audited(viewer, Audited.PIPELINE_RESUMED, pipeline.name, before=pipeline.status)
    except IntegrityError as error:
        message = f"A model “{pipeline.name}” is being taught by another pipeline. Stop that one first."
        raise ProductError(409, "scorer_name", message) from error
    pipeline.refresh_from_db()
    return pipeline


def pipeline_review(*, pipeline: Pipeline, note: str, viewer: Viewer) -> Pipeline:
    """Record that a user reviewed the result of a pipeline; a second review changes the note.

    Raises:
        ProductError: the viewer may not, or there is nothing to look at yet.

    """
    may_ensure(viewer, Action.REVIEW_CASES)
    if pipeline.status != Status.SUCCEEDED:
        raise ProductError(409, "not_compared", "There is nothing to review yet: the model is not compared.")
    with transaction.atomic():
        Pipeline.objects.filter(pk=pipeline.pk).update(
            reviewed_at=timezone.now(), reviewer=viewer.user, note=" ".join(note.split())
        )
        audited(viewer, Audited.PIPELINE_REVIEWED, pipeline.name, before=pipeline.note, after=note)
    pipeline.refresh_from_db()
    return pipeline
