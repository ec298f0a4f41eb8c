"""Which model decides by default, and whether another may take its place.

A model takes its place only where it was judged by the pinned questions and is no worse there than the default one,
beyond the interval of the paired bootstrap. Whatever was the default before can be put back at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from django.db import transaction

from reasoning.scorers.registry import KINDS
from webapp import engine
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.accounts.permissions import Action, may_ensure
from webapp.evaluations.comparisons.selectors import unseen_difference
from webapp.models.pipelines.held_out import held_out_pinned
from webapp.models.pipelines.judged import judged_by
from webapp.models.pipelines.models import DefaultChoice
from webapp.models.pipelines.schemas import VerdictOut
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from typing import TypeAlias
    from uuid import UUID

    from webapp.accounts.viewer import Viewer
    from webapp.evaluations.comparisons.schemas import DifferenceFromOut, MeanDifferenceOut
    from webapp.evaluations.models import Evaluation

    _Code: TypeAlias = Literal[
        "better", "no_worse", "worse", "is_default", "not_pinned", "not_judged", "default_not_judged", "seen"
    ]


def verdict(scorer: str) -> VerdictOut:
    """Whether a model may become the default, and why."""
    default = engine.default_scorer()
    if scorer == default:
        return _said(scorer, "is_default", "It is the default.")
    held_out = held_out_pinned()
    if held_out is None:
        return _said(scorer, "not_pinned", "No held-out questions are pinned by which it could be judged. Pin some.")
    judged = judged_by(held_out, scorer)
    if judged is None:
        return _said(scorer, "not_judged", "It was not judged by the pinned questions yet. Judge it first.")
    against = judged_by(held_out, default)
    if against is None:
        why = f"The default, “{default}”, was not judged by the pinned questions yet. Judge it first."
        return _said(scorer, "default_not_judged", why, judged)
    return _compared(scorer, default, judged, against)


def _compared(scorer: str, default: str, judged: Evaluation, against: Evaluation) -> VerdictOut:
    """Whether a model may become the default that was judged, and so was the default."""
    found = unseen_difference(against, judged)
    if found.difference is None:
        why = "Of each pinned question, it or the default has learned, so none tells which is better. Pin others."
        return _said(scorer, "seen", why, judged, against)
    questions = f"on {len(found.common):,} pinned questions"
    for name, mean in (("Right first answers", found.difference.right), ("F1", found.difference.f1)):
        if mean.interval.high < 0:
            why = f"It is worse than “{default}” {questions}. {name}: {_mean_words(mean)}."
            return _said(scorer, "worse", why, judged, against, found.difference)
    better = found.difference.right.interval.low > 0 or found.difference.f1.interval.low > 0
    compared = "better" if better else "no worse"
    why = f"It is {compared} than “{default}” {questions}. F1: {_mean_words(found.difference.f1)}."
    return _said(scorer, "better" if better else "no_worse", why, judged, against, found.difference)


def default_make(*, scorer: str, viewer: Viewer) -> DefaultChoice:
    """Make a model the default.

    Raises:
        ProductError: the viewer may not, there is no such model, or it may not become the default; it says why.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    engine.scorer_chosen(scorer)
    found = verdict(scorer)
    if not found.may:
        raise ProductError(409, found.code, f"“{scorer}” cannot become the default. {found.why}")
    return _choose(scorer, found.evaluation, viewer)


def default_put_back(*, viewer: Viewer) -> DefaultChoice:
    """Put back what was the default before the last change.

    Raises:
        ProductError: the viewer may not, the default was never changed, or what it was is gone.

    """
    may_ensure(viewer, Action.MANAGE_TRAININGS)
    last = DefaultChoice.objects.first()
    if last is None:
        raise ProductError(409, "never_changed", "The default is the one in the settings; it was not changed.")
    if last.before and last.before not in engine.scorer_names():
        message = f"“{last.before}” was the default before, and is not on this site any more. Choose another model."
        raise ProductError(409, "scorer_gone", message)
    return _choose(last.before, None, viewer)


def _choose(scorer: str, evaluation: UUID | None, viewer: Viewer) -> DefaultChoice:
    with transaction.atomic():
        last = DefaultChoice.objects.select_for_update().first()
        before = "" if last is None else last.scorer
        choice = DefaultChoice.objects.create(
            scorer=scorer, before=before, evaluation_id=evaluation, chooser=viewer.user
        )
        named = scorer or engine.configured_scorer()
        audited(viewer, Audited.DEFAULT_CHANGED, named, before=before or engine.configured_scorer(), after=named)
    return choice


def _said(
    scorer: str,
    code: _Code,
    why: str,
    judged: Evaluation | None = None,
    against: Evaluation | None = None,
    difference: DifferenceFromOut | None = None,
) -> VerdictOut:
    return VerdictOut(
        scorer=scorer,
        title=KINDS[scorer].title if scorer in KINDS else scorer,
        may=code in ("better", "no_worse"),
        why=why,
        code=code,
        evaluation=None if judged is None else judged.pk,
        against=None if against is None else against.pk,
        difference=difference,
    )


def _mean_words(mean: MeanDifferenceOut) -> str:
    """*0.712 after 0.934, a difference of -0.222 (-0.301 to -0.143)*."""
    bounds = f"{mean.interval.low:+.3f} to {mean.interval.high:+.3f}"
    return f"{mean.after:.3f} after {mean.before:.3f}, a difference of {mean.difference:+.3f} ({bounds})"
