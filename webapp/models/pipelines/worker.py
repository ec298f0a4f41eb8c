"""Worker side of a pipeline: it goes from step to step, and waits where a step's own work takes its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from webapp.models.pipelines.models import Pipeline, PipelineStep
from webapp.models.pipelines.steps import AFTER, STEPS, write
from webapp.models.pipelines.transitions import pipelines
from webapp.platform.work.states import Status
from webapp.platform.work.worker import worker_of

if TYPE_CHECKING:
    from webapp.platform.work.turn import Turn


@worker_of(pipelines)
def pipeline_work(turn: Turn[Pipeline]) -> None:
    """Take a pipeline as far as it goes."""
    pipeline = turn.item
    while True:
        turn.check()
        link = PipelineStep(pipeline.link)
        STEPS[link](pipeline)
        works = pipeline.works
        if failed := next((work for work in works if work.is_over and work.status != Status.SUCCEEDED), None):
            pipelines.fail(
                pipeline, failed.reason or "The work of this step was stopped. Go on from here to take it up."
            )
            return
        if any(not work.is_over for work in works):
            pipelines.wait(pipeline)
            return
        following = AFTER[link]
        write(pipeline, link=following)
        if following is PipelineStep.REVIEW:
            pipelines.close(pipeline.pk, Status.SUCCEEDED, only=Q(claim=pipeline.claim))
            return
