"""By which evaluation a model was judged on held-out questions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from reasoning.core.errors import ScorerUnavailableError
from reasoning.evaluation.judging.settings import EvaluationSettings
from webapp import engine
from webapp.evaluations.models import Evaluation
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from webapp.models.pipelines.models import HeldOut

_LOOKED_AT = 20
_DEFAULT_SETTINGS = EvaluationSettings()


def judged_by(held_out: HeldOut, scorer: str) -> Evaluation | None:
    """The last whole evaluation of a model, as it is now, by held-out questions; None where there is none.

    It counts where it asked as usual, of the graph as it is now, and if the model was not trained again since.
    """
    found = Evaluation.objects.filter(
        snapshot=held_out.dataset,
        split=held_out.split,
        limit=held_out.limit,
        graph=held_out.graph,
        graph_version=engine.graph(held_out.graph).info().version,
        scorer=scorer,
        predictions__isnull=True,
        status=Status.SUCCEEDED,
    ).order_by("-created_at")
    trained = _trained_at(scorer)
    for evaluation in found[:_LOOKED_AT]:
        is_of_now = trained is None or evaluation.created_at >= trained
        if is_of_now and EvaluationSettings.from_earlier(evaluation.switches) == _DEFAULT_SETTINGS:
            return evaluation
    return None


def _trained_at(scorer: str) -> datetime | None:
    try:
        card = engine.scorer_card(scorer)
    except ScorerUnavailableError:
        return None
    said = None if card is None else card.get("trained", {}).get("finished_at")
    return None if said is None else datetime.fromisoformat(said)
