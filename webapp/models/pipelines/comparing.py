"""What became better and what worse with a model, by the questions that neither model has learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.evaluations.comparisons.selectors import mean_with_interval, unseen_difference
from webapp.models.pipelines.schemas import ChangedQuestionOut, HeadlineOut, PipelineComparisonOut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webapp.evaluations.models import Evaluation

SHOWN = 50
"""Maximum of improved or worsened questions that are kept by name; the rest is counted."""


def pipeline_comparison(before: Evaluation, after: Evaluation) -> PipelineComparisonOut:
    """Two models by the same held-out questions, of which those are left out that one of them learned from."""
    found = unseen_difference(before, after)
    return PipelineComparisonOut(
        common=len(found.common),
        seen=found.seen,
        difference=found.difference,
        right=_headline([float(found.after[name].right) for name in found.common]),
        f1=_headline([found.after[name].f1 for name in found.common]),
        fixed=_changed(before, found.fixed),
        broken=_changed(after, found.broken),
    )


def _headline(values: Sequence[float]) -> HeadlineOut:
    mean, bounds = mean_with_interval(values)
    return HeadlineOut(value=mean, interval=bounds)


def _changed(evaluation: Evaluation, names: Sequence[str]) -> list[ChangedQuestionOut]:
    rows = evaluation.questions.filter(question_id__in=names[:SHOWN]).order_by("position")
    return [ChangedQuestionOut(position=row.position, text=row.text) for row in rows]
