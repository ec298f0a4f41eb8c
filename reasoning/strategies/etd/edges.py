"""The edges around entities, read from a graph once and kept as arrays.

Edges of one head and one relation form a group: the attention of EtD does not see the tail, so it is the same for all
of them. Groups of a head come in the order of `GraphStore.relations`, edges of a group in that of the store's facts.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgstore.terms import Entity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Relation, Term

Numbers: TypeAlias = NDArray[np.int64]

READ_AT_ONCE = 5_000
"""Maximum of edges that are read in one query, and for each group. No explorer may keep more for a head."""
_MAX_EDGES = 5_000_000
"""Of a graph, in memory: 8 bytes each, and what its terms take."""
_GRAPHS_KEPT = 2


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of some heads; every array has one row a group."""

    head: Numbers
    """Which of the heads, from 0."""
    relation: Numbers
    total: Numbers
    """How many edges the graph holds."""
    first: Numbers
    """Where its edges begin in `Edges.tails`."""
    held: Numbers
    """How many of them are held: ``total``, or `READ_AT_ONCE`."""


class Edges:
    """What was read of one graph so far. Threads may share it."""

    def __init__(self) -> None:
        self.terms: list[Term] = []
        """By number."""
        self.relations: list[Relation] = []
        """By number."""
        self._terms: dict[Term, int] = {}
        self._relations: dict[Relation, int] = {}
        self._first = np.full(1, -1, np.int64)
        """By term: its first group; -1 where it was not read yet."""
        self._count = np.zeros(1, np.int64)
        self._group = np.zeros((0, 4), np.int64)
        """relation, total, first, held"""
        self.tails: Numbers = np.zeros(0, np.int64)
        self._lock = threading.RLock()

    def number(self, term: Term) -> int:
        """The number of a term; a new one gets the next."""
        with self._lock:
            found = self._terms.setdefault(term, len(self.terms))
            if found == len(self.terms):
                self.terms.append(term)
            return found

    def groups(self, store: GraphStore, heads: Numbers) -> tuple[Groups, Numbers]:
        """The groups of heads given by their numbers, and all tails; those that are new are read from the store.

        Raises:
            GraphStoreError: the graph cannot be read.

        """
        with self._lock:
            self._grow()
            unknown = [int(head) for head in dict.fromkeys(heads.tolist()) if self._first[head] < 0]
            if unknown:
                self._read(store, unknown)
            counts = self._count[heads]
            rows = ranges(self._first[heads], counts)
            relation, total, first, held = self._group[rows].T
            return Groups(np.repeat(np.arange(len(heads)), counts), relation, total, first, held), self.tails

    def _grow(self) -> None:
        missing = len(self.terms) - len(self._first)
        if missing > 0:
            missing += len(self.terms)
            self._first = np.concatenate([self._first, np.full(missing, -1)])
            self._count = np.concatenate([self._count, np.zeros(missing, np.int64)])

    def _read(self, store: GraphStore, heads: Sequence[int]) -> None:
        number = {term: head for head in heads if isinstance(term := self.terms[head], Entity)}
        offered = store.relations_each(number)
        having: dict[Relation, list[tuple[Entity, int]]] = {}
        for entity, counts in offered.items():
            for count in counts:
                having.setdefault(count.relation, []).append((entity, count.triples))
        found: dict[tuple[int, Relation], list[int]] = {}
        for relation, counted in having.items():
            for entities in _batches(counted):
                for triple in store.expand(entities, relation, READ_AT_ONCE).triples:
                    head, tail = self.number(triple.subject), self.number(triple.object)
                    if relation.is_reverse:
                        head, tail = tail, head
                    found.setdefault((head, relation), []).append(tail)
        of_head = {number[entity]: counts for entity, counts in offered.items()}
        rows: list[tuple[int, int, int, int]] = []
        tails: list[int] = []
        at, held_before = len(self._group), len(self.tails)
        for head in heads:
            counts = of_head.get(head, ())
            self._first[head], self._count[head] = at + len(rows), len(counts)
            for count in counts:
                ends = found.get((head, count.relation), [])
                rows.append((self._relation(count.relation), count.triples, held_before + len(tails), len(ends)))
                tails += ends
        self._group = np.concatenate([self._group, np.array(rows, np.int64).reshape(-1, 4)])
        self.tails = np.concatenate([self.tails, np.array(tails, np.int64)])
        self._grow()

    def _relation(self, relation: Relation) -> int:
        found = self._relations.setdefault(relation, len(self.relations))
        if found == len(self.relations):
            self.relations.append(relation)
        return found


class KeptEdges:
    """The edges of the graphs that were explored last, each version of a graph by itself. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Edges] = OrderedDict()

    def of(self, store: GraphStore) -> Edges:
        """Those of a graph; too many are forgotten, and read again when they are needed."""
        info = store.info()
        key = info.name, info.version
        with self._lock:
            edges = self._kept.get(key)
            if edges is None or len(edges.tails) > _MAX_EDGES:
                edges = self._kept[key] = Edges()
            self._kept.move_to_end(key)
            while len(self._kept) > _GRAPHS_KEPT:
                self._kept.popitem(last=False)
            return edges


def _batches(counted: Sequence[tuple[Entity, int]]) -> Iterator[list[Entity]]:
    """The entities, by how many edges each has, in parts that can be read at once; one that has more is a part."""
    part: list[Entity] = []
    room = READ_AT_ONCE
    for entity, edges in counted:
        if part and edges > room:
            yield part
            part, room = [], READ_AT_ONCE
        part.append(entity)
        room -= edges
    if part:
        yield part


def ranges(first: Numbers, counts: Numbers) -> Numbers:
    """``first[0], first[0] + 1, … first[0] + counts[0] - 1, first[1], …`` in one array."""
    before = np.cumsum(counts) - counts
    return np.repeat(first - before, counts) + np.arange(int(counts.sum()))
