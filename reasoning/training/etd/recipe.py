"""Recipes of explorers. Each is a TOML file; see `reasoning.training.recipe.weights_recipe`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from reasoning.strategies.etd.shape import ExplorerShape
from reasoning.strategies.etd.strategy import Etd
from reasoning.training.recipe.weights_recipe import SHARE, WeightsRecipe, WeightsRecipes, WeightsSettings


@dataclass(frozen=True, slots=True)
class ExplorerSettings(WeightsSettings):
    """How to train an explorer; a batch of 20 questions is the paper's."""

    text_dropout: float = field(default=0.0, metadata=SHARE)
    """The share of the components of every text vector that is left out by chance at each step (Srivastava et al.
    2014), so that no wording hangs on a few of them."""


ExplorerRecipe: TypeAlias = WeightsRecipe[ExplorerShape, ExplorerSettings]
EXPLORER_RECIPES = WeightsRecipes(Etd.name, Path(__file__).parent / "recipes", ExplorerShape(), ExplorerSettings())
