"""The links of a chain: what each begins, which work it waits for, and which link follows.

Beginning is safe to do twice: what a link has begun is written down in the transaction that begins it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.db import transaction

from webapp import engine
from webapp.accounts.viewer import Viewer
from webapp.evaluations.schemas import EvaluationIn
from webapp.evaluations.services import evaluation_create
from webapp.models.pipelines.comparing import chain_comparison
from webapp.models.pipelines.judged import judged_by
from webapp.models.pipelines.models import Chain, Link
from webapp.models.pipelines.sources import snapshot_made
from webapp.models.pipelines.transitions import chains
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
"""The group of the evaluations that chains start."""


def write(chain: Chain, **changes: Any) -> None:
    """Write down what came of a chain.

    Raises:
        ClaimLostError: it is held no more.

    """
    if not chains.held(chain).update(**changes):
        raise ClaimLostError
    for name, value in changes.items():
        setattr(chain, name, value)


def _snapshot(chain: Chain) -> None:
    """Make snapshots of what is to be learned, so that it is known for ever which labels went into the model."""
    if chain.lessons:
        return
    viewer = _viewer(chain)
    write(chain, lessons=[snapshot_made(source, viewer) for source in chain.sources])


def _train(chain: Chain) -> None:
    if chain.training is None:
        with transaction.atomic():
            training = training_create(
                wanted=TrainingIn(
                    name=chain.name,
                    lessons=[
                        LessonIn(**{key: value for key, value in lesson.items() if key != "title"})
                        for lesson in chain.lessons
                    ],
                    start=chain.start,
                    kind=cast("KindName", chain.kind),
                    base=chain.base,
                    **chain.how,
                ),
                viewer=_viewer(chain),
            )
            write(chain, training=training)


def _evaluate(chain: Chain) -> None:
    """Judge the model by the held-out questions, and the default model, where that was not judged by them yet."""
    viewer, held_out = _viewer(chain), chain.held_out
    if chain.evaluation is None:
        with transaction.atomic():
            write(chain, evaluation=_evaluation(held_out, chain.name, chain, viewer))
    if chain.baseline is None:
        against = engine.default_scorer()
        with transaction.atomic():
            known = judged_by(held_out, against)
            baseline = known or _evaluation(held_out, against, chain, viewer)
            write(chain, baseline=baseline, against=against)


def _evaluation(held_out: HeldOut, scorer: str, chain: Chain, viewer: Viewer) -> Evaluation:
    return evaluation_create(
        wanted=EvaluationIn(
            dataset=held_out.dataset.name,
            version=held_out.dataset.version,
            split=cast("Split", held_out.split),
            limit=held_out.limit,
            graph=held_out.graph,
            scorer=scorer,
            note=f"Judges {scorer} for {chain.name}" if scorer != chain.name else f"Judges {scorer}",
            group=GROUP,
        ),
        viewer=viewer,
    )


def _compare(chain: Chain) -> None:
    if chain.evaluation is None or chain.baseline is None:
        raise ProductError(409, "not_judged", "The model was not judged. Teach another one.")
    if chain.comparison is None:
        found = chain_comparison(chain.baseline, chain.evaluation)
        write(chain, comparison=found.model_dump(mode="json"))


def _viewer(chain: Chain) -> Viewer:
    """Who started the chain: what they may not do any more is not done in their name."""
    return Viewer(chain.starter, None, "")


LINKS: Mapping[Link, Callable[[Chain], None]] = {
    Link.SNAPSHOT: _snapshot,
    Link.TRAIN: _train,
    Link.EVALUATE: _evaluate,
    Link.COMPARE: _compare,
}
"""What begins a link. Each raises `ClaimLostError`, and `ProductError` where it cannot begin."""
AFTER: Mapping[Link, Link] = {
    Link.SNAPSHOT: Link.TRAIN,
    Link.TRAIN: Link.EVALUATE,
    Link.EVALUATE: Link.COMPARE,
    Link.COMPARE: Link.REVIEW,
}
"""Which link follows which."""
