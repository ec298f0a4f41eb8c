"""Who says whether what a strategy found is enough; see `reasoning.strategies.sufficiency`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from reasoning.core.strategy_options import WRITER, Choice, ChoiceOption

Sufficiency: TypeAlias = Literal["scorer", "writer"]

SUFFICIENCY: ChoiceOption[Sufficiency] = ChoiceOption(
    "sufficiency",
    "scorer",
    label="Sufficiency judged by",
    lead="until enough for",
    help="who says whether what was found is enough",
    choices=(
        Choice("scorer", "the model that decides"),
        Choice(WRITER, "a model that writes", told="enough for a model that writes"),
    ),
)
