"""The embedded store: a graph in one SQLite file, made by `kgstore.loading.sqlite_loader`."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kgstore.names import fold_name, literal_label
from kgstore.sqlite_connections import Connections
from kgstore.sqlite_format import COUNT_TYPE, relation_code, relation_of
from kgstore.store import EntityCard, EntityMatch, Expansion, GraphInfo, Link, RelationCount
from kgstore.terms import Direction, Entity, Relation, TermKind, Triple, parse_term

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    import numpy.typing as npt

    from kgstore.terms import Term

_ABOUT = "SELECT key, value FROM about"
_PREDICATES = "SELECT id, name, is_offered, reverse, subject_kind, object_kind FROM predicates ORDER BY id"
# CROSS JOIN fixes the order of the loops: from what was asked for to the table, by its index.
_RELATIONS = """
SELECT terms.id, terms.relations
FROM json_each(?) AS asked CROSS JOIN terms ON terms.text = asked.value
"""
_FORWARD = """
SELECT edges.subject, edges.object FROM json_each(?) AS asked CROSS JOIN edges ON edges.subject = asked.value
WHERE edges.predicate = ? ORDER BY edges.subject, edges.object
"""
_BACKWARD = """
SELECT edges.object, edges.subject FROM json_each(?) AS asked CROSS JOIN edges ON edges.object = asked.value
WHERE edges.predicate = ? ORDER BY edges.object, edges.subject
"""
_FIRST_FORWARD = "SELECT object FROM edges WHERE subject = ? AND predicate = ? ORDER BY object LIMIT ?"
_FIRST_BACKWARD = "SELECT subject FROM edges WHERE object = ? AND predicate = ? ORDER BY subject LIMIT ?"
_ANY_FORWARD = """
SELECT 1 FROM json_each(?) AS asked CROSS JOIN edges
ON edges.subject = asked.value AND edges.predicate = ? AND edges.object = ? LIMIT 1
"""
_ANY_BACKWARD = """
SELECT 1 FROM json_each(?) AS asked CROSS JOIN edges
ON edges.object = asked.value AND edges.predicate = ? AND edges.subject = ? LIMIT 1
"""
_TEXTS = "SELECT terms.id, terms.text FROM json_each(?) AS asked CROSS JOIN terms ON terms.id = asked.value"
_LABELS = """
SELECT terms.text, terms.name FROM json_each(?) AS asked CROSS JOIN terms ON terms.text = asked.value
WHERE terms.name IS NOT NULL
"""
_CARDS_BY_TEXT = """
SELECT terms.id, text, name, types, is_mediator, popularity
FROM json_each(?) AS asked CROSS JOIN terms ON terms.text = asked.value
"""
_CARDS_BY_ID = """
SELECT terms.id, text, name, types, is_mediator, popularity
FROM json_each(?) AS asked CROSS JOIN terms ON terms.id = asked.value
"""
_NAMES = """
SELECT names.entity, names.text FROM json_each(?) AS asked CROSS JOIN names ON names.entity = asked.value
ORDER BY names.id
"""
_NAMED = """
SELECT names.folded, names.entity, names.text
FROM json_each(?) AS asked CROSS JOIN names ON names.folded = asked.value ORDER BY names.id
"""
_FOUND = """
SELECT names.entity, names.text FROM words CROSS JOIN names ON names.id = words.rowid
WHERE words MATCH ? ORDER BY words.rowid
"""


@dataclass(frozen=True, slots=True)
class _Predicate:
    name: str
    is_offered: bool
    reverse: int | None
    subject_kind: TermKind
    object_kind: TermKind


class SqliteStore:
    """A `GraphStore` over one file. Opens in milliseconds, reads only, needs no server.

    An open store keeps reading the graph that it opened when another takes the place of its file.
    """

    def __init__(self, path: Path) -> None:
        """Open a graph.

        Raises:
            GraphStoreError: there is no such file, or it is not a graph that this version reads.

        """
        self._connections = Connections(path)
        with self._connections.lend() as connection:
            about = dict(connection.execute(_ABOUT))
            predicates = connection.execute(_PREDICATES).fetchall()
        self._info = GraphInfo(
            name=about["name"],
            title=about["title"],
            version=about["version"],
            source=about["source"],
            loaded_at=about["loaded_at"],
            entities=int(about["entities"]),
            triples=int(about["triples"]),
            predicates=int(about["predicates"]),
            filters=tuple(json.loads(about.get("filters", "[]"))),
        )
        self._predicates = [
            _Predicate(name, bool(is_offered), reverse, TermKind(subject_kind), TermKind(object_kind))
            for _, name, is_offered, reverse, subject_kind, object_kind in predicates
        ]
        self._relations: dict[int, Relation] = {}
        self._is_offered = np.array([*(p.is_offered for p in self._predicates for _ in Direction), False])
        self._said_forward = _said_forward(self._predicates)
        self._numbers = {predicate.name: number for number, predicate in enumerate(self._predicates)}

    def info(self) -> GraphInfo:
        """What this graph is."""
        return self._info

    def relations(self, entities: Collection[Entity]) -> Sequence[RelationCount]:
        """See `GraphStore.relations`."""
        with self._connections.lend() as connection:
            rows = connection.execute(_RELATIONS, (_json_mids(entities),)).fetchall()
        codes, counts = _unpack(b"".join([packed for _, packed in rows])).T
        having = np.bincount(codes, minlength=len(self._said_forward))
        triples = np.bincount(codes, weights=counts, minlength=len(having))
        offered = np.flatnonzero((having > 0) & self._is_offered & (having[self._said_forward] == 0))
        columns = (offered.tolist(), having[offered].tolist(), triples[offered].astype(int).tolist())
        return [
            RelationCount(self._relation(code), entities, count, self._leads_to(code))
            for code, entities, count in zip(*columns, strict=True)
        ]

    def links(self, entities: Collection[Entity], targets: Collection[Entity]) -> Collection[Link]:
        """See `GraphStore.links`."""
        with self._connections.lend() as connection:
            having: defaultdict[int, list[int]] = defaultdict(list)
            for number, packed in connection.execute(_RELATIONS, (_json_mids(entities),)):
                for code in _unpack(packed)[:, 0].tolist():
                    having[code].append(number)
            return {
                Link(self._relation(code ^ 1), target)
                for target in targets
                for number, packed in connection.execute(_RELATIONS, (_json_mids([target]),)).fetchall()
                for code, triples in _unpack(packed).tolist()
                if self._predicates[code // 2].is_offered
                and _reaches(connection, having.get(code ^ 1, ()), code, number, triples)
            }

    def expand(self, entities: Collection[Entity], relation: Relation, limit: int) -> Expansion:
        """See `GraphStore.expand`. The best known come first."""
        predicate = self._numbers.get(relation.predicate)
        if predicate is None:
            return Expansion((), 0)
        code = relation_code(predicate, relation.direction)
        with self._connections.lend() as connection:
            counts = {}
            for number, packed in connection.execute(_RELATIONS, (_json_mids(entities),)):
                pairs = _unpack(packed)
                place = int(np.searchsorted(pairs[:, 0], code))
                if place < len(pairs) and pairs[place, 0] == code:
                    counts[number] = int(pairs[place, 1])
            total = sum(counts.values())
            reached = _neighbours(connection, counts, code, limit)
            ids = {number for pair in reached for number in pair}
            texts = dict(connection.execute(_TEXTS, (json.dumps(sorted(ids)),)))
        terms = {number: parse_term(text) for number, text in texts.items()}
        pairs_of_terms = ((Entity(texts[source]), terms[target]) for source, target in reached)
        return Expansion([_triple(source, relation, target) for source, target in pairs_of_terms], total)

    def cards(self, entities: Collection[Entity]) -> Mapping[Entity, EntityCard]:
        """See `GraphStore.cards`."""
        with self._connections.lend() as connection:
            rows = connection.execute(_CARDS_BY_TEXT, (_json_mids(entities),)).fetchall()
            return {card.entity: card for card in _cards(connection, rows).values()}

    def search(self, text: str, limit: int) -> Sequence[EntityMatch]:
        """See `GraphStore.search`. What bears exactly the name that was typed goes before everything else."""
        folded = fold_name(text)
        words = folded.split()
        # All words but the last, which may be half typed, are whole.
        pattern = " ".join('"' + word.replace('"', '""') + '"' for word in words) + "*"
        with self._connections.lend() as connection:
            matched: dict[int, str] = {}
            if words:
                exact = connection.execute(_NAMED, (json.dumps([folded]),))
                _take(matched, ((entity, name) for _, entity, name in exact), limit)
                _take(matched, connection.execute(_FOUND, (pattern,)), limit)
            return self._matches(connection, matched.items())

    def named(self, names: Collection[str]) -> Mapping[str, Sequence[EntityMatch]]:
        """See `GraphStore.named`."""
        folded = {name: fold_name(name) for name in names}
        with self._connections.lend() as connection:
            rows = connection.execute(_NAMED, (json.dumps(sorted(set(folded.values()))),)).fetchall()
            matches = self._matches(connection, [(entity, text) for _, entity, text in rows])
        bearers: defaultdict[str, list[EntityMatch]] = defaultdict(list)
        for (key, _, _), match in zip(rows, matches, strict=True):
            bearers[key].append(match)
        return {name: bearers[key] for name, key in folded.items() if key in bearers}

    def labels(self, terms: Collection[Term]) -> Mapping[Term, str]:
        """See `GraphStore.labels`."""
        entities = [term for term in terms if isinstance(term, Entity)]
        with self._connections.lend() as connection:
            names = dict(connection.execute(_LABELS, (_json_mids(entities),)))
        return {
            term: names.get(term.mid, term.mid) if isinstance(term, Entity) else literal_label(term) for term in terms
        }

    def close(self) -> None:
        """Let go of the file."""
        self._connections.close()

    def _relation(self, code: int) -> Relation:
        relation = self._relations.get(code)
        if relation is None:
            relation = self._relations[code] = relation_of(self._predicates[code // 2].name, code)
        return relation

    def _leads_to(self, code: int) -> TermKind:
        predicate = self._predicates[code // 2]
        return predicate.subject_kind if code % 2 else predicate.object_kind

    def _matches(self, connection: sqlite3.Connection, found: Iterable[tuple[int, str]]) -> list[EntityMatch]:
        found = list(found)
        ids = json.dumps(sorted({entity for entity, _ in found}))
        cards = _cards(connection, connection.execute(_CARDS_BY_ID, (ids,)).fetchall())
        return [EntityMatch(cards[entity], text) for entity, text in found]


def _said_forward(predicates: Sequence[_Predicate]) -> npt.NDArray[np.int64]:
    """For every relation code that of a relation which, if it is there, makes this one needless.

    Only readings from object to subject have one, where another relation says the same from subject to object. All
    others have the code after the last, which no entity has.
    """
    never = 2 * len(predicates)
    codes = [2 * p.reverse if back and p.reverse is not None else never for p in predicates for back in (False, True)]
    return np.array([*codes, never])


def _json_mids(entities: Collection[Entity]) -> str:
    return json.dumps(list({entity.mid for entity in entities}))


def _unpack(packed: bytes) -> npt.NDArray[np.int64]:
    """The (relation code, triples) pairs of some entities, one a row."""
    return np.frombuffer(packed, COUNT_TYPE).reshape(-1, 2).astype(np.int64)


def _triple(source: Entity, relation: Relation, target: Term) -> Triple:
    if not relation.is_reverse:
        return Triple(source, relation.predicate, target)
    if not isinstance(target, Entity):
        raise TypeError(f"{target} is the subject of a triple and no entity")
    return Triple(target, relation.predicate, source)


def _neighbours(
    connection: sqlite3.Connection, counts: Mapping[int, int], code: int, limit: int
) -> list[tuple[int, int]]:
    """Pairs (entity, what it leads to), at most ``limit``: the first of every entity, then the second of every, ...

    Reads no more edges of an entity than it gives.
    """
    if sum(counts.values()) <= limit:
        query = _BACKWARD if code % 2 else _FORWARD
        rows = connection.execute(query, (json.dumps(list(counts)), code // 2)).fetchall()
    else:
        query = _FIRST_BACKWARD if code % 2 else _FIRST_FORWARD
        shares = _shares(counts, limit)
        rows = [
            (entity, target)
            for entity, share in shares.items()
            for (target,) in connection.execute(query, (entity, code // 2, share))
        ]
    turn: defaultdict[int, int] = defaultdict(int)
    ordered = []
    for entity, target in rows:
        ordered.append((turn[entity], entity, target))
        turn[entity] += 1
    return [(entity, target) for _, entity, target in sorted(ordered)]


def _shares(counts: Mapping[int, int], limit: int) -> dict[int, int]:
    """How many of its edges each entity may give, as equal as can be, ``limit`` in all; the best known get the rest."""
    left = max(limit, 0)
    waiting = sorted(counts, key=lambda entity: (counts[entity], entity))
    shares = {}
    while waiting and counts[waiting[0]] * len(waiting) <= left:
        entity = waiting.pop(0)
        shares[entity] = counts[entity]
        left -= counts[entity]
    for place, entity in enumerate(sorted(waiting)):
        shares[entity] = left // len(waiting) + (place < left % len(waiting))
    return {entity: share for entity, share in shares.items() if share}


def _reaches(connection: sqlite3.Connection, entities: Sequence[int], code: int, target: int, triples: int) -> bool:
    """Whether one of the entities has a triple with the target; ``code`` and ``triples`` are the target's.

    Looks from the side that has fewer to look at.
    """
    if not entities:
        return False
    if triples <= len(entities):
        query = _FIRST_BACKWARD if code % 2 else _FIRST_FORWARD
        found = connection.execute(query, (target, code // 2, triples))
        return not {entity for (entity,) in found}.isdisjoint(entities)
    query = _ANY_FORWARD if code % 2 else _ANY_BACKWARD
    return connection.execute(query, (json.dumps(entities), code // 2, target)).fetchone() is not None


def _cards(connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> dict[int, EntityCard]:
    aliases: defaultdict[int, list[str]] = defaultdict(list)
    for number, text in connection.execute(_NAMES, (json.dumps([row[0] for row in rows]),)):
        aliases[number].append(text)
    return {
        number: EntityCard(
            Entity(mid),
            name,
            tuple(types.splitlines()),
            bool(is_mediator),
            popularity,
            tuple(alias for alias in aliases[number] if alias != name),
        )
        for number, mid, name, types, is_mediator, popularity in rows
    }


def _take(matched: dict[int, str], found: Iterable[tuple[int, str]] | sqlite3.Cursor, limit: int) -> None:
    """Add entities that were found, each once, until there are ``limit``."""
    for entity, text in found:
        if len(matched) >= limit:
            return
        matched.setdefault(entity, text)
