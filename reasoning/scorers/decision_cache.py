"""A cache of recent decisions, so that asking for one again costs nothing."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from reasoning.scorers.base import Cost

if TYPE_CHECKING:
    from collections.abc import Hashable

    from reasoning.scorers.base import Distribution

DECISIONS_KEPT = 256


class RecentDecisions:
    """The last distributions by what was asked. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, Distribution] = OrderedDict()

    def get(self, asked: Hashable) -> Distribution | None:
        """What was decided, at no cost; None where it is not known any more."""
        with self._lock:
            known = self._known.get(asked)
            if known is None:
                return None
            self._known.move_to_end(asked)
        return replace(known, cost=Cost())

    def keep(self, asked: Hashable, decision: Distribution) -> None:
        """Remember a decision, and forget the one that was not asked for longest."""
        with self._lock:
            self._known[asked] = decision
            self._known.move_to_end(asked)
            if len(self._known) > DECISIONS_KEPT:
                self._known.popitem(last=False)
