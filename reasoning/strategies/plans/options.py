"""The options of strategies that follow plans."""

from __future__ import annotations

from reasoning.core.strategy_options import NumberOption

PLANS = NumberOption(
    "plans",
    3,
    most=10,
    one="plan",
    label="Plans",
    lead="following",
    help="how many of the best plans are followed",
)
