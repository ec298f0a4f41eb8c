"""The triples of a graph as columns of numbers, while it is arranged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

Ids: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

_LARGEST_KEY = 2**63


@dataclass(frozen=True, slots=True)
class Edges:
    """Distinct triples as three columns, in the order of (subject, predicate, object)."""

    subject: Ids
    predicate: Ids
    object: Ids

    def __len__(self) -> int:
        return len(self.subject)

    @classmethod
    def distinct(cls, subject: Ids, predicate: Ids, obj: Ids) -> Edges:
        """Sort triples and drop those that are there twice."""
        if not len(subject):
            return cls(subject, predicate, obj)
        objects, predicates = int(obj.max()) + 1, int(predicate.max()) + 1
        if (int(subject.max()) + 1) * predicates * objects < _LARGEST_KEY:
            # One number a triple sorts several times faster than three columns.
            keys = np.sort((subject * predicates + predicate) * objects + obj)
            pairs, obj = np.divmod(keys[np.append(True, keys[1:] != keys[:-1])], objects)
            return cls(*np.divmod(pairs, predicates), obj)
        order = np.lexsort((obj, predicate, subject))
        columns = np.stack((subject, predicate, obj))[:, order]
        fresh = np.ones(len(order), bool)
        fresh[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
        return cls(*columns[:, fresh])

    def where(self, mask: Flags) -> Edges:
        """Some of the triples."""
        return Edges(self.subject[mask], self.predicate[mask], self.object[mask])

    def counts(self, predicates: int) -> list[int]:
        """For each of the predicates how many triples it has."""
        counted: list[int] = np.bincount(self.predicate, minlength=predicates).tolist()
        return counted

    def degrees(self, terms: int) -> Ids:
        """For every term the number of triples it stands in."""
        loops = self.subject[self.subject == self.object]
        ends = np.concatenate((self.subject, self.object))
        return np.bincount(ends, minlength=terms) - np.bincount(loops, minlength=terms)

    def sources(self) -> Iterator[tuple[int, Ids]]:
        """Every predicate that has triples, with the distinct subjects of these in order."""
        if not len(self):
            return
        fresh = np.ones(len(self), bool)
        fresh[1:] = (self.subject[1:] != self.subject[:-1]) | (self.predicate[1:] != self.predicate[:-1])
        subject, predicate = self.subject[fresh], self.predicate[fresh]
        order = np.argsort(predicate, kind="stable")
        subject, predicate = subject[order], predicate[order]
        starts = np.flatnonzero(np.append(True, predicate[1:] != predicate[:-1]))
        yield from zip(predicate[starts].tolist(), np.split(subject, starts[1:]), strict=True)
