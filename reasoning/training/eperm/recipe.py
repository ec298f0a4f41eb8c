"""Recipes of judges. Each is a TOML file; see `reasoning.training.recipe.weights_recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from reasoning.strategies.eperm.shape import JudgeShape
from reasoning.strategies.eperm.strategy import Eperm
from reasoning.strategies.plans.options import PLANS
from reasoning.training.recipe.weights_recipe import WeightsRecipe, WeightsRecipes, WeightsSettings


@dataclass(frozen=True, slots=True)
class JudgeSettings(WeightsSettings):
    """How to train a judge."""

    plans: int = PLANS.usual
    """Number of plans of each question that are taught: as many as a run follows, as their weights sum to one."""
    precision: float = 0.5
    """t: a plan is labelled right where this share of what it leads to is an answer (ours; the paper gives none)."""
    paths: int = 40
    """N: number of evidence paths of a question that are drawn in each epoch."""
    dropout: float = 0.1
    """The share of text vectors that a batch does not see (ours)."""


JudgeRecipe: TypeAlias = WeightsRecipe[JudgeShape, JudgeSettings]
JUDGE_RECIPES = WeightsRecipes(Eperm.name, Path(__file__).parent / "recipes", JudgeShape(), JudgeSettings())
