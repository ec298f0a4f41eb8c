"""The steps of a pipeline: what each begins, which work it waits for, and which step follows.

Beginning is safe to do twice: what a step has begun is written down in the transaction that begins it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.db import transaction

from webapp import engine
from webapp.accounts.viewer import Viewer
from webapp.evaluations.schemas import EvaluationIn
from webapp.evaluations.services import evaluation_create
from webapp.models.pipelines.comparing import pipeline_comparison
from webapp.models.pipelines.judged import judged_by
from webapp.models.pipelines.models import Pipeline, PipelineStep
from webapp.models.pipelines.sources import snapshot_made
from webapp.models.pipelines.transitions import pipelines
from webapp.models.trainings.schemas import LessonIn, TrainingIn
from webapp.models.trainings.services import training_create
from webapp.platform.http.errors import ProductError
from webapp.platform.work.lease import ClaimLostError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from webapp.evaluations.models import Evaluation
    from webapp.evaluations.schemas import Split
    from webapp.models.pipelines.models import HeldOut
    from webapp.models.trainings.schemas import KindName

GROUP = "learning"
"""The group of the evaluations that pipelines start."""


def write(pipeline: Pipeline, **changes: Any) -> None:
    """Write down what came of a pipeline.

    Raises:
        ClaimLostError: it is held no more.

    """
    if not pipelines.held(pipeline).update(**changes):
        raise ClaimLostError
    for name, value in changes.items():
        setattr(pipeline, name, value)


def _snapshot(pipeline: Pipeline) -> None:
    """Make snapshots of what is to be learned, so that it is known for ever which labels went into the model."""
    if pipeline.lessons:
        return
    viewer = _viewer(pipeline)
    write(pipeline, lessons=[snapshot_made(source, viewer) for source in pipeline.sources])


def _train(pipeline: Pipeline) -> None:
    if pipeline.training is None:
        with transaction.atomic():
            training = training_create(
                wanted=TrainingIn(
                    name=pipeline.name,
                    lessons=[
                        LessonIn(**{key: value for key, value in lesson.items() if key != "title"})
                        for lesson in pipeline.lessons
                    ],
                    start=pipeline.start,
                    kind=cast("KindName", pipeline.kind),
                    base=pipeline.base,
                    **pipeline.how,
                ),
                viewer=_viewer(pipeline),
            )
            write(pipeline, training=training)


def _evaluate(pipeline: Pipeline) -> None:
    """Judge the model by the held-out questions, and the default model, where that was not judged by them yet."""
    viewer, held_out = _viewer(pipeline), pipeline.held_out
    if pipeline.evaluation is None:
        with transaction.atomic():
            write(pipeline, evaluation=_evaluation(held_out, pipeline.name, pipeline, viewer))
    if pipeline.baseline is None:
        against = engine.default_scorer()
        with transaction.atomic():
            known = judged_by(held_out, against)
            baseline = known or _evaluation(held_out, against, pipeline, viewer)
            write(pipeline, baseline=baseline, against=against)


def _evaluation(held_out: HeldOut, scorer: str, pipeline: Pipeline, viewer: Viewer) -> Evaluation:
    return evaluation_create(
        wanted=EvaluationIn(
            dataset=held_out.dataset.name,
            version=held_out.dataset.version,
            split=cast("Split", held_out.split),
            limit=held_out.limit,
            graph=held_out.graph,
            scorer=scorer,
            note=f"Judges {scorer} for {pipeline.name}" if scorer != pipeline.name else f"Judges {scorer}",
            group=GROUP,
        ),
        viewer=viewer,
    )


def _compare(pipeline: Pipeline) -> None:
    if pipeline.evaluation is None or pipeline.baseline is None:
        raise ProductError(409, "not_judged", "The model was not judged. Teach another one.")
    if pipeline.comparison is None:
        found = pipeline_comparison(pipeline.baseline, pipeline.evaluation)
        write(pipeline, comparison=found.model_dump(mode="json"))


def _viewer(pipeline: Pipeline) -> Viewer:
    """Who started the pipeline: what they may not do any more is not done in their name."""
    return Viewer(pipeline.starter, None, "")


STEPS: Mapping[PipelineStep, Callable[[Pipeline], None]] = {
    PipelineStep.SNAPSHOT: _snapshot,
    PipelineStep.TRAIN: _train,
    PipelineStep.EVALUATE: _evaluate,
    PipelineStep.COMPARE: _compare,
}
"""What begins a step. Each raises `ClaimLostError`, and `ProductError` where it cannot begin."""
AFTER: Mapping[PipelineStep, PipelineStep] = {
    PipelineStep.SNAPSHOT: PipelineStep.TRAIN,
    PipelineStep.TRAIN: PipelineStep.EVALUATE,
    PipelineStep.EVALUATE: PipelineStep.COMPARE,
    PipelineStep.COMPARE: PipelineStep.REVIEW,
}
"""Which step follows which."""
