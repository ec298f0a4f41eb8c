"""How a store keeps the relations of an entity, so that asking for them costs what a leaf's cost, hub or not.

A predicate's number is its place in the order of names, and a relation's code is ``2 * predicate + (1 if it is followed
backwards)``: the order of codes is the order of relations. Every entity carries its packed (relation code, triples)
pairs, which are made when a graph is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kgstore.store import RelationCount
from kgstore.terms import Direction, Relation, TermKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from kgstore.terms import Entity

COUNT_TYPE = "<u4"
"""How the pairs are packed."""
PAIR_BYTES = 2 * np.dtype(COUNT_TYPE).itemsize


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate of a graph."""

    name: str
    is_offered: bool
    reverse: int | None
    """The number of the predicate that says the same from object to subject."""
    subject_kind: TermKind
    """What most of its triples have as their subject."""
    object_kind: TermKind
    label: str = ""
    """What the graph calls it; empty where its name is all there is."""


class Predicates:
    """The predicates of a graph, and what the packed pairs of its entities mean."""

    def __init__(self, predicates: Sequence[Predicate]) -> None:
        """Take the predicates in the order of their numbers."""
        self._predicates = predicates
        self._numbers = {predicate.name: number for number, predicate in enumerate(predicates)}
        self._relations: dict[int, Relation] = {}
        self._is_offered = np.array([*(p.is_offered for p in predicates for _ in Direction), False])
        self._said_forward = _said_forward(predicates)

    def code(self, relation: Relation) -> int | None:
        """The code of a relation; None where the graph has no such predicate."""
        number = self._numbers.get(relation.predicate)
        return None if number is None else 2 * number + relation.is_reverse

    def relation(self, code: int) -> Relation:
        """The relation of a code."""
        relation = self._relations.get(code)
        if relation is None:
            direction = Direction.REVERSE if code % 2 else Direction.FORWARD
            predicate = self._predicates[code // 2]
            relation = self._relations[code] = Relation(predicate.name, direction, predicate.label)
        return relation

    def labelled(self, relation: Relation) -> Relation:
        """See `GraphStore.labelled`."""
        code = self.code(relation)
        return relation if code is None else self.relation(code)

    def is_offered(self, code: int) -> bool:
        """Whether people and models are offered the relation."""
        return self._predicates[code // 2].is_offered

    def offered(self) -> list[Relation]:
        """The relations that people and models are offered, in both directions, in their order."""
        return [self.relation(code) for code in np.flatnonzero(self._is_offered).tolist()]

    def counts(self, packed: Iterable[bytes]) -> list[RelationCount]:
        """The relations of the entities whose packed pairs these are; see `GraphStore.relations`.

        Raises:
            ValueError: they are of no relation, so that the graph is damaged.

        """
        codes, counts = self._known(packed)
        having = np.bincount(codes, minlength=len(self._said_forward))
        triples = np.bincount(codes, weights=counts)
        offered = np.flatnonzero((having > 0) & self._is_offered & (having[self._said_forward] == 0))
        columns = (offered.tolist(), having[offered].tolist(), triples[offered].astype(int).tolist())
        return [
            RelationCount(self.relation(code), entities, count, self._leads_to(code))
            for code, entities, count in zip(*columns, strict=True)
        ]

    def counts_each(self, packed: Mapping[Entity, bytes]) -> dict[Entity, list[RelationCount]]:
        """The relations of each of the entities alone; see `GraphStore.relations_each`.

        Raises:
            ValueError: they are of no relation, so that the graph is damaged.

        """
        codes, counts = self._known(packed.values())
        owner = np.repeat(np.arange(len(packed)), [len(pairs) // PAIR_BYTES for pairs in packed.values()])
        codes_and_none = len(self._said_forward)
        said = np.isin(owner * codes_and_none + self._said_forward[codes], owner * codes_and_none + codes)
        offered = np.flatnonzero(self._is_offered[codes] & ~said)
        entities = list(packed)
        found: dict[Entity, list[RelationCount]] = {}
        columns = (owner[offered].tolist(), codes[offered].tolist(), counts[offered].tolist())
        for own, code, count in zip(*columns, strict=True):
            count_of = RelationCount(self.relation(code), 1, count, self._leads_to(code))
            found.setdefault(entities[own], []).append(count_of)
        return found

    def _known(self, packed: Iterable[bytes]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        codes, counts = unpack(b"".join(packed)).T
        known = 2 * len(self._predicates)
        if codes.max(initial=-1) >= known:
            raise ValueError(f"a relation has the code {codes.max()}, and there are {known}")
        return codes, counts

    def _leads_to(self, code: int) -> TermKind:
        predicate = self._predicates[code // 2]
        return predicate.subject_kind if code % 2 else predicate.object_kind


def _said_forward(predicates: Sequence[Predicate]) -> npt.NDArray[np.int64]:
    """For every relation code that of a relation which, if it is there, makes this one needless.

    Only readings from object to subject have one, where another relation says the same from subject to object. All
    others have the code after the last, which no entity has.
    """
    never = 2 * len(predicates)
    codes = [2 * p.reverse if back and p.reverse is not None else never for p in predicates for back in (False, True)]
    return np.array([*codes, never])


def unpack(packed: bytes) -> npt.NDArray[np.int64]:
    """The (relation code, triples) pairs of some entities, one a row."""
    return np.frombuffer(packed, COUNT_TYPE).reshape(-1, 2).astype(np.int64)


def count_of(packed: bytes, code: int) -> int:
    """How many triples an entity whose packed pairs these are has along the relation of a code."""
    pairs = unpack(packed)
    place = int(np.searchsorted(pairs[:, 0], code))
    return int(pairs[place, 1]) if place < len(pairs) and pairs[place, 0] == code else 0
