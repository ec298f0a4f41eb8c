"""The embedded store: a graph in one SQLite file, made by `kgstore.sqlite.loader`."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

from rapidfuzz import process
from rapidfuzz.distance import OSA

from kgstore.commonest import commonest_from_json
from kgstore.names import MAX_ERRORS, errors_allowed, fold_name, literal_label, respelt, respelt_names
from kgstore.sqlite.connections import Connections
from kgstore.sqlite.format import FORMAT_VERSION
from kgstore.store import EntityCard, EntityMatch, Expansion, GraphInfo, Link, Page, RelationCount
from kgstore.store_parts.cursor import decode_cursor, encode_cursor
from kgstore.store_parts.matching import holds_part
from kgstore.store_parts.misspelt import nearest
from kgstore.store_parts.relation_codes import Predicate, Predicates, count_of, unpack
from kgstore.store_parts.truncation import fair_shares, in_turns, page_of, rows_for_page, triple_of
from kgstore.store_parts.types_as_entities import INSTANCES, TypeEntities
from kgstore.terms import Entity, Relation, TermKind, parse_term

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from kgstore.terms import Term

_ABOUT = "SELECT key, value FROM about WHERE key <> 'schema'"
_VERSION = "PRAGMA user_version"
_PREDICATES = "SELECT name, is_offered, reverse, subject_kind, object_kind, LABEL FROM predicates ORDER BY id"
# CROSS JOIN fixes the order of the loops: from what was asked for to the table, by its index.
_RELATIONS = """
SELECT terms.id, terms.relations
FROM json_each(?) AS asked CROSS JOIN terms ON terms.text = asked.value
"""
_RELATIONS_EACH = """
SELECT terms.text, terms.relations
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
_NEXT_FORWARD = """
SELECT terms.id, terms.text FROM edges CROSS JOIN terms ON terms.id = edges.object
WHERE edges.subject = ? AND edges.predicate = ? AND edges.object > ? ORDER BY edges.object LIMIT ?
"""
_NEXT_BACKWARD = """
SELECT terms.id, terms.text FROM edges CROSS JOIN terms ON terms.id = edges.subject
WHERE edges.object = ? AND edges.predicate = ? AND edges.subject > ? ORDER BY edges.subject LIMIT ?
"""
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
_CONTAINING = """
SELECT names.entity, names.text, names.folded FROM words CROSS JOIN names ON names.id = words.rowid
WHERE words MATCH ? ORDER BY words.rowid
"""
_TYPES = "SELECT name, entities FROM types"
_INSTANCES = """
SELECT terms.id, terms.text
FROM types CROSS JOIN instances ON instances.type = types.id CROSS JOIN terms ON terms.id = instances.entity
WHERE types.name = ? AND instances.entity > ? ORDER BY instances.entity LIMIT ?
"""
_TYPES_SINCE = 4
"""The first version of the format with ``types``, ``instances`` and the labels of predicates."""
_WORDS_BETWEEN = "SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ?"
_RESPELT_MOST = 50
"""Of the words two errors apart, this many of the nearest are looked for."""
_KNOWN_WORDS = "SELECT term FROM json_each(?) AS asked CROSS JOIN temp.vocabulary ON term = asked.value"


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
            [self._format] = connection.execute(_VERSION).fetchone()
            label = "label" if self._format >= _TYPES_SINCE else "''"
            predicates = connection.execute(_PREDICATES.replace("LABEL", label)).fetchall()
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
                named=int(about["named"]) if "named" in about else None,
                commonest=commonest_from_json(about.get("commonest", "")),
                is_outdated=self._format != FORMAT_VERSION,
            )
            self._predicates = Predicates(
                [
                    Predicate(name, bool(is_offered), reverse, TermKind(subject_kind), TermKind(object_kind), label)
                    for name, is_offered, reverse, subject_kind, object_kind, label in predicates
                ]
            )
        self._types = TypeEntities(self, self._info.version)

    def info(self) -> GraphInfo:
        """What this graph is."""
        return self._info

    def offered(self) -> Sequence[Relation]:
        """See `GraphStore.offered`."""
        return self._predicates.offered()

    def labelled(self, relation: Relation) -> Relation:
        """See `GraphStore.labelled`."""
        return self._predicates.labelled(relation)

    def relations(self, entities: Collection[Entity]) -> Sequence[RelationCount]:
        """See `GraphStore.relations`."""
        with self._connections.lend() as connection:
            rows = connection.execute(_RELATIONS, (json_mids(entities),)).fetchall()
            known = self._predicates.counts(packed for _, packed in rows)
        return self._types.relations(entities, known)

    def relations_each(self, entities: Collection[Entity]) -> Mapping[Entity, Sequence[RelationCount]]:
        """See `GraphStore.relations_each`."""
        with self._connections.lend() as connection:
            rows = connection.execute(_RELATIONS_EACH, (json_mids(entities),)).fetchall()
            known = self._predicates.counts_each({Entity(mid): packed for mid, packed in rows})
        return self._types.relations_each(entities, known)

    def links(self, entities: Collection[Entity], targets: Collection[Entity]) -> Collection[Link]:
        """See `GraphStore.links`."""
        with self._connections.lend() as connection:
            having: defaultdict[int, list[int]] = defaultdict(list)
            for number, packed in connection.execute(_RELATIONS, (json_mids(entities),)):
                for code in unpack(packed)[:, 0].tolist():
                    having[code].append(number)
            found = {
                Link(self._predicates.relation(code ^ 1), target)
                for target in targets
                for number, packed in connection.execute(_RELATIONS, (json_mids([target]),)).fetchall()
                for code, triples in unpack(packed).tolist()
                if self._predicates.is_offered(code) and _reaches(connection, having[code ^ 1], code, number, triples)
            }
        return self._types.links(entities, self.cards(targets), found) if self._types.among(entities) else found

    def expand(self, entities: Collection[Entity], relation: Relation, limit: int) -> Expansion:
        """See `GraphStore.expand`."""
        if relation == INSTANCES:
            return self._types.expand(entities, limit)
        code = self._predicates.code(relation)
        if code is None:
            return Expansion((), 0)
        with self._connections.lend() as connection:
            counts = {}
            for number, packed in connection.execute(_RELATIONS, (json_mids(entities),)):
                if triples := count_of(packed, code):
                    counts[number] = triples
            total = sum(counts.values())
            reached = _neighbours(connection, counts, code, limit)
            ids = {number for pair in reached for number in pair}
            texts = texts_of(connection, ids)
            terms = {number: parse_term(text) for number, text in texts.items()}
            pairs_of_terms = ((Entity(texts[source]), terms[target]) for source, target in reached)
            return Expansion([triple_of(source, relation, target) for source, target in pairs_of_terms], total)

    def page(self, entity: Entity, relation: Relation, limit: int, cursor: str | None = None) -> Page:
        """See `GraphStore.page`."""
        if relation == INSTANCES:
            return self._types.page(entity, limit, cursor)
        wanted = rows_for_page(limit)
        [after] = [0] if cursor is None else decode_cursor(cursor, self._info.version)
        code = self._predicates.code(relation)
        if code is None:
            return Page((), 0, None)
        rows: list[tuple[int, str]] = []
        total = 0
        with self._connections.lend() as connection:
            for number, packed in connection.execute(_RELATIONS, (json_mids([entity]),)).fetchall():
                if total := count_of(packed, code):
                    query = _NEXT_BACKWARD if relation.is_reverse else _NEXT_FORWARD
                    rows = connection.execute(query, (number, code // 2, after, wanted)).fetchall()
        return page_of(entity, relation, rows, limit, total, lambda place: encode_cursor(self._info.version, place))

    def cards(self, entities: Collection[Entity]) -> Mapping[Entity, EntityCard]:
        """See `GraphStore.cards`."""
        with self._connections.lend() as connection:
            rows = connection.execute(_CARDS_BY_TEXT, (json_mids(entities),)).fetchall()
            known = {card.entity: card for card in cards_of(connection, rows).values()}
        return self._types.cards(entities, known)

    def search(self, text: str, limit: int) -> Sequence[EntityMatch]:
        """See `GraphStore.search`. What bears exactly the name that was typed goes before everything else."""
        folded = fold_name(text)
        words = folded.split()
        # All words but the last, which may be half typed, are whole.
        pattern = _pattern(words) + "*"
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

    def containing(self, parts: Collection[str], limit: int) -> Mapping[str, Sequence[EntityMatch]]:
        """See `GraphStore.containing`."""
        found: dict[str, dict[int, str]] = {}
        with self._connections.lend() as connection:
            for part in parts:
                words = fold_name(part).split()
                if not any(map(str.isalnum, words)):
                    continue
                rows = connection.execute(_CONTAINING, (_pattern(words),))
                longer = ((entity, name) for entity, name, folded in rows if holds_part(folded.split(), words))
                _take(found.setdefault(part, {}), longer, limit)
            return {part: self._matches(connection, matched.items()) for part, matched in found.items() if matched}

    def similar(self, names: Collection[str]) -> Mapping[str, Sequence[EntityMatch]]:
        """See `GraphStore.similar`. Of the many ways to write a word, only those that some name has are looked for."""
        return nearest(names, self._respelt)

    def _respelt(self, names: Collection[str], errors: int) -> Iterable[tuple[str, EntityMatch]]:
        words = {word for name in names for word in name.split()}
        with self._connections.lend() as connection:
            ways = {word: dict.fromkeys(known, 1) for word, known in _one_error_apart(connection, words).items()}
            for word in words if errors > 1 else ():
                ways[word] |= dict.fromkeys(_two_errors_apart(connection, word) - ways[word].keys() - {word}, 2)
        spelt = frozenset().union(*(respelt_names(name, ways, errors) for name in names))
        return [(name, match) for name, matches in self.named(spelt).items() for match in matches]

    def labels(self, terms: Collection[Term]) -> Mapping[Term, str]:
        """See `GraphStore.labels`."""
        entities = [term for term in terms if isinstance(term, Entity)]
        with self._connections.lend() as connection:
            names = dict(connection.execute(_LABELS, (json_mids(entities),)))
        return self._types.labels(
            {term: names.get(term.mid, term.mid) if isinstance(term, Entity) else literal_label(term) for term in terms}
        )

    def types(self) -> Mapping[Entity, int]:
        """See `GraphStore.types`."""
        return self._types.counts

    def read_types(self) -> Mapping[str, int]:
        """See `kgstore.store_parts.types_as_entities.InstanceLists`."""
        if self._format < _TYPES_SINCE:
            return {}
        with self._connections.lend() as connection:
            return dict(connection.execute(_TYPES))

    def read_instances(self, name: str, limit: int, after: int = 0) -> Sequence[tuple[int, str]]:
        """See `kgstore.store_parts.types_as_entities.InstanceLists`."""
        with self._connections.lend() as connection:
            return connection.execute(_INSTANCES, (name, after, limit)).fetchall()

    def close(self) -> None:
        """Let go of the file."""
        self._connections.close()

    def _matches(self, connection: sqlite3.Connection, found: Iterable[tuple[int, str]]) -> list[EntityMatch]:
        found = list(found)
        ids = json.dumps(sorted({entity for entity, _ in found}))
        cards = cards_of(connection, connection.execute(_CARDS_BY_ID, (ids,)).fetchall())
        return [EntityMatch(cards[entity], text) for entity, text in found]


def _one_error_apart(connection: sqlite3.Connection, words: Collection[str]) -> dict[str, set[str]]:
    """By word, the words of names that are one typing error apart."""
    ways = {word: respelt(word) for word in words}
    written = json.dumps(sorted(frozenset().union(*ways.values())))
    known = {word for (word,) in connection.execute(_KNOWN_WORDS, (written,))}
    return {word: (known & ways[word]) - {word} for word in words}


def _two_errors_apart(connection: sqlite3.Connection, word: str) -> set[str]:
    """The words of names with the same first letter that are at most two typing errors apart."""
    if errors_allowed(word) < MAX_ERRORS:
        return set()
    rows = connection.execute(_WORDS_BETWEEN, (word[0], chr(ord(word[0]) + 1)))
    known = [each for (each,) in rows if abs(len(each) - len(word)) <= MAX_ERRORS]
    near = process.extract(word, known, scorer=OSA.distance, score_cutoff=MAX_ERRORS, limit=_RESPELT_MOST)
    return {each for each, _, _ in near}


def _pattern(words: Sequence[str]) -> str:
    """A full-text query for all of the words."""
    return " ".join('"' + word.replace('"', '""') + '"' for word in words)


def texts_of(connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, str]:
    """The textual forms of terms, by their numbers."""
    return dict(connection.execute(_TEXTS, (json.dumps(sorted(numbers)),)))


def json_mids(entities: Collection[Entity]) -> str:
    """The ids of entities, each once, as queries take them."""
    return json.dumps(list({entity.mid for entity in entities}))


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
        shares = fair_shares(counts, limit)
        rows = [
            (entity, target)
            for entity, share in shares.items()
            for (target,) in connection.execute(query, (entity, code // 2, share))
        ]
    return in_turns(rows)


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


def cards_of(connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> dict[int, EntityCard]:
    """The cards of entities by their numbers, in the order of the rows: id, text, name, types, mediator, popularity."""
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
