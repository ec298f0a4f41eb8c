"""Trainings of the embedded encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.models.trainings.trainers.lessons import starts, taught_by
from webapp.platform.http.errors import ProductError
from webapp.platform.work.queues import Queue

if TYPE_CHECKING:
    from webapp.models.trainings.trainers.registry import Chosen, Job


def ensure(chosen: Chosen) -> None:
    """See that what was chosen will do.

    Raises:
        ProductError: there is no such model to go on from, or a base is named.

    """
    if chosen.base:
        message = "An encoder has no base. Leave it out, or choose a language model."
        raise ProductError(422, "base_of_encoder", message)
    if chosen.start and chosen.start not in starts():
        message = f"“{chosen.start}” is no model to go on from. Choose one of: {', '.join(starts())}."
        raise ProductError(422, "unknown_start", message)


def queue(_base: str) -> Queue:
    """Where a training waits."""
    return Queue.CPU_BACKGROUND


def build(job: Job) -> None:
    """Train an encoder; one that was broken off resumes from its last whole epoch.

    Raises:
        ReasoningError: it cannot be trained, or was stopped.

    """
    # torch takes seconds to import; only a worker that trains needs it.
    from reasoning.training.encoder.build import build_scorer  # noqa: PLC0415

    taught = taught_by(job.training, job.held_out)
    build_scorer(
        job.folder,
        taught.recipe,
        data=job.data,
        given=taught.given,
        excluded=job.held_out.has,
        resume_from=taught.resume_from,
        name=job.training.name,
        command=job.command,
        progress=job.progress,
        stop=job.stop,
    )
