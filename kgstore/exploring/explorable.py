"""What exploring a graph needs from a store, besides what answering questions needs.

What it promises is tested by `tests/kgstore/test_explorable_contract.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kgstore.store import GraphStore, GraphStoreError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kgstore.exploring.graph_schema import GraphSchema
    from kgstore.store import EntityCard, Page
    from kgstore.terms import Entity, Triple


class NotStoredError(GraphStoreError):
    """An earlier version loaded the graph, and did not store what was asked for; the message says what to do."""

    def __init__(self, what: str) -> None:
        super().__init__(f"This graph was loaded by an earlier version, which did not store {what}. Load it again.")


@dataclass(frozen=True, slots=True)
class Joining:
    """Triples that join entities of one set with those of another."""

    triples: Sequence[Triple]
    """In the order of their subjects, then of their predicates, then of their objects."""
    looked_at: int
    """The number of triples that were read or asked for."""
    is_complete: bool
    """Whether there are no others: False where looking further would have cost more than was allowed."""


class ExplorableStore(GraphStore, Protocol):
    """A graph to look around in. Relations that are never offered are left out here, too."""

    def joining(self, entities: Collection[Entity], others: Collection[Entity], most: int) -> Joining:
        """The triples with one of the entities at one end and one of the others at the other.

        Looks at ``most`` triples at most, those relations first that cost least; see `kgstore.store_parts.joining`. So
        between a hub and few others, it asks for each of these and never reads the hub.
        """

    def neighbourhood(self, entities: Collection[Entity]) -> Sequence[Triple]:
        """All triples that some of the entities stand in, sorted as those of `Joining`.

        Costs the number of their triples, a hub's too: `EntityCard.popularity` says beforehand how many those are.
        """

    def facts_of(self, predicate: str, limit: int, cursor: str | None = None) -> Page:
        """The next ``limit`` triples of a predicate, sorted by subject, then by object; see `GraphStore.page`.

        Raises:
            NotStoredError: an earlier version loaded the graph.
            CursorError: the cursor belongs to another version of the graph, or is none.
            ValueError: the limit is less than 1.

        """

    def best_known(self, limit: int, skipped: int = 0) -> Sequence[EntityCard]:
        """The entities that stand in most triples, at most ``limit``, after the first ``skipped`` ones."""

    def schema(self) -> GraphSchema | None:
        """The kinds and relations of the graph, counted; None where an earlier version loaded it."""
