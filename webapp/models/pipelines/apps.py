"""The app of learning."""

from __future__ import annotations

from django.apps import AppConfig


class LearningConfig(AppConfig):
    """From labels to a model that may become the default: chains, held-out questions, the default model."""

    name = "webapp.models.pipelines"
    # The tables of the database are named after it.
    label = "learning"
    verbose_name = "Learning"

    def ready(self) -> None:
        """Register the work and what it follows, what never trains, what hangs on evaluations, and the default."""
        from webapp import engine  # noqa: PLC0415 - models are there by now
        from webapp.evaluations.dependents import Hanging, hanging_register  # noqa: PLC0415 - models are there by now
        from webapp.evaluations.working.transitions import TASK as EVALUATION  # noqa: PLC0415 - models are there by now
        from webapp.models.pipelines.corrections import laid_over  # noqa: PLC0415 - models are there by now
        from webapp.models.pipelines.held_out import held_out_questions  # noqa: PLC0415 - models are there by now
        from webapp.models.pipelines.selectors import chains_on, default_chosen  # noqa: PLC0415 - models are there by now
        from webapp.models.pipelines.sources import (  # noqa: PLC0415 - models are there by now
            CONFIRMED,
            DATASETS,
            LABELS,
            SAMPLE_KIND,
            WEAK,
            source_kind_register,
        )
        from webapp.models.pipelines.transitions import TASK, evaluation_ended, training_ended  # noqa: PLC0415 - likewise
        from webapp.models.pipelines.worker import chains_recover  # noqa: PLC0415 - models are there by now
        from webapp.models.trainings.trainers.held_out import held_out_register  # noqa: PLC0415 - models are there by now
        from webapp.models.trainings.trainers.lessons import corrections_register  # noqa: PLC0415 - models are there by now
        from webapp.models.trainings.transitions import TASK as TRAINING  # noqa: PLC0415 - models are there by now
        from webapp.platform.work.kinds import Kind, kind_register  # noqa: PLC0415 - models are there by now

        kind_register(Kind(TASK, chains_recover, after={TRAINING: training_ended, EVALUATION: evaluation_ended}))
        held_out_register(held_out_questions)
        corrections_register(laid_over)
        hanging_register(Hanging("chain of learning", "chains of learning", chains_on, keeps=True))
        for kind in (LABELS, CONFIRMED, DATASETS, WEAK, SAMPLE_KIND):
            source_kind_register(kind)
        engine.default_choice_register(default_chosen)
