"""The cases of a source: filtered, counted by what they have in common, and put in order.

All cases of a source are held at once, and filters, their counts, the page, and what comes before and
after a case are worked out here, column by column, in some milliseconds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress
from operator import eq, not_
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from webapp.review.facets import FACETS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

Sort: TypeAlias = Literal["surest", "worst", "given"]
Filters: TypeAlias = "Mapping[str, Collection[str]]"

UNKNOWN = "unknown"
_SURE_FROM = ((0.95, "95 % and more"), (0.8, "80 to 95 %"), (0.5, "50 to 80 %"), (0.0, "below 50 %"))


class QueuedCase(NamedTuple):
    """What a case is found by: a tuple, as thousands of them are taken apart for every request."""

    key: str
    """What tells it from the others of its source: a position, or a run's id."""
    place: int
    """Where it stands in its source."""
    result: Literal["right", "partly right", "wrong"]
    error_class: str = ""
    dog_class: str = ""
    """The error class of DoG."""
    cause: str = ""
    stage: str = ""
    relation: str = ""
    domain: str = ""
    shape: str = ""
    """Leaves and hops, by `shape_words`."""
    sureness: str = UNKNOWN
    """Of the model, by `sureness_words`."""
    confidence: float | None = None
    f1: float = 0.0
    status: str = "open"
    """By `status_words`."""
    says: str = ""
    named: str = ""
    """What a reviewer says was to blame."""
    assignee: str = ""
    other: str = ""
    """What another evaluation made of it."""
    agreement: str = ""
    """How far evaluations agree on it: a `reasoning.evaluation.reporting.votes.Agreement`."""
    confused: str = ""
    """The relation of a gold derivation and the one that was chosen in its stead, as ``gold>chosen``."""


def shape_words(leaves: int | None, hops: int | None) -> str:
    """The shape of a gold structure; empty where it is not known."""
    if leaves is None or hops is None:
        return ""
    return f"{leaves} {'leaf' if leaves == 1 else 'leaves'}, {hops} {'hop' if hops == 1 else 'hops'}"


def sureness_words(confidence: float | None) -> str:
    """How sure a model was, in four parts."""
    if confidence is None:
        return UNKNOWN
    return next(name for bound, name in _SURE_FROM if confidence >= bound)


def status_words(says: str) -> str:
    """How far a case is, by what a reviewer says."""
    if not says:
        return "open"
    return "unsure" if says == "unsure" else "done"


_COLUMNS: Mapping[str, int] = {facet.name: QueuedCase._fields.index(facet.field or facet.name) for facet in FACETS}
"""The column of each facet."""

_SORTS: Mapping[Sort, Callable[[QueuedCase], tuple[float, ...]]] = {
    "surest": lambda case: (case.result == "right", -1 if case.confidence is None else -case.confidence, case.place),
    "worst": lambda case: (case.f1, case.place),
    "given": lambda case: (case.place,),
}


@dataclass(frozen=True, slots=True)
class Found:
    """The cases that meet filters, in order, and how many meet each other choice."""

    cases: Sequence[QueuedCase]
    counts: Mapping[str, Counter[str]]
    """By facet, of each value how many cases have it that meet all other filters."""


def find(cases: Sequence[QueuedCase], filters: Filters, sort: Sort) -> Found:
    """Filter cases, count them and put them in order.

    A value is counted for the cases that meet all other filters: one that misses a single filter would be there if that
    one were another.
    """
    columns = list(zip(*cases, strict=True)) if cases else [()] * len(QueuedCase._fields)
    misses = {
        name: [value not in wanted for value in columns[_COLUMNS[name]]]
        for name, wanted in ((name, frozenset(wanted)) for name, wanted in filters.items() if wanted)
    }
    missed = list(map(sum, zip(*misses.values(), strict=True))) if misses else [0] * len(cases)
    met = list(map(not_, missed))
    counts = {
        name: Counter(compress(columns[at], map(eq, missed, misses[name]) if name in misses else met))
        for name, at in _COLUMNS.items()
    }
    for counted in counts.values():
        del counted[""]
    found = list(compress(cases, met))
    found.sort(key=_SORTS[sort])
    return Found(found, counts)


def neighbours(cases: Sequence[QueuedCase], key: str) -> tuple[int | None, str | None, str | None]:
    """The place of a case among those found, from 1, and the keys of the one before it and the one after it."""
    index = next((at for at, case in enumerate(cases) if case.key == key), None)
    if index is None:
        return None, None, cases[0].key if cases else None
    before = cases[index - 1].key if index else None
    return index + 1, before, cases[index + 1].key if index + 1 < len(cases) else None


def next_open(cases: Sequence[QueuedCase], key: str) -> str | None:
    """The key of the next found case without a verdict; after the last one it starts again at the first.

    None where none is left, or only that case is.
    """
    index = next((at for at, case in enumerate(cases) if case.key == key), -1)
    after = (*cases[index + 1 :], *cases[: max(index, 0)])
    return next((case.key for case in after if not case.says), None)
