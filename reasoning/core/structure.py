"""The abstract structure S_k and the instance graph G_k after k search steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgstore.terms import Entity, Relation, Term, TermKind, Triple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ROOT = 0
"""The position of the topic entity in every structure."""

_NAME_PREFIX = {
    TermKind.ENTITY: "entity",
    TermKind.MEDIATOR: "topic",
    TermKind.NUMBER: "num",
    TermKind.DATE: "date",
    TermKind.TEXT: "text",
}


@dataclass(frozen=True, slots=True)
class SemanticNode:
    """A node of S_k: a group of terms, named ``type_id`` by what they are and where they stand (READS, section 4.1).

    ``entity_1`` holds entities, ``topic_2`` mediators, ``num_3`` numbers, ``date_4`` dates, ``text_5`` texts; the root,
    which holds the topic entity alone, bears that entity's name.
    """

    position: int
    """Its place in the structure: 0 is the root, k the node that step k added."""
    kind: TermKind
    name: str
    parent: int | None = None
    """The position it grew from; None for the root."""
    relation: Relation | None = None
    """How it is reached from its parent; None for the root."""


@dataclass(frozen=True, slots=True)
class AbstractStructure:
    """S_k: the instance graph with its entities grouped into semantic nodes; relations keep their names.

    READS, section 4.1. Immutable and acyclic: a tree whose node 0 is the topic entity.
    """

    nodes: tuple[SemanticNode, ...]

    @classmethod
    def rooted(cls, topic_name: str) -> AbstractStructure:
        """S_0: the topic entity alone."""
        return cls((SemanticNode(ROOT, TermKind.ENTITY, topic_name),))

    @property
    def step(self) -> int:
        """The k of S_k: how many steps have been taken."""
        return len(self.nodes) - 1

    @property
    def branches(self) -> int:
        """How many nodes lead no further; the root is none of them."""
        parents = {node.parent for node in self.nodes}
        return sum(node.position not in parents for node in self.nodes if node.parent is not None)

    def grow(self, parent: int, relation: Relation, kind: TermKind) -> AbstractStructure:
        """S_(k+1): this structure and one node more, reached from ``parent`` along ``relation``."""
        position = len(self.nodes)
        node = SemanticNode(position, kind, f"{_NAME_PREFIX[kind]}_{position}", self.nodes[parent].position, relation)
        return AbstractStructure((*self.nodes, node))

    def path(self, position: int) -> tuple[SemanticNode, ...]:
        """The nodes from the root to ``position``, both included."""
        path: list[SemanticNode] = []
        at: int | None = position
        while at is not None:
            path.append(self.nodes[at])
            at = self.nodes[at].parent
        return tuple(reversed(path))

    def children(self, position: int) -> tuple[SemanticNode, ...]:
        """The nodes that grew from ``position``, oldest first."""
        return tuple(node for node in self.nodes if node.parent == position)


@dataclass(frozen=True, slots=True)
class Fact:
    """A triple of G_k with its place: it was found by the step that added the node ``position``."""

    id: int
    """Counts the facts of a run from 0, in the order in which they were found."""
    position: int
    triple: Triple
    source: Term
    """The end that belongs to the parent node."""
    target: Term
    """The end that belongs to the node ``position``."""


@dataclass(frozen=True, slots=True)
class InstanceGraph:
    """G_k: the triples retrieved after k search steps, a tree of facts rooted at the topic entity (READS, section 4.1).

    Immutable. Under every edge of S_k it is a binary relation between the members of two semantic nodes.
    """

    members: tuple[frozenset[Term], ...]
    """For every position, the terms that the node holds."""
    facts: tuple[Fact, ...] = ()
    _by_position: Mapping[int, tuple[Fact, ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def rooted(cls, topic: Entity) -> InstanceGraph:
        """G_0: the topic entity, no facts."""
        return cls((frozenset({topic}),))

    def grow(self, relation: Relation, triples: Iterable[Triple]) -> InstanceGraph:
        """G_(k+1): this graph and the facts of one step more, along ``relation``."""
        position = len(self.members)
        gained = tuple(self._facts(position, relation, triples))
        members = frozenset(fact.target for fact in gained)
        return InstanceGraph((*self.members, members), (*self.facts, *gained), {**self._by_position, position: gained})

    def entities_at(self, position: int) -> list[Entity]:
        """The entities among the terms that the node at a position holds: what a search step leads on from."""
        return [term for term in self.members[position] if isinstance(term, Entity)]

    def facts_at(self, position: int) -> Sequence[Fact]:
        """The facts that the step to ``position`` found."""
        return self._by_position.get(position, ())

    def _facts(self, position: int, relation: Relation, triples: Iterable[Triple]) -> Iterator[Fact]:
        for number, triple in enumerate(triples, start=len(self.facts)):
            source, target = triple.subject, triple.object
            if relation.is_reverse:
                yield Fact(number, position, triple, target, source)
            else:
                yield Fact(number, position, triple, source, target)
