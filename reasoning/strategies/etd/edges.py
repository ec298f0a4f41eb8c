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
"""At most so many edges are read in one query, and of a group at all. No explorer may keep more of a head."""
_MOST_EDGES = 5_000_000
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
        having: dict[Relation, list[Entity]] = {}
        of_head: dict[int, list[Relation]] = {}
        for head in heads:
            term = self.terms[head]
            # Asked one by one: of several together, a relation may be left out because another has its reverse.
            of_head[head] = [one.relation for one in store.relations([term])] if isinstance(term, Entity) else []
            for relation in of_head[head]:
                having.setdefault(relation, []).append(Entity(str(term)))
        found: dict[tuple[int, Relation], tuple[int, list[int]]] = {}
        for relation, entities in having.items():
            for total, held in self._expanded(store, entities, relation):
                found |= {(head, relation): (total or len(tails), tails) for head, tails in held.items()}
        rows: list[tuple[int, int, int, int]] = []
        tails: list[int] = []
        at, held_before = len(self._group), len(self.tails)
        for head, relations in of_head.items():
            self._first[head], self._count[head] = at + len(rows), len(relations)
            for relation in relations:
                total, ends = found.get((head, relation), (0, []))
                rows.append((self._relation(relation), total, held_before + len(tails), len(ends)))
                tails += ends
        self._group = np.concatenate([self._group, np.array(rows, np.int64).reshape(-1, 4)])
        self.tails = np.concatenate([self.tails, np.array(tails, np.int64)])
        self._grow()

    def _relation(self, relation: Relation) -> int:
        found = self._relations.setdefault(relation, len(self.relations))
        if found == len(self.relations):
            self.relations.append(relation)
        return found

    def _expanded(
        self, store: GraphStore, entities: list[Entity], relation: Relation
    ) -> Iterator[tuple[int, dict[int, list[int]]]]:
        """The tails of every head, and how many a single head has where they were cut (else 0)."""
        expansion = store.expand(entities, relation, READ_AT_ONCE)
        cut = expansion.total > len(expansion.triples)
        if cut and len(entities) > 1:
            middle = len(entities) // 2
            yield from self._expanded(store, entities[:middle], relation)
            yield from self._expanded(store, entities[middle:], relation)
            return
        held: dict[int, list[int]] = {}
        for triple in expansion.triples:
            head, tail = (triple.object, triple.subject) if relation.is_reverse else (triple.subject, triple.object)
            held.setdefault(self.number(head), []).append(self.number(tail))
        yield expansion.total if cut else 0, held


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
            if edges is None or len(edges.tails) > _MOST_EDGES:
                edges = self._kept[key] = Edges()
            self._kept.move_to_end(key)
            while len(self._kept) > _GRAPHS_KEPT:
                self._kept.popitem(last=False)
            return edges


def ranges(first: Numbers, counts: Numbers) -> Numbers:
    """``first[0], first[0] + 1, … first[0] + counts[0] - 1, first[1], …`` in one array."""
    before = np.cumsum(counts) - counts
    return np.repeat(first - before, counts) + np.arange(int(counts.sum()))
