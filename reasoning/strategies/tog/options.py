"""The options of ``tog`` and ``tog-r``."""

from __future__ import annotations

from reasoning.core.strategy_options import NumberOption
from reasoning.strategies.sufficiency_options import SUFFICIENCY

WIDTH = NumberOption(
    "width",
    3,
    most=10,
    one="entity",
    more="entities",
    label="Width",
    lead="keeping",
    help="how many of the entities that relations lead to are kept at each hop",
    told="{count} a hop",
)
DEPTH = NumberOption(
    "depth",
    3,
    most=5,
    one="hop",
    label="Maximum hops",
    lead="for at most",
    help="maximum number of hops, not counting steps to mediators",
    told="at most {count}",
)

OPTIONS = (WIDTH, DEPTH, SUFFICIENCY)
