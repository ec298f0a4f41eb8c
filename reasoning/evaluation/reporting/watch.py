"""Watching an evaluation: the least that a figure of its report may be, and those that are below it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PARTS = ("all", "answerable", "in_graph", "reachable")
"""The bases of figures; see docs/how-to/evaluation.md. Without one, a figure is of all; *of perfect*: the reachable."""
WATCHED = (
    *("hit", "hits_at_1", "exact_match", "exact_match_of_logical_forms", "precision", "recall", "macro_f1", "paper_f1"),
    *("of_perfect",),
    *("graph_hits", "relation_recall"),
)
"""Figures that are the better the higher they are."""
_OF_SEARCH = ("graph_hits", "relation_recall")
"""Those that are of search, and have no base of their own choosing."""


class WatchError(ValueError):
    """What is to be watched is no figure of a report; the message lists those that are."""


@dataclass(frozen=True, slots=True)
class Least:
    """The least that a figure may be."""

    part: str
    """One of `PARTS`; empty for figures of search."""
    figure: str
    """One of `WATCHED`."""
    value: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``hits_at_1=0.8`` or ``in_graph.macro_f1=0.75``.

        Raises:
            WatchError: it is neither.

        """
        name, equals, value = text.partition("=")
        part, point, figure = name.strip().rpartition(".")
        known = figure in WATCHED and (part in PARTS if point else True) and not (point and figure in _OF_SEARCH)
        if not equals or not known:
            raise WatchError(
                f"“{text}” is none of METRIC=VALUE. Metrics are: {', '.join(WATCHED)}; before those that are not "
                f"{' or '.join(_OF_SEARCH)} may stand, with a point, {', '.join(PARTS)}."
            )
        try:
            least = float(value)
        except ValueError:
            least = math.nan
        if not 0 <= least <= 1:
            raise WatchError(f"“{text}”: the value is a share from 0 to 1, such as 0.8.")
        usual = "reachable" if figure == "of_perfect" else "all"
        return cls("" if figure in _OF_SEARCH else part or usual, figure, least)

    def __str__(self) -> str:
        return f"{self.part}.{self.figure}" if self.part else self.figure

    def of(self, report: Mapping[str, Any]) -> float | None:
        """The figure in a report; None where it has none, such as the mean over no question."""
        found: float | None = (report[self.part or "search"] or {}).get(self.figure)
        return found


def below(report: Mapping[str, Any], watched: Iterable[Least]) -> list[str]:
    """What is wrong with a report, in a sentence each; an unknown figure counts as below."""
    faults = []
    for least in watched:
        value = least.of(report)
        if value is None:
            faults.append(f"{least} is unknown: no question of this evaluation counts for it.")
        elif value < least.value:
            faults.append(f"{least} is {value:.4f}, below {least.value:g}.")
    return faults
