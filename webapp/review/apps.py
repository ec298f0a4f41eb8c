"""The app of reviews."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Why answers are not right: what is proposed of each case, and what reviewers say."""

    name = "webapp.review"
    verbose_name = "Reviews"

    def ready(self) -> None:
        """Say which runs reviews rest on, and what of evaluations."""
        from webapp.asking.runs.rests import rests_register  # noqa: PLC0415 - models are there by now
        from webapp.evaluations.dependents import Hanging, hanging_register  # noqa: PLC0415 - models are there by now
        from webapp.review.selectors import cases_reviewed, runs_reviewed  # noqa: PLC0415 - models are there by now

        rests_register(runs_reviewed)
        hanging_register(Hanging("reviewed case", "reviewed cases", cases_reviewed, keeps=True))
