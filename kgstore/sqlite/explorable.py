"""The embedded store, to look around in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kgstore.exploring.explorable import Joining, NotStoredError
from kgstore.exploring.graph_schema import schema_from_json
from kgstore.sqlite.store import SqliteStore, cards_of, json_mids, texts_of
from kgstore.store import Page
from kgstore.store_parts.cursor import decode_cursor, encode_cursor
from kgstore.store_parts.joining import having, plan
from kgstore.store_parts.truncation import facts_page, rows_for_page
from kgstore.terms import Entity, Triple, parse_term

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Sequence

    from kgstore.exploring.graph_schema import GraphSchema
    from kgstore.store import EntityCard
    from kgstore.store_parts.joining import Look

_RELATIONS = """
SELECT terms.id, terms.relations
FROM json_each(?) AS asked CROSS JOIN terms ON terms.text = asked.value
"""
_AROUND = """
SELECT edges.subject, edges.predicate, edges.object
FROM json_each(?1) AS asked CROSS JOIN terms ON terms.text = asked.value CROSS JOIN edges ON edges.subject = terms.id
UNION
SELECT edges.subject, edges.predicate, edges.object
FROM json_each(?1) AS asked CROSS JOIN terms ON terms.text = asked.value CROSS JOIN edges ON edges.object = terms.id
"""
_SCAN_FORWARD = """
SELECT edges.subject, edges.object FROM json_each(?) AS asked CROSS JOIN edges ON edges.subject = asked.value
WHERE edges.predicate = ?
"""
_SCAN_BACKWARD = """
SELECT edges.object, edges.subject FROM json_each(?) AS asked CROSS JOIN edges ON edges.object = asked.value
WHERE edges.predicate = ?
"""
_PROBE_FORWARD = """
SELECT edges.subject, edges.object
FROM json_each(?) AS asked CROSS JOIN json_each(?) AS other CROSS JOIN edges
ON edges.subject = asked.value AND edges.predicate = ? AND edges.object = other.value
"""
_PROBE_BACKWARD = """
SELECT edges.object, edges.subject
FROM json_each(?) AS asked CROSS JOIN json_each(?) AS other CROSS JOIN edges
ON edges.object = asked.value AND edges.predicate = ? AND edges.subject = other.value
"""
_PREDICATE = "SELECT id, triples FROM predicates WHERE name = ? AND is_offered"
_REST_OF_SUBJECT = """
SELECT subject, object FROM edges WHERE subject = ? AND predicate = ? AND object > ? ORDER BY object LIMIT ?
"""
_NEXT_SUBJECTS = """
SELECT edges.subject, edges.object FROM sources CROSS JOIN edges
ON edges.subject = sources.subject AND edges.predicate = sources.predicate
WHERE sources.predicate = ? AND sources.subject > ? ORDER BY sources.subject, edges.object LIMIT ?
"""
_BEST_KNOWN = """
SELECT id, text, name, types, is_mediator, popularity FROM terms WHERE id > ? AND id <= min(?, ?) ORDER BY id
"""
_SCHEMA = "SELECT value FROM about WHERE key = 'schema'"
_SOURCES_SINCE = 3
"""The first version of the format with ``sources``."""


class ExplorableSqliteStore(SqliteStore):
    """An `ExplorableStore` over one file."""

    def joining(self, entities: Collection[Entity], others: Collection[Entity], most: int) -> Joining:
        """See `ExplorableStore.joining`."""
        is_one_set = set(entities) == set(others)
        with self._connections.lend() as connection:
            own = having(dict(connection.execute(_RELATIONS, (json_mids(entities),))), self._predicates.is_offered)
            far = own
            if not is_one_set:
                far = having(dict(connection.execute(_RELATIONS, (json_mids(others),))), self._predicates.is_offered)
            planned = plan(own, far, most)
            edges = {edge for look in planned.looks for edge in _found(connection, look)}
            return Joining(self._triples(connection, edges), planned.cost, planned.is_complete)

    def neighbourhood(self, entities: Collection[Entity]) -> Sequence[Triple]:
        """See `ExplorableStore.neighbourhood`."""
        with self._connections.lend() as connection:
            edges = connection.execute(_AROUND, (json_mids(entities),)).fetchall()
            return self._triples(connection, {edge for edge in edges if self._predicates.is_offered(2 * edge[1])})

    def facts_of(self, predicate: str, limit: int, cursor: str | None = None) -> Page:
        """See `ExplorableStore.facts_of`."""
        wanted = rows_for_page(limit)
        after = (0, 0) if cursor is None else decode_cursor(cursor, self._info.version, places=2)
        if self._format < _SOURCES_SINCE:
            raise NotStoredError("which facts each relation has")
        with self._connections.lend() as connection:
            known = connection.execute(_PREDICATE, (predicate,)).fetchone()
            if known is None:
                return Page((), 0, None)
            number, total = known
            subject, obj = after
            rows = connection.execute(_REST_OF_SUBJECT, (subject, number, obj, wanted)).fetchall()
            rows += connection.execute(_NEXT_SUBJECTS, (number, subject, wanted - len(rows))).fetchall()
            texts = texts_of(connection, {each for row in rows for each in row})
        page_rows = [((source, target), texts[source], texts[target]) for source, target in rows]
        return facts_page(
            predicate, page_rows, limit, total, lambda *places: encode_cursor(self._info.version, *places)
        )

    def best_known(self, limit: int, skipped: int = 0) -> Sequence[EntityCard]:
        """See `ExplorableStore.best_known`."""
        with self._connections.lend() as connection:
            rows = connection.execute(_BEST_KNOWN, (skipped, skipped + limit, self._info.entities)).fetchall()
            return list(cards_of(connection, rows).values())

    def schema(self) -> GraphSchema | None:
        """See `ExplorableStore.schema`."""
        with self._connections.lend() as connection:
            kept = connection.execute(_SCHEMA).fetchone()
            return None if kept is None else schema_from_json(kept[0])

    def _triples(self, connection: sqlite3.Connection, edges: Collection[tuple[int, int, int]]) -> list[Triple]:
        """Triples by the numbers of their parts, sorted by these."""
        texts = texts_of(connection, {end for subject, _, obj in edges for end in (subject, obj)})
        terms = {number: parse_term(text) for number, text in texts.items()}
        names: dict[int, str] = {}
        for _, number, _ in edges:
            names.setdefault(number, self._predicates.relation(2 * number).predicate)
        return [Triple(Entity(texts[subject]), names[p], terms[obj]) for subject, p, obj in sorted(edges)]


def _found(connection: sqlite3.Connection, look: Look) -> Iterable[tuple[int, int, int]]:
    predicate, is_reverse = divmod(look.code, 2)
    others = json.dumps(look.others)
    pairs: list[tuple[int, int]] = []
    if look.scanned:
        far = set(look.others)
        query = _SCAN_BACKWARD if is_reverse else _SCAN_FORWARD
        rows = connection.execute(query, (json.dumps(look.scanned), predicate))
        pairs += [row for row in rows if row[1] in far]
    if look.probed:
        query = _PROBE_BACKWARD if is_reverse else _PROBE_FORWARD
        pairs += connection.execute(query, (json.dumps(look.probed), others, predicate))
    return [(other, predicate, own) if is_reverse else (own, predicate, other) for own, other in pairs]
