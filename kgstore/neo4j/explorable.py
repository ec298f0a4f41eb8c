"""One graph in Neo4j, to look around in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgstore.exploring.explorable import Joining, NotStoredError
from kgstore.exploring.graph_schema import schema_from_json
from kgstore.neo4j.format import HUB_PART, place
from kgstore.neo4j.store import CARD, PLACED, STILL_HERE, Neo4jStore, card_of, edge_pattern, mids_of, rows_of
from kgstore.store import Page
from kgstore.store_parts.cursor import decode_cursor, encode_cursor
from kgstore.store_parts.joining import having, plan
from kgstore.store_parts.relation_codes import count_of, unpack
from kgstore.store_parts.truncation import facts_page, rows_for_page
from kgstore.terms import Entity, Relation, Triple, parse_term

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from kgstore.exploring.graph_schema import GraphSchema
    from kgstore.store import EntityCard
    from kgstore.store_parts.joining import Look

_FEW_TRIPLES = 200
"""All triples of an entity that has no more are read at once, whatever the relation: Cypher plans that query once."""
_SOURCES_SINCE = 3
"""The first version with the subjects of every predicate."""

# Without the hint Neo4j may begin at the other ends: of a hub, that reads each of its triples for each entity.
_AMONG_FEW = """
UNWIND $places AS place
MATCH (entity:Term {place: place})-[edge]-(other) USING INDEX entity:Term(place) WHERE other.place IN $others
RETURN DISTINCT startNode(edge).place, type(edge), endNode(edge).place
"""
_SCAN = """
UNWIND $places AS place
MATCH (entity:Term {place: place})EDGE(other) USING INDEX entity:Term(place) WHERE other.place IN $others
RETURN entity.place, other.place
"""
_PROBE = """
UNWIND $places AS place
MATCH (entity:Term {place: place})
WITH collect(entity) AS entities
UNWIND $others AS place
MATCH (other:Term {place: place})
UNWIND entities AS entity
MATCH (entity)EDGE(other)
RETURN entity.place, other.place
"""
_AROUND = f"""
{STILL_HERE}
UNWIND $mids AS mid
MATCH (entity:Entity {{graph: $graph, mid: mid}})-[edge]-()
RETURN DISTINCT startNode(edge).place, type(edge), endNode(edge).place
"""
_TEXTS = """
UNWIND $places AS place
MATCH (term:Term {place: place})
RETURN term.place, coalesce(term.mid, term.text)
"""
_PREDICATE = """
MATCH (predicate:Predicate {graph: $graph}) WHERE predicate.name = $name AND predicate.offered
RETURN predicate.number, predicate.triples
"""
_PACKED = "UNWIND $places AS place MATCH (term:Term {place: place}) RETURN term.place, term.relations"
_SUBJECTS = """
CALL () {
  MATCH (part:Hub) WHERE part.entity = $whole AND part.code = $code AND part.last > $after
  WITH part ORDER BY part.entity, part.code, part.last LIMIT $parts
  UNWIND part.numbers AS number
  WITH number WHERE number > $after
  RETURN number ORDER BY number LIMIT $wanted
}
MATCH (term:Term {place: $whole + number})
RETURN term.place, term.relations ORDER BY term.place
"""
_BEST_KNOWN = f"""
{STILL_HERE}
MATCH (entity:Term) WHERE $first < entity.place <= $last
RETURN {CARD} ORDER BY entity.place
"""
_SCHEMA = f"""
{STILL_HERE}
RETURN graph.schema
"""


class ExplorableNeo4jStore(Neo4jStore):
    """An `ExplorableStore` over one load of a graph."""

    def joining(self, entities: Collection[Entity], others: Collection[Entity], most: int) -> Joining:
        """See `ExplorableStore.joining`. One query for entities with few triples, one more for each other relation."""
        is_one_set = set(entities) == set(others)
        packed = self._packed_by_place(entities)
        own = having(packed, self._predicates.is_offered)
        if is_one_set:
            far = own
        else:
            packed_far = self._packed_by_place(others)
            far = having(packed_far, self._predicates.is_offered)
            packed = {**packed, **packed_far}
        planned = plan(own, far, most)
        edges = set(self._found(planned.looks, packed))
        return Joining(self._triples(edges), planned.cost, planned.is_complete)

    def neighbourhood(self, entities: Collection[Entity]) -> Sequence[Triple]:
        """See `ExplorableStore.neighbourhood`."""
        rows = self._read(_AROUND, {"mids": mids_of(entities)}, rows_of) if entities else []
        edges = ((subject, self._number(edge), obj) for subject, edge, obj in rows)
        return self._triples({edge for edge in edges if self._predicates.is_offered(2 * edge[1])})

    def facts_of(self, predicate: str, limit: int, cursor: str | None = None) -> Page:
        """See `ExplorableStore.facts_of`."""
        wanted = rows_for_page(limit)
        subject, obj = (0, 0) if cursor is None else decode_cursor(cursor, self._info.version, places=2)
        if self._format < _SOURCES_SINCE:
            raise NotStoredError("which facts each relation has")
        known = next(iter(self._read(_PREDICATE, {"name": predicate}, rows_of)), None)
        if known is None:
            return Page((), 0, None)
        number, total = known
        base = place(self._graph, 0)
        sources: list[list[Any]] = []
        if subject:
            sources += self._read(_PACKED, {"places": [base + subject]}, rows_of)
        pairs = self._objects(predicate, number, sources, wanted, after=obj)
        if len(pairs) < wanted:
            asked = {"whole": base, "code": 2 * number, "after": subject, "wanted": wanted - len(pairs)}
            asked["parts"] = wanted // HUB_PART + 2
            pairs += self._objects(predicate, number, self._read(_SUBJECTS, asked, rows_of), wanted - len(pairs))
        texts = self._texts({each for pair in pairs for each in pair})
        rows = [((source - base, end - base), texts[source], texts[end]) for source, end in pairs]
        return facts_page(predicate, rows, limit, total, lambda *places: encode_cursor(self._info.version, *places))

    def best_known(self, limit: int, skipped: int = 0) -> Sequence[EntityCard]:
        """See `ExplorableStore.best_known`."""
        first, last = skipped, min(skipped + limit, self._info.entities)
        bounds = {"first": place(self._graph, first), "last": place(self._graph, last)}
        return self._read(_BEST_KNOWN, bounds, lambda rows: [card_of(row.values()) for row in rows])

    def schema(self) -> GraphSchema | None:
        """See `ExplorableStore.schema`."""
        [[kept]] = self._read(_SCHEMA, {}, rows_of)
        return schema_from_json(kept or "")

    def _packed_by_place(self, entities: Collection[Entity]) -> dict[int, bytes]:
        return dict(self._read(PLACED, {"mids": mids_of(entities)}, rows_of)) if entities else {}

    def _found(self, looks: Sequence[Look], packed: Mapping[int, bytes]) -> Iterator[tuple[int, int, int]]:
        """Where triples were looked for, those that are there: the places of their ends, and the predicate's number."""
        few = {number for number, pairs in packed.items() if unpack(pairs)[:, 1].sum() <= _FEW_TRIPLES}
        at_once: set[int] = set()
        others: set[int] = set()
        wanted: set[tuple[int, int]] = set()
        for look in looks:
            relation = self._predicates.relation(look.code)
            together = few.intersection(look.scanned)
            at_once |= together
            others.update(look.others if together else ())
            wanted.update((look.code, number) for number in together)
            alone = [number for number in look.scanned if number not in together]
            for query, numbers in ((_SCAN, alone), (_PROBE, look.probed)):
                if numbers:
                    asked = {"places": numbers, "others": look.others}
                    rows = self._read(query.replace("EDGE", edge_pattern(relation)), asked, rows_of)
                    for own, far in rows:
                        yield (far, look.code // 2, own) if relation.is_reverse else (own, look.code // 2, far)
        if at_once:
            far_of = {look.code: frozenset(look.others) for look in looks}
            rows = self._read(_AMONG_FEW, {"places": sorted(at_once), "others": sorted(others)}, rows_of)
            for subject, edge, obj in rows:
                number = self._number(edge)
                forward, backward = (2 * number, subject, obj), (2 * number + 1, obj, subject)
                if any((code, own) in wanted and far in far_of[code] for code, own, far in (forward, backward)):
                    yield subject, number, obj

    def _objects(
        self, predicate: str, number: int, subjects: Sequence[Sequence[Any]], wanted: int, after: int = 0
    ) -> list[tuple[int, int]]:
        """The first objects of subjects along a predicate, as pairs of places; of no more subjects than need be.

        A subject is its place and its packed relations; ``after`` is the number of the term that the objects follow.
        """
        triples: dict[int, int] = {}
        for own, packed in subjects:
            if sum(triples.values()) >= wanted:
                break
            triples[own] = count_of(packed, 2 * number)
        reached = self.first_reached(Relation(predicate), 2 * number, triples, wanted, after)
        return [(own, end) for own in sorted(reached) for end, _ in reached[own]][:wanted]

    def _triples(self, edges: Collection[tuple[int, int, int]]) -> list[Triple]:
        """Triples by the places and numbers of their parts, sorted by these."""
        texts = self._texts({end for subject, _, obj in edges for end in (subject, obj)})
        terms = {own: parse_term(text) for own, text in texts.items()}
        names = {number: self._predicates.relation(2 * number).predicate for number in {edge[1] for edge in edges}}
        return [Triple(Entity(texts[subject]), names[p], terms[obj]) for subject, p, obj in sorted(edges)]

    def _texts(self, places: Collection[int]) -> dict[int, str]:
        return dict(self._read(_TEXTS, {"places": sorted(places)}, rows_of)) if places else {}

    def _number(self, edge: str) -> int:
        """The number of the predicate that a type of edges stands for."""
        code = self._predicates.code(Relation(self._names_of_types[edge]))
        if code is None:
            raise ValueError(f"there is no predicate {edge}")
        return code // 2
