"""The manifest of an evaluation, of the command and of the site alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasoning.evaluation.files.manifest import environment, weights
from webapp import engine

if TYPE_CHECKING:
    from collections.abc import Mapping


def manifest_of(
    *,
    scorer: str,
    settings: Mapping[str, Any],
    dataset: Mapping[str, Any],
    graph: Mapping[str, Any],
    predictions: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What an evaluation begins with here and now, as JSON.

    ``scorer`` is the name by which the site knows it, or the other system's where there are ``predictions``.
    """
    return {
        "dataset": dict(dataset),
        "graph": dict(graph),
        "settings": dict(settings),
        "model": _model(scorer) if predictions is None else {"scorer": scorer, "weights": {}, "server": None},
        "predictions": None if predictions is None else dict(predictions),
        **environment(),
    }


def _model(scorer: str) -> dict[str, Any]:
    return {
        "scorer": scorer,
        "weights": weights(engine.scorer_folder(scorer)),
        "server": engine.served_model(scorer),
    }
