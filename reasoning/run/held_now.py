"""*Who is the president of …* asks for the one who is it now, wherever the graph says since when and until when.

Discern's own. The scorer may also choose that condition for other questions about the present; see
`reasoning.question.tense`. The option takes the probability of None.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reasoning.core.derivation import Operator
from reasoning.core.options import ConstraintOption, NoneOption, OptionPool, Stage
from reasoning.facts.validity import that_held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Date, Term
    from reasoning.core.options import DecisionState
    from reasoning.scorers.base import Distribution

_WHO_IS = re.compile(r"\s*who(?:\s+is|['\u2019]s)\b", re.IGNORECASE)


def decide_held_now(
    state: DecisionState,
    pool: OptionPool,
    members: Sequence[frozenset[Term]],
    found: Distribution,
    store: GraphStore,
    today: Date | None,
) -> Distribution:
    """P(option) where no further condition is best, but the one that something holds today is offered, and it does.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if state.stage is not Stage.PRUNE or today is None or not _WHO_IS.match(state.question):
        return found
    if not isinstance(pool.options[found.best], NoneOption):
        return found
    now = [
        place
        for place, option in enumerate(pool.options)
        if isinstance(option, ConstraintOption)
        and (option.constraint.operator, option.constraint.target) == (Operator.HOLDS, today)
        and that_held(store, members[option.constraint.position], today)
    ]
    return found.led_by(now)
