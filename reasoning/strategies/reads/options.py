"""The options of ``beam``."""

from __future__ import annotations

from reasoning.core.strategy_options import NumberOption

WIDTH = NumberOption(
    "width",
    3,
    most=10,
    one="reading",
    label="Readings to keep",
    lead="keeping",
    help="how many readings of the question are kept side by side",
    told="{count} kept",
    is_always_told=True,
)

OPTIONS = (WIDTH,)
