"""One graph in Neo4j, written by `kgstore.neo4j.loader` or imported as files."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

from kgstore.commonest import commonest_from_json
from kgstore.names import fold_name, literal_label
from kgstore.neo4j.format import (
    ABOUT,
    ENTITY_NAMES,
    FORMAT_VERSION,
    HUB_PART,
    HUB_TRIPLES,
    HUBS_SINCE,
    READABLE_VERSIONS,
    exact_pattern,
    holding_pattern,
    part_patterns,
    prefix_patterns,
    quoted_type,
    relationship_type,
    similar_patterns,
    type_code,
)
from kgstore.neo4j.format import (
    place as place_of,
)
from kgstore.store import EntityCard, EntityMatch, Expansion, GraphInfo, GraphStoreError, Link, Page
from kgstore.store_parts.cursor import decode_cursor, encode_cursor
from kgstore.store_parts.errors import GraphVersionError
from kgstore.store_parts.misspelt import nearest
from kgstore.store_parts.relation_codes import Predicate, Predicates, count_of, unpack
from kgstore.store_parts.truncation import fair_shares, in_turns, page_of, rows_for_page, triple_of
from kgstore.store_parts.types_as_entities import INSTANCES, TypeEntities
from kgstore.terms import Entity, Relation, TermKind, parse_term

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from neo4j import Record, Result

    from kgstore.neo4j.connection import Neo4jConnection
    from kgstore.store import RelationCount
    from kgstore.terms import Term

    Taken = TypeVar("Taken")

_NAMES_A_PATTERN = 500
"""The full-text index takes at most 1,024 conditions at a time."""

_ABOUT = f"""
MATCH (graph:Graph {{graph: $graph}}) WHERE graph.state IN ['complete', 'replaced']
RETURN {ABOUT} AS graph
"""
# What begins a query whose answer must not be read off a graph that is being removed.
STILL_HERE = "MATCH (graph:Graph {graph: $graph}) WHERE graph.state IN ['complete', 'replaced']"
_PREDICATES = """
MATCH (predicate:Predicate {graph: $graph})
RETURN
  predicate.name, predicate.offered, predicate.reverse, predicate.subject_kind, predicate.object_kind, predicate.label
ORDER BY predicate.number
"""
_RELATIONS = f"""
{STILL_HERE}
UNWIND $mids AS mid
MATCH (entity:Entity {{graph: $graph, mid: mid}})
RETURN entity.mid, entity.relations
"""
PLACED = f"""
{STILL_HERE}
UNWIND $mids AS mid
MATCH (entity:Entity {{graph: $graph, mid: mid}})
RETURN entity.place, entity.relations
"""
_PROBE = """
UNWIND $mids AS mid
MATCH (entity:Entity {graph: $graph, mid: mid})
WITH collect(entity) AS entities
UNWIND $targets AS mid
MATCH (target:Entity {graph: $graph, mid: mid})
UNWIND entities AS entity
MATCH (entity)-[edge:TYPES]-(target)
RETURN DISTINCT target.mid, type(edge), startNode(edge) = entity, endNode(edge) = entity
"""
# A node's degree along one type is read off the node, so a hub whose edges are not asked for costs nothing.
_EXPAND = f"""
{STILL_HERE}
UNWIND $mids AS mid
MATCH (entity:Entity {{graph: $graph, mid: mid}})
WITH entity, COUNT {{ (entity)EDGE() }} AS triples
WHERE triples > 0
WITH collect({{entity: entity, triples: triples}}) AS having, sum(triples) AS total
UNWIND having AS each
WITH each.entity AS entity, each.triples AS triples, total
CALL (entity, total) {{
  WITH entity, total WHERE total <= $limit
  MATCH (entity)EDGE(term)
  WITH term ORDER BY term.place
  RETURN collect(coalesce(term.mid, term.text)) AS reached
}}
RETURN entity.place, entity.mid, triples, reached
"""
_FIRST = """
UNWIND $places AS place
MATCH (entity:Term {place: place})
CALL (entity) {
  MATCH (entity)EDGE(term)
  WHERE term.place > $after
  RETURN term ORDER BY term.place LIMIT $share
}
RETURN entity.place, term.place, coalesce(term.mid, term.text)
"""
# What a hub leads to is read from its parts, and no edge is touched. Ordered as their index is, so that Neo4j reads no
# more of them than are wanted: ordered by the last number alone, it reads and sorts all parts of the hub.
_FIRST_OF_HUBS = """
UNWIND $places AS place
CALL (place) {
  MATCH (part:Hub) WHERE part.entity = place AND part.code = $code AND part.last > $after_number
  WITH part ORDER BY part.entity, part.code, part.last LIMIT $parts
  UNWIND part.numbers AS number
  WITH number WHERE number > $after_number
  RETURN number ORDER BY number LIMIT $share
}
MATCH (term:Term {place: $first + number})
RETURN place, term.place, coalesce(term.mid, term.text)
"""
# What a query gives for a card.
CARD = "entity.mid, entity.name, entity.names, entity.types, entity.mediator, entity.popularity"
_CARDS = f"""
UNWIND $mids AS mid
MATCH (entity:Entity {{graph: $graph, mid: mid}})
RETURN {CARD}
"""
_LABELS = """
UNWIND $mids AS mid
MATCH (entity:Entity {graph: $graph, mid: mid})
WHERE entity.name IS NOT NULL
RETURN entity.mid, entity.name
"""
_NAMED = f"""
UNWIND $patterns AS pattern
CALL db.index.fulltext.queryNodes('{ENTITY_NAMES}', pattern) YIELD node AS entity
WITH DISTINCT entity
RETURN {CARD}, entity.folded
ORDER BY entity.place
"""
# The patterns are asked one after another, and no further than need be.
_SEARCH = f"""
UNWIND range(0, size($patterns) - 1) AS step
CALL (step) {{
  CALL db.index.fulltext.queryNodes('{ENTITY_NAMES}', $patterns[step]) YIELD node AS entity
  WITH entity, [i IN range(0, size(entity.folded) - 1) WHERE
    CASE step WHEN 0 THEN entity.folded[i] = $folded ELSE
      (' ' + entity.folded[i]) CONTAINS (' ' + $last)
      AND all(word IN $whole WHERE (' ' + entity.folded[i] + ' ') CONTAINS (' ' + word + ' '))
    END][0] AS found
  WHERE found IS NOT NULL
  RETURN entity, found ORDER BY entity.place LIMIT $limit
}}
RETURN {CARD}, entity.names[found]
LIMIT 2 * $limit
"""
_CONTAINING = f"""
UNWIND range(0, size($parts) - 1) AS part
CALL (part) {{
  UNWIND range(0, size($parts[part].patterns) - 1) AS step
  CALL (part, step) {{
    CALL db.index.fulltext.queryNodes('{ENTITY_NAMES}', $parts[part].patterns[step]) YIELD node AS entity
    WITH entity, [i IN range(0, size(entity.folded) - 1) WHERE
      entity.folded[i] <> $parts[part].whole AND entity.folded[i] =~ $parts[part].holding][0] AS found
    WHERE found IS NOT NULL
    RETURN entity, found ORDER BY entity.place LIMIT $limit
  }}
  RETURN entity, found LIMIT $limit
}}
RETURN part, {CARD}, entity.names[found]
"""
_TYPES = f"""
{STILL_HERE}
RETURN graph.types
"""
_SIMILAR = f"""
UNWIND $patterns AS pattern
CALL db.index.fulltext.queryNodes('{ENTITY_NAMES}', pattern) YIELD node AS entity
WITH DISTINCT entity
RETURN {CARD}, entity.folded
"""


class Neo4jStore:
    """A `GraphStore` over one load of a graph, in a database that holds others too.

    An open store keeps reading what it opened when another load takes its place; the load after that removes it, and
    then the store says so.

    Why every entity carries its packed relations: Neo4j keeps the edges of a hub by type, but does not list those
    types. Without a plug-in, Cypher finds them only by walking every edge. For a hub with 1,000,000 edges of 100
    types that took 162 ms, reading its degree along each of the types, had they been known, 99 ms, and the packed
    relations 1.8 ms, just as for a node with 100 edges (`tests/bench/bench_neo4j.py`, all in one run).
    """

    def __init__(self, connection: Neo4jConnection, graph: int) -> None:
        """Open a graph by its number. The connection is the library's, which closes it.

        Raises:
            GraphStoreError: there is no such graph, it is not complete, or Neo4j cannot be asked.

        """
        self._connection = connection
        self._graph = graph
        self._closed = False
        about = self._read(_ABOUT, {}, lambda rows: next((dict(row["graph"]) for row in rows), {}))
        if not about:
            raise self._gone()
        if about["format"] not in READABLE_VERSIONS:
            raise GraphVersionError(f"The graph “{about['title']}” in Neo4j is of another version. Load it again.")
        self._format: int = about["format"]
        self._info = graph_info(about)
        predicates = self._read(_PREDICATES, {}, lambda rows: list(map(_predicate, rows)))
        self._predicates = Predicates(predicates)
        self._predicate_count = len(predicates)
        self._names_of_types = {relationship_type(predicate.name): predicate.name for predicate in predicates}
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
        return self._types.relations(entities, self._predicates.counts(self._packed(entities).values()))

    def relations_each(self, entities: Collection[Entity]) -> Mapping[Entity, Sequence[RelationCount]]:
        """See `GraphStore.relations_each`."""
        packed = {Entity(mid): packed for mid, packed in self._packed(entities).items()}
        return self._types.relations_each(entities, self._predicates.counts_each(packed))

    def links(self, entities: Collection[Entity], targets: Collection[Entity]) -> Collection[Link]:
        """See `GraphStore.links`. One query for what the entities and the targets have, one to probe what both have."""
        found = self._linked(entities, targets)
        return self._types.links(entities, self.cards(targets), found) if self._types.among(entities) else found

    def _linked(self, entities: Collection[Entity], targets: Collection[Entity]) -> set[Link]:
        packed = self._packed({*entities, *targets})
        codes = {mid: set(unpack(pairs)[:, 0].tolist()) for mid, pairs in packed.items()}
        asked, wanted = ({entity.mid for entity in some} & codes.keys() for some in (entities, targets))
        shared = {code for mid in asked for code in codes[mid]} & {code ^ 1 for mid in wanted for code in codes[mid]}
        shared = {code for code in shared if self._predicates.is_offered(code)}
        if not shared:
            return set()
        predicates = sorted({self._predicates.relation(code).predicate for code in shared})
        probing = {
            "mids": [mid for mid in asked if codes[mid] & shared],
            "targets": [mid for mid in wanted if any(code ^ 1 in shared for code in codes[mid])],
        }
        query = _PROBE.replace("TYPES", "|".join(map(quoted_type, predicates)))
        found: set[Link] = set()
        for mid, edge, forward, backward in self._read(query, probing, rows_of):
            relation = Relation(self._names_of_types[edge])
            directions = ((relation, forward), (relation.inverse, backward))
            found.update(Link(way, Entity(mid)) for way, is_so in directions if is_so)
        return found

    def expand(self, entities: Collection[Entity], relation: Relation, limit: int) -> Expansion:
        """See `GraphStore.expand`. One query; where the limit cuts, one more for hubs and one for other entities."""
        if relation == INSTANCES:
            return self._types.expand(entities, limit)
        code = self._predicates.code(relation)
        if code is None or not entities:
            return Expansion((), 0)
        query = _EXPAND.replace("EDGE", edge_pattern(relation))
        rows = self._read(query, {"mids": mids_of(entities), "limit": limit}, rows_of)
        total = sum(triples for _, _, triples, _ in rows)
        sources = {place: Entity(mid) for place, mid, _, _ in rows}
        if total <= limit:
            reached = {place: terms for place, _, _, terms in rows}
        else:
            triples_of = {place: triples for place, _, triples, _ in rows}
            shares = fair_shares(triples_of, limit)
            some = self.first_reached(
                relation, code, {place: triples_of[place] for place in shares}, max(shares.values(), default=0)
            )
            reached = {place: [text for _, text in some[place][:share]] for place, share in shares.items()}
        pairs = ((place, term) for place in sorted(reached) for term in reached[place])
        parsed: dict[str, Term] = {}
        triples = []
        for place, text in in_turns(pairs):
            term = parsed.get(text)
            if term is None:
                term = parsed[text] = parse_term(text)
            triples.append(triple_of(sources[place], relation, term))
        return Expansion(triples, total)

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
        for own, packed in self._read(PLACED, {"mids": [entity.mid]}, rows_of):
            if total := count_of(packed, code):
                rows = self.first_reached(relation, code, {own: total}, wanted, after)[own]
        first = place_of(self._graph, 0)
        return page_of(
            entity, relation, rows, limit, total, lambda last: encode_cursor(self._info.version, last - first)
        )

    def cards(self, entities: Collection[Entity]) -> Mapping[Entity, EntityCard]:
        """See `GraphStore.cards`."""
        cards = self._read(_CARDS, {"mids": mids_of(entities)}, lambda rows: [card_of(row.values()) for row in rows])
        return self._types.cards(entities, {card.entity: card for card in cards})

    def search(self, text: str, limit: int) -> Sequence[EntityMatch]:
        """See `GraphStore.search`. What bears exactly the name that was typed goes before everything else."""
        folded = fold_name(text)
        words = folded.split()
        if not words or limit <= 0:
            return []
        patterns = [exact_pattern(self._graph, [folded])]
        if any(character.isalnum() for character in folded):
            patterns += prefix_patterns(self._graph, words)
        asked = {"patterns": patterns, "folded": folded, "whole": words[:-1], "last": words[-1], "limit": limit}
        found: dict[Entity, EntityMatch] = {}
        for *card, matched in self._read(_SEARCH, asked, rows_of):
            match = EntityMatch(card_of(card), matched)
            found.setdefault(match.card.entity, match)
        return list(found.values())[:limit]

    def named(self, names: Collection[str]) -> Mapping[str, Sequence[EntityMatch]]:
        """See `GraphStore.named`."""
        asked = {name: fold_name(name) for name in names}
        folded = sorted(set(asked.values()) - {""})
        parts = [folded[start : start + _NAMES_A_PATTERN] for start in range(0, len(folded), _NAMES_A_PATTERN)]
        patterns = [exact_pattern(self._graph, part) for part in parts]
        bearers: defaultdict[str, list[EntityMatch]] = defaultdict(list)
        for *values, keys in self._read(_NAMED, {"patterns": patterns}, rows_of):
            card = card_of(values)
            for key, text in zip(keys, values[2], strict=True):
                bearers[key].append(EntityMatch(card, text))
        return {name: bearers[key] for name, key in asked.items() if key in bearers}

    def containing(self, parts: Collection[str], limit: int) -> Mapping[str, Sequence[EntityMatch]]:
        """See `GraphStore.containing`. One query for all parts."""
        words = {part: fold_name(part).split() for part in parts}
        wanted = [part for part in parts if any(map(str.isalnum, words[part]))]
        if not wanted or limit <= 0:
            return {}
        asked = [
            {
                "patterns": part_patterns(self._graph, words[part]),
                "holding": holding_pattern(words[part]),
                "whole": " ".join(words[part]),
            }
            for part in wanted
        ]
        found: defaultdict[str, list[EntityMatch]] = defaultdict(list)
        for place, *card, matched in self._read(_CONTAINING, {"parts": asked, "limit": limit}, rows_of):
            found[wanted[place]].append(EntityMatch(card_of(card), matched))
        return dict(found)

    def similar(self, names: Collection[str]) -> Mapping[str, Sequence[EntityMatch]]:
        """See `GraphStore.similar`. The index counts edits somewhat otherwise, so what it finds is looked at again."""
        return nearest(names, self._respelt)

    def _respelt(self, names: Collection[str], errors: int) -> Iterator[tuple[str, EntityMatch]]:
        each = (similar_patterns(self._graph, name.split(), errors) for name in names)
        patterns = sorted({pattern for some in each for pattern in some})
        for *values, keys in self._read(_SIMILAR, {"patterns": patterns}, rows_of) if patterns else ():
            card = card_of(values)
            for key, text in zip(keys, values[2], strict=True):
                yield key, EntityMatch(card, text)

    def labels(self, terms: Collection[Term]) -> Mapping[Term, str]:
        """See `GraphStore.labels`."""
        mids = mids_of(term for term in terms if isinstance(term, Entity))
        names = self._read(_LABELS, {"mids": mids}, _pairs) if mids else {}
        return self._types.labels(
            {term: names.get(term.mid, term.mid) if isinstance(term, Entity) else literal_label(term) for term in terms}
        )

    def types(self) -> Mapping[Entity, int]:
        """See `GraphStore.types`."""
        return self._types.counts

    def read_types(self) -> Mapping[str, int]:
        """See `kgstore.store_parts.types_as_entities.InstanceLists`."""
        [[kept]] = self._read(_TYPES, {}, rows_of)
        return json.loads(kept) if kept else {}

    def read_instances(self, name: str, limit: int, after: int = 0) -> Sequence[tuple[int, str]]:
        """See `kgstore.store_parts.types_as_entities.InstanceLists`."""
        code = type_code(self._predicate_count, self._types.numbers[name])
        base = place_of(self._graph, 0)
        asked = {"places": [base], "code": code, "share": limit, "after_number": after, "first": base}
        rows = self._read(_FIRST_OF_HUBS, {**asked, "parts": limit // HUB_PART + 2}, rows_of)
        return sorted((reached - base, text) for _, reached, text in rows)

    def close(self) -> None:
        """Read no more. The connection stays open for other graphs."""
        self._closed = True

    def first_reached(
        self, relation: Relation, code: int, triples: Mapping[int, int], share: int, after: int = 0
    ) -> dict[int, list[tuple[int, str]]]:
        """The first terms that entities lead to, by the entities' places: each a place and a text, in order.

        ``triples`` says how many triples each of them has along the relation, ``share`` how many terms are wanted of
        each, ``after`` the number of the term after which they begin.
        """
        first: dict[int, list[tuple[int, str]]] = {own: [] for own in triples}
        hubs = [own for own, count in triples.items() if count > HUB_TRIPLES and self._format >= HUBS_SINCE]
        others = [own for own in triples if own not in set(hubs)]
        base = place_of(self._graph, 0)
        asked = {"share": share, "after": base + after, "after_number": after, "first": base}
        asked |= {"code": code, "parts": share // HUB_PART + 2}
        rows: list[list[Any]] = []
        if others:
            rows += self._read(_FIRST.replace("EDGE", edge_pattern(relation)), {**asked, "places": others}, rows_of)
        if hubs:
            rows += self._read(_FIRST_OF_HUBS, {**asked, "places": hubs}, rows_of)
        for own, reached, text in rows:
            first[own].append((reached, text))
        for terms in first.values():
            terms.sort()
        return first

    def _packed(self, entities: Collection[Entity]) -> dict[str, bytes]:
        """The packed relations of every entity, by mid."""
        packed: dict[str, bytes] = self._read(_RELATIONS, {"mids": mids_of(entities)}, _pairs)
        return packed

    def _read(self, query: str, parameters: Mapping[str, Any], take: Callable[[Result], Taken]) -> Taken:
        """Run a query on this graph.

        A graph that was removed in the meantime holds nothing; so whatever finds nothing asks whether it is there.
        """
        if self._closed:
            raise GraphStoreError("The graph was closed; open it again.")
        taken = self._connection.read(query, {"graph": self._graph, **parameters}, take)
        if not taken and query is not _ABOUT and not self._is_there():
            raise self._gone()
        return taken

    def _is_there(self) -> bool:
        return self._connection.read(_ABOUT, {"graph": self._graph}, lambda rows: next(iter(rows), None)) is not None

    def _gone(self) -> GraphStoreError:
        return GraphStoreError("The graph was replaced by another load and is gone. Ask again.", retryable=True)


def graph_info(about: Mapping[str, Any]) -> GraphInfo:
    """What the properties of a `Graph` node say."""
    return GraphInfo(
        name=about["name"],
        title=about["title"],
        version=about["version"],
        source=about["source"],
        loaded_at=about["loaded_at"],
        entities=about["entities"],
        triples=about["triples"],
        predicates=about["predicates"],
        filters=tuple(about.get("filters", ())),
        named=about.get("named"),
        commonest=commonest_from_json(about.get("commonest", "")),
        is_outdated=about["format"] != FORMAT_VERSION,
    )


def edge_pattern(relation: Relation) -> str:
    """The relation's edges, as they stand in a query."""
    kind = f"[:{quoted_type(relation.predicate)}]"
    return f"<-{kind}-" if relation.is_reverse else f"-{kind}->"


def rows_of(result: Result) -> list[list[Any]]:
    """The values of every row."""
    return [record.values() for record in result]


def _pairs(result: Result) -> dict[str, Any]:
    return dict(record.values() for record in result)


def mids_of(entities: Iterable[Entity]) -> list[str]:
    """The ids of entities, each once, as queries take them."""
    return list({entity.mid for entity in entities})


def _predicate(row: Record) -> Predicate:
    name, is_offered, reverse, subject_kind, object_kind, label = row
    return Predicate(name, is_offered, reverse, TermKind(subject_kind), TermKind(object_kind), label or "")


def card_of(values: Sequence[Any]) -> EntityCard:
    """The card of what `CARD` gives."""
    mid, name, names, types, is_mediator, popularity = values[:6]
    aliases = tuple(alias for alias in names or () if alias != name)
    return EntityCard(Entity(mid), name, tuple(types or ()), is_mediator, popularity, aliases)
