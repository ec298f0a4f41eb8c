"""The strategies whose own weights can be trained: a package of this package each, and an entry here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from reasoning.training.eperm.recipe import JUDGE_RECIPES
from reasoning.training.etd.recipe import EXPLORER_RECIPES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reasoning.datasets.identity import QuestionKey
    from reasoning.training.encoder.train import Progress
    from reasoning.training.recipe.weights_recipe import WeightsRecipes


class Build(Protocol):
    """Trains by a recipe, and writes weights and card into a folder; see `build_explorer` and `build_judge`."""

    def __call__(
        self,
        folder: Path,
        recipe: Any,
        *,
        data: Path | None = None,
        resume_from: Path | None = None,
        excluded: Callable[[QuestionKey], bool] = ...,
        checkpoint: Path | None = None,
        command: str = "",
        progress: Callable[[Progress], None] = ...,
        stop: Callable[[], bool] = ...,
    ) -> dict[str, Any]:
        """Returns the card."""


@dataclass(frozen=True, slots=True)
class OwnWeights:
    """How the weights of a strategy are trained."""

    recipes: WeightsRecipes[Any, Any]
    """Of the kind that is built."""
    tools: Callable[[], tuple[Build, Callable[[dict[str, Any]], str]]]
    """What builds, and what puts a card's figures in words, a line a source."""


def _explorers() -> tuple[Build, Callable[[dict[str, Any]], str]]:
    # torch takes seconds to import; only who trains needs it.
    from reasoning.training.etd.build import as_text, build_explorer  # noqa: PLC0415

    return build_explorer, as_text


def _judges() -> tuple[Build, Callable[[dict[str, Any]], str]]:
    from reasoning.training.eperm.build import as_text, build_judge  # noqa: PLC0415 - as in `_explorers`

    return build_judge, as_text


OWN_WEIGHTS = {
    each.recipes.strategy: each
    for each in (OwnWeights(EXPLORER_RECIPES, _explorers), OwnWeights(JUDGE_RECIPES, _judges))
}
"""By the strategy's name."""
