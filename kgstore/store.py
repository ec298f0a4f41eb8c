"""The one interface to a graph. What it promises is tested by `tests/kgstore/test_store_contract.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kgstore.commonest import CommonPredicate
    from kgstore.terms import Entity, Relation, Term, TermKind, Triple


class GraphStoreError(Exception):
    """A graph could not be read; the message says why and what to do.

    ``retryable`` says whether a retry may succeed, ``detail`` what only operators need.
    """

    def __init__(self, message: str, *, retryable: bool = False, detail: str = "") -> None:
        super().__init__(message)
        self.retryable = retryable
        self.detail = detail

    @property
    def for_people(self) -> str:
        """What to tell people who ask."""
        return str(self)

    @property
    def for_operators(self) -> str:
        """What operators see: the detail, else the message."""
        return self.detail or str(self)


@dataclass(frozen=True, slots=True)
class GraphInfo:
    """What a graph is and where it came from."""

    name: str
    """The name it was loaded under: ``sample``."""
    title: str
    """The name that people see: ``Sample``."""
    version: str
    """Changes whenever the graph's contents change."""
    source: str
    """Where the triples came from, in words or as a file name."""
    loaded_at: str
    """ISO 8601, UTC."""
    entities: int
    triples: int
    predicates: int
    filters: tuple[str, ...] = ()
    """What was chosen of the source or left out, each in words and with counts; empty where all of it was loaded."""
    named: int | None = None
    """How many entities have a name; None where the graph was loaded by a version that did not count them."""
    commonest: tuple[CommonPredicate, ...] = ()
    """What it tells most of, the commonest first; empty where it was loaded by a version that did not count that."""
    is_outdated: bool = False
    """Whether an earlier version loaded it: it can be asked, but lacks what later versions store."""

    @property
    def advice(self) -> tuple[str, ...]:
        """What is wrong with the graph and what to do, each a sentence or two for people; most often empty."""
        names = None if self.named is None else missing_names(self.named, self.entities)
        return tuple(said for said in (names, OUTDATED if self.is_outdated else None) if said)


OUTDATED = (
    "This graph was loaded by an earlier version. It still works, but a question cannot start from a type (which film "
    "is the longest?), and its schema and the order of facts may be missing. Load it again."
)
"""Said of a graph that is outdated."""
_FEW = 10


def missing_names(named: int, entities: int) -> str | None:
    """What to say where fewer than a tenth of the entities have a name; None where more have one."""
    if named * _FEW >= entities:
        return None
    nothing = "nothing can be asked by name" if not named else "the others cannot be asked by name"
    return (
        f"{named:,} of {entities:,} entities have a name; {nothing}. Load again with --names NAMES or --names-from-ids."
    )


@dataclass(frozen=True, slots=True)
class RelationCount:
    """A relation that some entities of a set have."""

    relation: Relation
    entities: int
    """How many entities of the set have it."""
    triples: int
    """How many triples it has over the set."""
    kind: TermKind
    """What it mostly leads to, over the whole graph."""


@dataclass(frozen=True, slots=True)
class Link:
    """Some entity of a set reaches a target directly along a relation."""

    relation: Relation
    target: Entity


@dataclass(frozen=True, slots=True)
class Expansion:
    """The triples of a set of entities along one relation."""

    triples: Sequence[Triple]
    """At most the limit asked for, in a stable order: of every entity some before of any entity all.

    Both the entities and what each of them leads to are in the one order of `GraphStore`.
    """
    total: int
    """How many there are without the limit."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the triples of one list, in the one order of `GraphStore`."""

    triples: Sequence[Triple]
    """At most the limit asked for."""
    total: int
    """How many there are on all pages."""
    next: str | None
    """The cursor of the next page; None where this is the last."""


@dataclass(frozen=True, slots=True)
class EntityCard:
    """What users see of an entity."""

    entity: Entity
    name: str | None
    """None where the graph has no name for it."""
    types: tuple[str, ...] = ()
    """Freebase types, the most telling first: ``tv.tv_program``."""
    is_mediator: bool = False
    """Whether it only links other things (Freebase's compound value type, CVT)."""
    popularity: int = 0
    """How many triples it stands in."""
    aliases: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """An entity found by one of its names."""

    card: EntityCard
    matched: str
    """The name or alias that matched."""


class GraphStore(Protocol):
    """A graph to read. Safe to share between threads.

    Facts come in one order in every store: what is best known (stands in most triples) first, what has a name before
    what has none, then by id; literals after entities, by their textual form.

    Every method raises `GraphStoreError` if the store is away or damaged.
    """

    def info(self) -> GraphInfo:
        """What this graph is."""

    def offered(self) -> Sequence[Relation]:
        """Every relation that some entity may be offered, in both directions, sorted."""

    def labelled(self, relation: Relation) -> Relation:
        """The same relation with what the graph calls it, for one that comes from elsewhere."""

    def relations(self, entities: Collection[Entity]) -> Sequence[RelationCount]:
        """Every distinct relation that the entities have, in both directions, in one query.

        Costs the number of distinct (entity, relation) pairs, never the number of edges. Sorted by relation.
        Relations that are never offered (names, keys, web pages) are left out, and so is the reverse reading of a
        relation whose own reverse relation the entities have too.
        """

    def relations_each(self, entities: Collection[Entity]) -> Mapping[Entity, Sequence[RelationCount]]:
        """What `relations` gives for each of the entities alone, in one query.

        An entity that has no relation is left out.
        """

    def links(self, entities: Collection[Entity], targets: Collection[Entity]) -> Collection[Link]:
        """The relations along which some of the entities directly reach one of the targets.

        Never scans a hub's edges: it probes (entity, relation, target) for the relations that the entities have.
        """

    def expand(self, entities: Collection[Entity], relation: Relation, limit: int) -> Expansion:
        """The triples of the entities along one relation, at most ``limit``.

        Costs what is given, never the number of edges of a hub.
        """

    def page(self, entity: Entity, relation: Relation, limit: int, cursor: str | None = None) -> Page:
        """The next ``limit`` triples of an entity along a relation, from the beginning where there is no cursor.

        Pages that follow one another give every triple once. A cursor is a short text without a meaning of its own; it
        stays good as long as the graph's version does, whatever store holds it. Costs what is given, as `expand` does.

        Raises:
            CursorError: the cursor belongs to another version of the graph, or is none.
            ValueError: the limit is less than 1.

        """

    def types(self) -> Mapping[Entity, int]:
        """How many entities are of each type; empty where an earlier version loaded the graph."""

    def cards(self, entities: Collection[Entity]) -> Mapping[Entity, EntityCard]:
        """The card of every entity asked for; an entity that the graph does not hold gets none."""

    def search(self, text: str, limit: int) -> Sequence[EntityMatch]:
        """Entities whose name or alias begins with, or has words that begin with, what was typed; best known first."""

    def named(self, names: Collection[str]) -> Mapping[str, Sequence[EntityMatch]]:
        """For each of the names, the entities that bear exactly it, compared as `fold_name` does; best known first.

        Only names of entities are in the result, under the requested text.
        """

    def containing(self, parts: Collection[str], limit: int) -> Mapping[str, Sequence[EntityMatch]]:
        """For each of the parts, entities with a longer name that holds its words, whole and in their order.

        Other words may stand between them: *Robert Kennedy* is a part of *Robert F. Kennedy*. At most ``limit`` for
        each part, each entity once, the best known first. Only parts of some name are in the result.
        """

    def similar(self, names: Collection[str]) -> Mapping[str, Sequence[EntityMatch]]:
        """For each of the names, the entities with a name that is spelt nearly so, but not exactly; best known first.

        Nearly: with the fewest typing errors, one or two, as `kgstore.names.typing_errors` counts them. Only names that
        some are spelt like are in the result.
        """

    def labels(self, terms: Collection[Term]) -> Mapping[Term, str]:
        """A text for people for each term: a name, else the literal's value, else the mid."""

    def close(self) -> None:
        """Let go of files and connections."""
