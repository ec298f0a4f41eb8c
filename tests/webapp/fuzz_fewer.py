"""Hooks of Schemathesis that bound how many coverage cases are sent to one route.

The coverage phase tries each value of each field. A route with many fields has over a thousand such cases, and
Schemathesis (4.32) has no maximum of its own. `make fuzz` runs without these hooks and sends all of them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import schemathesis
from schemathesis.generation.meta import TestPhase

if TYPE_CHECKING:
    from schemathesis import Case, HookContext

ALL_OF_FIRST = 30
"""Coverage cases per route that are all sent."""
ONE_IN = 5
"""Of the cases after those, one in this many is sent, so that every field keeps some."""

_generated: Counter[str] = Counter()


@schemathesis.hook
def filter_case(context: HookContext, case: Case) -> bool:
    """Whether a case is sent."""
    del context
    if case.meta is None or case.meta.phase.name is not TestPhase.COVERAGE:
        return True
    label = case.operation.label
    _generated[label] += 1
    return _generated[label] <= ALL_OF_FIRST or _generated[label] % ONE_IN == 0
