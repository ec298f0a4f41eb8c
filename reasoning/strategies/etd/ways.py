"""The ways of relations by which an exploration reached its candidates, and the evidence for each.

The way of an entity is read off backwards: of all kept edges that lead to it the one with the largest attention, then
the same for its head, down to the topic; identities are left out (arXiv 2406.01145, section 3.2). Entities of one way
are one semantic node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kgstore.terms import Entity, Triple
from reasoning.facts.answers import answer_order
from reasoning.strategies.etd.explorer import IDENTITY, best_edges
from reasoning.strategies.growth import DIGITS, KeptFacts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kgstore.terms import Relation, Term
    from reasoning.strategies.etd.edges import Edges, Numbers
    from reasoning.strategies.etd.explorer import Exploration

Way: TypeAlias = "tuple[Relation, ...]"


@dataclass(frozen=True, slots=True)
class WayGroup:
    """The edges along one relation from all entities of one way, in one layer."""

    way: Way
    relation: Relation
    weight: float
    """The largest attention of its edges."""
    heads: int
    edges: int
    kept: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """A kept edge on the way to a candidate."""

    source: Term
    relation: Relation
    target: Term
    weight: float
    """Its attention."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that the exploration came to."""

    term: Term
    probability: float
    way: Way
    evidence: tuple[Evidence, ...]
    """The facts of its way, the topic's first."""


class Ways:
    """What an exploration of one question found, by ways of relations."""

    def __init__(self, exploration: Exploration, edges: Edges, topic: Entity) -> None:
        self._layers = exploration.layers
        self._edges = edges
        self._probabilities = exploration.probabilities()
        self._topic = topic
        self.depths = [round(each, DIGITS) for each in exploration.depths()[0].tolist()]
        """The probability, by the explorer, that 1, 2, … layers are enough."""
        self._known: list[Way] = [()]
        numbers: dict[Way, int] = {(): 0}
        self._way: list[Numbers] = [np.zeros(1, np.int64)]
        self._terms: list[Numbers] = [np.array([edges.number(topic)])]
        self._best: list[Numbers] = []
        for layer in self._layers:
            best = best_edges(layer)
            before, led = self._way[-1][layer.head[best]], layer.relation[best]
            pairs, inverse = np.unique(np.stack([before, led]), axis=1, return_inverse=True)
            found = []
            for way, relation in pairs.T.tolist():
                longer = self._longer(way, relation)
                found.append(numbers.setdefault(longer, len(self._known)))
                if found[-1] == len(self._known):
                    self._known.append(longer)
            self._way.append(np.array(found)[inverse.reshape(-1)])
            self._terms.append(layer.term)
            self._best.append(best)

    @property
    def layers(self) -> int:
        """How many layers were explored."""
        return len(self._layers)

    @property
    def candidates(self) -> int:
        """How many entities there are in C."""
        return len(self._probabilities)

    def groups(self, layer: int) -> list[WayGroup]:
        """What a layer (from 0) looked at, by way and relation; what was kept first, the largest attention first."""
        found = self._layers[layer]
        groups = found.groups
        if not len(groups.head):
            return []
        way = self._way[layer][groups.head]
        pairs, inverse = np.unique(np.stack([way, groups.relation]), axis=1, return_inverse=True)
        inverse = inverse.reshape(-1)
        weights = np.zeros(pairs.shape[1])
        np.maximum.at(weights, inverse, found.attention)
        counted = [
            np.bincount(inverse, values, minlength=pairs.shape[1]).astype(int)
            for values in (np.ones(len(inverse)), groups.total, found.kept)
        ]
        way_groups = [
            WayGroup(self._known[a], self._edges.relations[b], float(weight), int(heads), int(edges), int(kept))
            for (a, b), weight, heads, edges, kept in zip(pairs.T.tolist(), weights, *counted, strict=True)
        ]
        return sorted(way_groups, key=lambda one: (one.kept == 0, -one.weight, str(one.relation), len(one.way)))

    def entities(self, layer: int) -> tuple[int, int]:
        """How many entities there were before a layer (from 0), and after it."""
        return len(self._terms[layer]), len(self._terms[layer + 1])

    def ranked(self, digits: int) -> Iterator[Candidate]:
        """The candidates, the most probable first; those that are equal after rounding follow `answer_order`.

        Beyond these digits, probabilities differ with the order in which edges were read.
        """
        terms = self._terms[-1]
        probabilities = np.round(self._probabilities, digits)
        order = np.argsort(-probabilities, kind="stable")
        values = probabilities[order]
        at = 0
        while at < len(order):
            end = int(np.searchsorted(-values, -values[at], side="right"))
            alike = sorted(order[at:end].tolist(), key=lambda node: answer_order(self._edges.terms[terms[node]]))
            for node in alike:
                yield self._candidate(node)
            at = end

    def probability(self, terms: Collection[Term]) -> dict[Term, float]:
        """By term, the probability of those that are candidates."""
        number = {self._edges.number(term): term for term in terms}
        rows = np.flatnonzero(np.isin(self._terms[-1], list(number)))
        return {number[int(self._terms[-1][row])]: float(self._probabilities[row]) for row in rows}

    def share(self, way: Way) -> float:
        """What the candidates of a way have together of p."""
        rows = self._way[-1] == next((at for at, known in enumerate(self._known) if known == way), -1)
        return float(self._probabilities[rows].sum())

    def facts(self, heads: Sequence[Entity], relation: Relation, position: int) -> KeptFacts | None:
        """The facts along a relation from some entities that some layer kept; None where no layer looked at any."""
        del position
        if relation not in self._edges.relations:
            return None
        led = self._edges.relations.index(relation)
        members = np.array([self._edges.number(head) for head in heads], np.int64)
        pairs: dict[tuple[int, int], None] = {}
        totals: dict[int, int] = {}
        weight = 0.0
        for before, layer in zip(self._terms, self._layers, strict=False):
            groups = layer.groups
            rows = (groups.relation == led) & np.isin(before[groups.head], members)
            totals.update(zip(before[groups.head[rows]].tolist(), groups.total[rows].tolist(), strict=True))
            kept = np.flatnonzero((layer.relation == led) & np.isin(before[layer.head], members))
            if len(kept):
                weight = max(weight, float(layer.weight[kept].max()))
                ends = before[layer.head[kept]].tolist(), layer.term[layer.tail[kept]].tolist()
                pairs.update(dict.fromkeys(zip(*ends, strict=True)))
        if not totals:
            return None
        triples = [self._triple(head, relation, tail) for head, tail in pairs]
        return KeptFacts(triples, sum(totals.values()), weight)

    def _longer(self, way: int, relation: int) -> Way:
        return self._known[way] if relation == IDENTITY else (*self._known[way], self._edges.relations[relation])

    def _candidate(self, node: int) -> Candidate:
        term = self._edges.terms[self._terms[-1][node]]
        layer = len(self._layers)
        last = self._best[-1][node]
        if term == self._topic:
            layer, last = self._way_back()
        at = node
        evidence: list[Evidence] = []
        for number in range(layer, 0, -1):
            found = self._layers[number - 1]
            edge = last if number == layer else self._best[number - 1][at]
            relation, head = int(found.relation[edge]), int(found.head[edge])
            if relation != IDENTITY:
                source, target = (
                    self._edges.terms[place]
                    for place in (self._terms[number - 1][head], self._terms[number][found.tail[edge]])
                )
                evidence.append(Evidence(source, self._edges.relations[relation], target, float(found.weight[edge])))
            at = head
        evidence.reverse()
        way = tuple(one.relation for one in evidence)
        return Candidate(term, float(self._probabilities[node]), way, tuple(evidence))

    def _way_back(self) -> tuple[int, int]:
        """The kept edge of the largest attention that leads back to the topic: its layer, from 1, and its number.

        That the topic stays where it is says nothing of how it answers. Layer 0 where no edge leads back.
        """
        best, place = -1.0, (0, 0)
        number = self._edges.number(self._topic)
        for at, layer in enumerate(self._layers, start=1):
            rows = np.flatnonzero((layer.term[layer.tail] == number) & (layer.relation != IDENTITY))
            if len(rows):
                row = rows[np.argmax(layer.weight[rows])]
                if float(layer.weight[row]) > best:
                    best, place = float(layer.weight[row]), (at, int(row))
        return place

    def _triple(self, head: int, relation: Relation, tail: int) -> Triple:
        source, target = self._edges.terms[head], self._edges.terms[tail]
        subject, object_ = (target, source) if relation.is_reverse else (source, target)
        if not isinstance(subject, Entity):
            raise TypeError("the subject of a fact is an entity")
        return Triple(subject, relation.predicate, object_)
