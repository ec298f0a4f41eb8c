"""The options of ``rog``."""

from __future__ import annotations

from typing import Literal, TypeAlias

from reasoning.core.strategy_options import WRITER, Choice, ChoiceOption
from reasoning.strategies.plans.options import PLANS

Planner: TypeAlias = Literal["scorer", "writer"]
Reasoner: TypeAlias = Literal["rank", "writer"]

PLANNER: ChoiceOption[Planner] = ChoiceOption(
    "planner",
    "scorer",
    label="Made by",
    lead="made by",
    help="who makes the plans",
    choices=(
        Choice("scorer", "the model that decides"),
        Choice(WRITER, "a model that writes", told="plans by a model that writes"),
    ),
)
REASONER: ChoiceOption[Reasoner] = ChoiceOption(
    "reasoner",
    "rank",
    label="Answered by",
    lead="answered by",
    help="who answers from what the plans lead to",
    choices=(
        Choice("rank", "their weights"),
        Choice(WRITER, "a model that writes", told="answered from paths by a model that writes"),
    ),
)

OPTIONS = (PLANS, PLANNER, REASONER)
