"""From triples as texts to a graph as columns: what a store holds is decided here, how it holds it elsewhere.

Memory, not disk, holds the graph while it is arranged: some 150 bytes a distinct term and 100 bytes a triple.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kgstore.iris import is_blank_node
from kgstore.loading.completing import completed
from kgstore.loading.edges import Edges
from kgstore.loading.errors import NoTriplesError
from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.instances import instance_lists
from kgstore.loading.names_from_ids import aliases_from_id, name_from_id
from kgstore.loading.naming import Naming
from kgstore.loading.pages import pages
from kgstore.loading.relation_names import RelationNames, distinct_labels
from kgstore.store_parts.relation_codes import COUNT_TYPE, Predicate
from kgstore.terms import TermKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from kgstore.freebase.knowledge import FreebaseKnowledge
    from kgstore.loading.edges import Ids
    from kgstore.loading.formats.lines import TripleText

_BATCH = 50_000
_TYPES_INFERRED = 3
_KIND_OF_DATATYPE = {
    **dict.fromkeys(("^^xsd:integer", "^^xsd:decimal", "^^xsd:double"), TermKind.NUMBER),
    **dict.fromkeys(("^^xsd:date", "^^xsd:gYearMonth", "^^xsd:gYear"), TermKind.DATE),
}
"""The datatypes of numbers and dates, as `kgstore.terms` writes them."""
_KINDS = (TermKind.ENTITY, TermKind.MEDIATOR, TermKind.NUMBER, TermKind.DATE, TermKind.TEXT)


class Node(NamedTuple):
    """An entity of the graph."""

    mid: str
    name: str | None
    aliases: Sequence[str]
    types: Sequence[str]
    is_mediator: bool
    popularity: int
    relations: bytes
    """The packed (relation code, triples) pairs."""


@dataclass(frozen=True, slots=True)
class ArrangedGraph:
    """A graph ready to be written. Ids of terms count from 1, in the one order of `kgstore.store.GraphStore`.

    Entities come first: the best known before others, named before nameless, then by id. Literals follow by their text.
    """

    predicates: Sequence[Predicate]
    nodes: Sequence[Node]
    instances: Mapping[str, Sequence[int]]
    """By type, the numbers of the entities that are of it; see `kgstore.loading.instances`."""
    literals: Sequence[str]
    edges: Edges
    triples: int
    """Distinct triples, those that name or type included."""
    completed: int
    """Edges that a reverse relation adds to them."""
    names_unused: int
    """Names that were given for ids which stand in no triple."""
    names_foreign: int
    """Names in other languages that were left out."""
    pages: int
    """Pages about things that were left out; see `kgstore.loading.pages`."""


class RawGraph:
    """Triples as numbers of texts, in the order in which they were read, duplicates included."""

    def __init__(
        self, triples: Iterable[TripleText], progress: Callable[[int], None], *, may_be_empty: bool = False
    ) -> None:
        """Read the triples to their end; ``progress`` is called now and then with their number.

        Raises:
            NoTriplesError: there are none, and the graph may not be empty.

        """
        terms: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        predicates: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        numbers = (terms, predicates, terms)
        batches: list[Ids] = []
        done = 0
        progress(done)
        for columns in triples.columns() if isinstance(triples, TripleReader) else _columns(triples):
            size = len(columns[0])
            batches.append(
                np.array(
                    [
                        np.fromiter(map(number.__getitem__, column), np.int64, size)
                        for number, column in zip(numbers, columns, strict=True)
                    ]
                )
            )
            done += size
            progress(done)
        if not done and not may_be_empty:
            raise NoTriplesError("There are no triples to load.")
        self.columns: Ids = np.concatenate([np.empty((3, 0), np.int64), *batches], axis=1)
        self.numbers = dict(terms)
        self.texts = list(terms)
        self.predicates = list(predicates)

    def __len__(self) -> int:
        return int(self.columns.shape[1])


def _columns(triples: Iterable[TripleText]) -> Iterator[Sequence[Sequence[str]]]:
    source = iter(triples)
    while batch := list(islice(source, _BATCH)):
        yield list(zip(*batch, strict=True))


def arrange(
    raw: RawGraph,
    names: Iterable[tuple[str, str]],
    knowledge: FreebaseKnowledge,
    *,
    names_from_ids: bool = False,
) -> ArrangedGraph:
    """Sort a graph into what a store is written from.

    ``names`` are those of a names file, as (mid, name). They come before names in the triples, which become aliases.
    With ``names_from_ids``, what still has no name gets the one that its id says.
    """
    naming_relations = knowledge.naming_relations
    is_naming = np.array([name in naming_relations for name in raw.predicates], bool)
    own_pages = pages(raw)
    columns = own_pages.without(raw.columns)
    distinct = Edges.distinct(*columns)
    edges = distinct.where(~is_naming[distinct.predicate])
    degree = edges.degrees(len(raw.texts))

    naming = Naming()
    naming.read(_triple_texts(raw, columns[:, is_naming[columns[1]]]), knowledge)
    of_relations = RelationNames(itertools.compress(raw.predicates, ~is_naming), naming.properties)
    unused = 0
    for mid, name in names:
        names_relations = of_relations.give(mid, name)
        number = raw.numbers.get(mid)
        if number is not None and (degree[number] or mid in naming.names or mid in naming.types):
            naming.prefer(mid, name)
        elif not names_relations:
            unused += 1
    naming.settle()
    labels = distinct_labels(filter(knowledge.is_offered, of_relations.predicates), of_relations.of(naming.names))
    if names_from_ids:
        _name_from_ids(raw, degree, naming)

    # What is said of the vocabulary itself, the label of a relation or that it is one, names nothing of the graph.
    own = [mid for mid in {**naming.names, **naming.types} if not of_relations.relations_of(mid)]
    entities, literals = _terms(raw, degree, naming, own)
    ids = np.zeros(len(raw.texts), np.int64)
    ids[np.concatenate((entities, literals))] = np.arange(1, len(entities) + len(literals) + 1)
    predicate_names = sorted(name for name in raw.predicates if name not in naming_relations)
    places = {name: place for place, name in enumerate(predicate_names)}
    ranks = np.array([places.get(name, -1) for name in raw.predicates], np.int64)
    edges = Edges.distinct(ids[edges.subject], ranks[edges.predicate], ids[edges.object])

    mids = [raw.texts[number] for number in entities.tolist()]
    counts = _RelationCounts(edges, len(mids), len(predicate_names))
    types = _types(mids, naming, counts, predicate_names, knowledge)
    is_mediator = _mediators(mids, naming, types, edges, knowledge)
    reverses = [places.get(knowledge.reverse_of(name) or "") for name in predicate_names]
    as_read, edges = edges, completed(edges, mids, is_mediator, reverses)
    if edges is not as_read:
        counts = _RelationCounts(edges, len(mids), len(predicate_names))
    literal_texts = [raw.texts[number] for number in literals.tolist()]
    kinds = np.array([0, *is_mediator, *map(_literal_kind, literal_texts)])
    return ArrangedGraph(
        predicates=_predicates(predicate_names, reverses, edges, kinds, labels, knowledge),
        nodes=list(
            map(
                Node,
                mids,
                map(naming.names.get, mids),
                (naming.aliases.get(mid, ()) for mid in mids),
                types,
                is_mediator,
                degree[entities].tolist(),
                counts.packed(),
            )
        ),
        instances=instance_lists(types),
        literals=literal_texts,
        edges=edges,
        triples=len(distinct),
        completed=len(edges) - len(as_read),
        names_unused=unused,
        names_foreign=naming.foreign,
        pages=len(own_pages),
    )


def _triple_texts(raw: RawGraph, columns: Ids) -> Iterator[TripleText]:
    subjects, predicates, objects = columns.tolist()
    for subject, predicate, obj in zip(subjects, predicates, objects, strict=True):
        yield raw.texts[subject], raw.predicates[predicate], raw.texts[obj]


def _name_from_ids(raw: RawGraph, degree: Ids, naming: Naming) -> None:
    for number in np.flatnonzero(degree).tolist():
        mid = raw.texts[number]
        if mid[0] != '"' and mid not in naming.names and (name := name_from_id(mid)):
            naming.add(mid, name)
            for alias in aliases_from_id(mid):
                naming.add(mid, alias)


def _terms(raw: RawGraph, degree: Ids, naming: Naming, own: Collection[str]) -> tuple[Ids, Ids]:
    """The entities and the literals that the graph holds, each in the order in which every store gives them.

    It holds those that stand in an edge, and ``own``.
    """
    is_literal = np.fromiter((text[0] == '"' for text in raw.texts), bool, len(raw.texts))
    is_held = degree > 0
    is_held[[raw.numbers[mid] for mid in own]] = True
    entities, literals = (_by_text(np.flatnonzero(is_held & mask), raw.texts) for mask in (~is_literal, is_literal))
    is_nameless = np.fromiter((raw.texts[number] not in naming.names for number in entities.tolist()), bool)
    return entities[np.lexsort((is_nameless, -degree[entities]))], literals


def _by_text(numbers: Ids, texts: Sequence[str]) -> Ids:
    return np.array(sorted(numbers.tolist(), key=texts.__getitem__), np.int64)


class _RelationCounts:
    """How many triples every entity has along every relation, sorted by entity and relation code."""

    def __init__(self, edges: Edges, entities: int, predicates: int) -> None:
        codes = max(2 * predicates, 1)
        leads_back = edges.object <= entities
        forward = edges.subject * codes + 2 * edges.predicate
        backward = edges.object[leads_back] * codes + 2 * edges.predicate[leads_back] + 1
        keys, self.triples = np.unique(np.concatenate((forward, backward)), return_counts=True)
        self.entity, self.code = np.divmod(keys, codes)
        self._entities = entities

    def packed(self) -> Iterator[bytes]:
        """For every entity its (relation code, triples) pairs as they are stored."""
        pairs = np.stack((self.code, self.triples), axis=1).astype(COUNT_TYPE)
        bounds = (np.searchsorted(self.entity, np.arange(1, self._entities + 2)) * pairs.itemsize * 2).tolist()
        raw = pairs.tobytes()
        for start, end in itertools.pairwise(bounds):
            yield raw[start:end]


def _types(
    mids: Sequence[str],
    naming: Naming,
    counts: _RelationCounts,
    predicates: Sequence[str],
    knowledge: FreebaseKnowledge,
) -> list[list[str]]:
    """The types of every entity, the most telling first.

    Where the graph gives none, they are read off the relations that the entity has, as Freebase's schema names every
    relation after the type of its subject: those come first that are behind the most relations.
    """
    telling: dict[str, int] = {}
    by_code = np.full(2 * len(predicates), -1)
    for place, predicate in enumerate(predicates):
        for code, name in enumerate((knowledge.subject_type(predicate), knowledge.object_type(predicate)), 2 * place):
            if name and not knowledge.telling_little.match(name):
                by_code[code] = telling.setdefault(name, len(telling))
    types = [
        sorted(naming.types[mid], key=knowledge.telling_little.match) if mid in naming.types else [] for mid in mids
    ]

    inferred = by_code[counts.code]
    is_wanted = (inferred >= 0) & np.array([True, *(not known for known in types)])[counts.entity]
    keys = counts.entity[is_wanted] * max(len(telling), 1) + inferred[is_wanted]
    keys, relations = np.unique(keys, return_counts=True)
    entity, inferred = np.divmod(keys, max(len(telling), 1))
    order = np.lexsort((-relations, entity))
    place_among_its_own = np.arange(len(order)) - np.searchsorted(entity[order], entity[order])
    order = order[place_among_its_own < _TYPES_INFERRED]
    names = list(telling)
    for owner, place in zip(entity[order].tolist(), inferred[order].tolist(), strict=True):
        types[owner - 1].append(names[place])
    return types


def _mediators(
    mids: Sequence[str], naming: Naming, types: Sequence[Sequence[str]], edges: Edges, knowledge: FreebaseKnowledge
) -> list[bool]:
    """Which entities are mediators: those of a mediator type, and those without a name that only link others.

    The second only where other entities have names. To link is to be the object of a triple and the subject of another.
    A blank node without a name always is one: RDF has them for nothing else.
    """
    out = np.bincount(edges.subject, minlength=len(mids) + 1)[1:].tolist()
    into = np.bincount(edges.object, minlength=len(mids) + 1)[1:].tolist()
    names_exist = any(mid in naming.names for mid in mids)
    mediates = []
    for number, mid in enumerate(mids):
        is_named = mid in naming.names
        by_type = not knowledge.mediator_types.isdisjoint(naming.types.get(mid, ()) if is_named else types[number])
        links = names_exist and not is_named and out[number] > 0 and into[number] > 0
        mediates.append(by_type or links or (not is_named and is_blank_node(mid)))
    return mediates


def _literal_kind(text: str) -> int:
    datatype = text[text.rindex('"') + 1 :]
    return _KINDS.index(_KIND_OF_DATATYPE.get(datatype, TermKind.TEXT))


def _predicates(
    names: Sequence[str],
    reverses: Sequence[int | None],
    edges: Edges,
    kinds: Ids,
    labels: Mapping[str, str],
    knowledge: FreebaseKnowledge,
) -> list[Predicate]:
    subject_kinds = _usual_kinds(edges.predicate, kinds[edges.subject], len(names))
    object_kinds = _usual_kinds(edges.predicate, kinds[edges.object], len(names))
    return [
        Predicate(name, knowledge.is_offered(name), reverse, subject_kind, object_kind, labels.get(name, ""))
        for name, reverse, subject_kind, object_kind in zip(names, reverses, subject_kinds, object_kinds, strict=True)
    ]


def _usual_kinds(predicate: Ids, kind: Ids, predicates: int) -> list[TermKind]:
    """For every predicate the kind that most of its triples have at one end."""
    counts = np.bincount(predicate * len(_KINDS) + kind, minlength=predicates * len(_KINDS))
    return [_KINDS[i] for i in counts.reshape(-1, len(_KINDS)).argmax(axis=1).tolist()]
