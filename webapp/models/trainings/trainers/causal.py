"""Trainings of language models: a low-rank change to one that is there, or a small new one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reasoning.training.causal.errors import FineTuningError
from reasoning.training.causal.settings import NEW, NEW_TUNING, FineTuning
from webapp.models.trainings.trainers.bases import base_fault, bases
from webapp.models.trainings.trainers.lessons import settings_chosen, taught_by
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from reasoning.training.encoder.train import Progress
    from webapp.models.trainings.trainers.registry import Chosen, Job


def ensure(chosen: Chosen) -> None:
    """See that what was chosen will do.

    Raises:
        ProductError: the base is none of this site or cannot be used, or something of an encoder is chosen.

    """
    if chosen.base not in bases():
        message = (
            f"“{chosen.base}” is no language model of this site. Choose one of: {', '.join(bases())}. The "
            "administrator may name others in DISCERN_BASE_MODELS."
        )
        raise ProductError(422, "unknown_base", message)
    if chosen.start:
        message = "A language model starts from its base. Leave out the model to start from."
        raise ProductError(422, "start_of_language_model", message)
    if chosen.settings.epoch_samples is not None:
        message = "A language model reads all decisions in each epoch. Leave the decisions an epoch out."
        raise ProductError(422, "epoch_samples_of_language_model", message)
    if fault := base_fault(chosen.base):
        raise ProductError(422, "base_unusable", fault)


def build(job: Job) -> None:
    """Fine-tune a language model; a training that was broken off goes on from its last checkpoint.

    Raises:
        ReasoningError: it cannot be trained, or was stopped.

    """
    base = job.training.base
    if base not in bases():
        raise FineTuningError(f"“{base}” is not offered on this site any more. Choose another base.")
    if fault := base_fault(base):
        raise FineTuningError(fault)
    # torch takes seconds to import; only a worker that trains needs it.
    from reasoning.training.causal.build import finetune, from_recipe  # noqa: PLC0415
    from reasoning.training.encoder.train import TrainingStoppedError  # noqa: PLC0415

    def report_progress(progress: Progress) -> None:
        job.progress(progress)
        # Also while it reads and tests, where nothing else checks.
        if job.stop():
            raise TrainingStoppedError("The training was stopped. Resume it to go on from its last checkpoint.")

    taught = taught_by(job.training, job.held_out)
    lessons = from_recipe(taught.recipe, job.data, report_progress, given=taught.given, excluded=job.held_out.has)
    usual = NEW_TUNING if base == NEW else FineTuning()
    finetune(
        job.folder,
        bases()[base],
        lessons,
        replace(usual, **settings_chosen(job.training)),
        name=job.training.name,
        command=job.command,
        progress=report_progress,
        stop=job.stop,
    )
