"""The options of ``dog``."""

from __future__ import annotations

from typing import Literal, TypeAlias

from reasoning.core.strategy_options import WRITER, Choice, ChoiceOption, NumberOption
from reasoning.strategies.sufficiency_options import SUFFICIENCY

Debate: TypeAlias = Literal["rule", "writer"]
Debaters: TypeAlias = Literal["1", "2", "3", "one-for-all"]

ROUNDS = NumberOption(
    "rounds",
    3,
    most=8,
    one="round",
    label="Rounds",
    lead="in at most",
    help="how many relations are followed at most, without those to mediators",
)
DEBATE: ChoiceOption[Debate] = ChoiceOption(
    "debate",
    "rule",
    label="Debated by",
    lead="debated by",
    help="who debates, to shorten the question",
    choices=(
        Choice("rule", "rules"),
        Choice(WRITER, "a model that writes", told="debated by a model that writes"),
    ),
)
DEBATERS: ChoiceOption[Debaters] = ChoiceOption(
    "debaters",
    "3",
    label="Roles",
    lead="with",
    help="which roles speak",
    choices=(
        Choice("1", "the simplifier alone"),
        Choice("2", "simplifier and critic"),
        Choice("3", "three roles"),
        Choice("one-for-all", "one agent for all roles"),
    ),
)

OPTIONS = (ROUNDS, DEBATE, DEBATERS, SUFFICIENCY)
