"""A part of a larger graph: everything within some hops of topic entities, and what gold queries touch.

READS cuts its graphs out of Freebase so (arXiv 2412.12643, appendix B). Edges are walked both ways, as the engine does.
A loaded graph is asked through its store; a dump is read from beginning to end once a hop and twice more to write.
Memory holds the entities of the part, never the graph.
"""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from kgstore.disk import why_not_written, written_whole
from kgstore.freebase.knowledge import load_knowledge
from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.tsv import FILTER_COMMENT
from kgstore.terms import Direction, Entity, Relation, TermError, Text, parse_term

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText
    from kgstore.loading.formats.source import TripleSource
    from kgstore.store import GraphStore

_NAME, _ALIAS, _TYPE = "type.object.name", "common.topic.alias", "type.object.type"
_ASKED_AT_ONCE = 500
_REPORT_EVERY = 20_000
_GOLD_FIELDS = 2


@dataclass(frozen=True, slots=True)
class Gold:
    """What gold queries touch and must be in the part, however far it is."""

    entities: frozenset[str] = frozenset()
    """With all their facts."""
    relations: frozenset[tuple[str, Relation]] = frozenset()
    """An entity with its facts along one relation."""

    def __len__(self) -> int:
        return len(self.entities) + len(self.relations)


class Surroundings(Protocol):
    """A graph that can be asked what is around entities. ``report`` is called with the finished share, 0 to 1."""

    def facts(
        self, entities: AbstractSet[str], along: AbstractSet[tuple[str, Relation]], report: Callable[[float], None]
    ) -> Iterator[TripleText]:
        """The facts with one of the entities at either end, and those of an entity along a relation."""

    def naming(self, entities: AbstractSet[str], report: Callable[[float], None]) -> Iterator[TripleText]:
        """The triples that name and type the entities."""

    def filters(self) -> Sequence[str]:
        """What the graph itself is of a larger one; see `kgstore.store.GraphInfo.filters`."""


class DumpSurroundings:
    """A file of triples, read again for every question."""

    def __init__(self, source: TripleSource) -> None:
        self._source = source
        knowledge = load_knowledge()
        self._naming = knowledge.naming_relations

    def facts(
        self, entities: AbstractSet[str], along: AbstractSet[tuple[str, Relation]], report: Callable[[float], None]
    ) -> Iterator[TripleText]:
        """See `Surroundings.facts`."""
        forward = {(mid, relation.predicate) for mid, relation in along if not relation.is_reverse}
        backward = {(mid, relation.predicate) for mid, relation in along if relation.is_reverse}
        for triple in self._triples(report):
            subject, predicate, obj = triple
            if predicate not in self._naming and (
                subject in entities
                or obj in entities
                or (forward and (subject, predicate) in forward)
                or (backward and (obj, predicate) in backward)
            ):
                yield triple

    def naming(self, entities: AbstractSet[str], report: Callable[[float], None]) -> Iterator[TripleText]:
        """See `Surroundings.naming`."""
        return (triple for triple in self._triples(report) if triple[1] in self._naming and triple[0] in entities)

    def filters(self) -> Sequence[str]:
        """See `Surroundings.filters`."""
        return self._source.filters()

    def _triples(self, report: Callable[[float], None]) -> Iterator[TripleText]:
        for number, triple in enumerate(self._source):
            if not number % _REPORT_EVERY:
                report(self._source.lines.fraction)
            yield triple


class StoreSurroundings:
    """A loaded graph. Relations that are never offered are not seen."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._reverse_of = load_knowledge().reverse_of
        self._is_offered = load_knowledge().is_offered

    def facts(
        self, entities: AbstractSet[str], along: AbstractSet[tuple[str, Relation]], report: Callable[[float], None]
    ) -> Iterator[TripleText]:
        """See `Surroundings.facts`."""
        for batch in _batches(entities, report):
            for relation in self._relations(batch):
                for subject, predicate, obj in self._expand(batch, relation):
                    # A fact between two of the entities is read with its subject.
                    if not relation.is_reverse or subject not in entities:
                        yield subject, predicate, obj
        seen: set[TripleText] = set()
        for mid, relation in sorted(along):
            for triple in self._expand([Entity(mid)], relation):
                is_read = self._is_offered(triple[1]) and not entities.isdisjoint((triple[0], triple[2]))
                if not is_read and triple not in seen:
                    seen.add(triple)
                    yield triple

    def naming(self, entities: AbstractSet[str], report: Callable[[float], None]) -> Iterator[TripleText]:
        """See `Surroundings.naming`."""
        for batch in _batches(entities, report):
            for entity, card in self._store.cards(batch).items():
                if card.name is not None:
                    yield entity.mid, _NAME, str(Text(card.name))
                for alias in card.aliases:
                    yield entity.mid, _ALIAS, str(Text(alias))
                for name in card.types:
                    yield entity.mid, _TYPE, name

    def filters(self) -> Sequence[str]:
        """See `Surroundings.filters`."""
        return self._store.info().filters

    def _relations(self, entities: Collection[Entity]) -> Sequence[Relation]:
        """The relations of entities, with the reverse readings that the store leaves out as said twice."""
        relations = [count.relation for count in self._store.relations(entities)]
        forward = [relation.predicate for relation in relations if not relation.is_reverse]
        twice = [Relation(name, Direction.REVERSE) for name in map(self._reverse_of, forward) if name]
        return [*relations, *(relation for relation in twice if relation not in relations)]

    def _expand(self, entities: Collection[Entity], relation: Relation) -> Iterator[TripleText]:
        total = self._store.expand(entities, relation, 0).total
        for triple in self._store.expand(entities, relation, total).triples if total else ():
            yield triple.subject.mid, triple.predicate, str(triple.object)


@dataclass(slots=True)
class SubsetReport:
    """What a part of a graph holds, and what it leaves out."""

    hops: int
    topics: int
    topics_found: int = 0
    topics_missing: list[str] = field(default_factory=list)
    """The first of those that the graph does not hold."""
    entities_met: int = 0
    """Entities within one hop less than asked for: those that were or might have been walked through."""
    hubs: int = 0
    """Of them those that were not, for having too many facts."""
    gold: int = 0
    gold_found: int = 0
    entities: int = 0
    facts: int = 0
    names: int = 0
    """Triples that name or type."""
    literals_left_out: int = 0
    """Triples with a literal, names among them, that were not written."""


class Subset:
    """A part of a graph. `walk` first, then iterate once to have its triples; `report` grows with both."""

    def __init__(
        self,
        graph: Surroundings,
        topics: Collection[str],
        *,
        hops: int,
        gold: Gold | None = None,
        most_facts: int | None = None,
        progress: Callable[[str, float], None] = lambda _stage, _fraction: None,
    ) -> None:
        """Say what the part is to be.

        Args:
            graph: the larger one.
            topics: the ids to begin at.
            hops: how many edges lead to the farthest entity.
            gold: what is in the part besides.
            most_facts: an entity with more facts is not walked through, unless it is a topic; None walks through all.
            progress: called with what is being done, and the share that is done, from 0 to 1.

        """
        self._graph = graph
        self._topics = frozenset(topics)
        self._gold = gold or Gold()
        self._most_facts = most_facts
        self._progress = progress
        self._walked: set[str] = set()
        self.report = SubsetReport(hops=hops, topics=len(self._topics), gold=len(self._gold))

    def walk(self) -> None:
        """Find the entities whose facts belong to the part.

        Raises:
            GraphLoadError: the dump cannot be read.
            GraphStoreError: the store cannot be read.

        """
        seen, frontier = set(self._topics), set(self._topics)
        for hop in range(1, self.report.hops + 1):
            limit = None if hop == 1 else self._most_facts
            neighbours, hubs = self._neighbours(frontier, limit, f"Hop {hop} of {self.report.hops}")
            if hop == 1:
                self._note_topics(neighbours)
            self.report.entities_met += len(neighbours)
            self.report.hubs += len(hubs)
            self._walked |= neighbours.keys() - hubs
            frontier = {mid for near, reached in neighbours.items() if near not in hubs for mid in reached} - seen
            seen |= frontier

    def __iter__(self) -> Iterator[TripleText]:
        held: set[str] = set()
        gold_met: set[tuple[str, Relation]] = set()
        along = self._gold.relations
        inside = self._walked | self._gold.entities
        for triple in self._graph.facts(inside, along, lambda done: self._progress("Facts", done)):
            subject, predicate, obj = triple
            held.add(subject)
            if obj[0] != '"':
                held.add(obj)
            if along:
                ends = ((subject, Relation(predicate)), (obj, Relation(predicate, Direction.REVERSE)))
                gold_met.update(end for end in ends if end in along)
            self.report.facts += 1
            yield triple
        self.report.entities = len(held)
        self.report.gold_found = len(gold_met) + len(self._gold.entities & held)
        for triple in self._graph.naming(held, lambda done: self._progress("Names", done)):
            self.report.names += 1
            yield triple

    def words(self) -> list[str]:
        """What the part is of the larger graph, for people; asked once it was walked."""
        report = self.report
        hops = f"{report.hops} hop{'s' * (report.hops > 1)}"
        words = [
            *self._graph.filters(),
            f"{hops} around {report.topics_found:,} of {report.topics:,} topics",
        ]
        if report.hubs:
            words.append(
                f"{report.hubs:,} of {report.entities_met:,} entities not walked through, "
                f"for having more than {self._most_facts:,} facts"
            )
        if self._gold:
            words.append(
                f"all facts of {len(self._gold.entities):,} gold entities, "
                f"and those of {len(self._gold.relations):,} others along a gold relation"
            )
        return words

    def _neighbours(
        self, frontier: AbstractSet[str], limit: int | None, stage: str
    ) -> tuple[dict[str, set[str]], set[str]]:
        """For every entity of the frontier that has facts those that they lead to; and which have more than allowed."""
        reached: defaultdict[str, set[str]] = defaultdict(set)
        facts: Counter[str] = Counter()
        hubs: set[str] = set()
        for subject, _, obj in self._graph.facts(frontier, frozenset(), lambda done: self._progress(stage, done)):
            for near, far in {(subject, obj), (obj, subject)}:
                if near not in frontier:
                    continue
                facts[near] += 1
                around = reached[near]
                if limit is not None and facts[near] > limit:
                    hubs.add(near)
                    around.clear()
                elif far[0] != '"':
                    around.add(far)
        return dict(reached), hubs

    def _note_topics(self, found: Collection[str]) -> None:
        missing = sorted(self._topics.difference(found))
        self.report.topics_found = len(self._topics) - len(missing)
        self.report.topics_missing = missing[:10]


def read_gold(path: Path) -> Gold:
    """Read what gold queries touch: ``entity`` or ``entity⇥relation`` a line; a caret marks one walked backwards.

    Raises:
        GraphLoadError: the file cannot be read, or a line is neither.

    """
    entities, relations = set(), set()
    for number, fields in _rows(path):
        if len(fields) > _GOLD_FIELDS or not all(fields):
            raise GraphLoadError(f"{path}, line {number}: expected an id, or an id and a relation with a tab between.")
        mid = _mid(path, number, fields[0])
        if len(fields) == _GOLD_FIELDS:
            relations.add((mid, Relation.parse(fields[1])))
        else:
            entities.add(mid)
    return Gold(frozenset(entities), frozenset(relations))


def read_topics(path: Path) -> list[str]:
    """Read ids, one a line; what stands after a tab is passed over.

    Raises:
        GraphLoadError: the file cannot be read, or a line is no id.

    """
    return [_mid(path, number, fields[0]) for number, fields in _rows(path)]


def write_tsv(path: Path, subset: Subset, *, comments: bool = True, literals: bool = True) -> None:
    """Write a part that was walked as TSV, gzipped where the name ends in .gz; nothing is left where it fails.

    First lines say what the part is of the larger graph, unless ``comments`` is False. Without ``literals``, triples
    whose object is one are left out and counted.

    Raises:
        GraphLoadError: the file cannot be written, or the dump cannot be read.
        GraphStoreError: the store cannot be read.

    """
    try:
        with written_whole(path) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
            file.writelines(f"{FILTER_COMMENT}{words}\n" for words in (subset.words() if comments else ()))
            file.writelines("\t".join(triple) + "\n" for triple in (subset if literals else _without_literals(subset)))
    except OSError as error:
        raise GraphLoadError(f"{path} cannot be written: {why_not_written(error)}") from error


def _without_literals(subset: Subset) -> Iterator[TripleText]:
    for triple in subset:
        if triple[2].startswith('"'):
            subset.report.literals_left_out += 1
        else:
            yield triple


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    for first, lines in LineReader(path, strict=True).batches():
        for number, line in enumerate(lines, start=first):
            if line.strip() and not line.startswith("# "):
                yield number, [field.strip() for field in line.split("\t")]


def _mid(path: Path, number: int, text: str) -> str:
    try:
        term = parse_term(text)
    except TermError as error:
        raise GraphLoadError(f"{path}, line {number}: {error}.") from error
    if not isinstance(term, Entity):
        raise GraphLoadError(f"{path}, line {number}: {text} is a literal and no id.")
    return term.mid


def _batches(mids: Iterable[str], report: Callable[[float], None]) -> Iterator[list[Entity]]:
    """Entities in an order that does not change from run to run, some at a time."""
    ordered = sorted(mids)
    rest = iter(ordered)
    done = 0
    while batch := [Entity(mid) for mid in islice(rest, _ASKED_AT_ONCE)]:
        report(done / len(ordered))
        yield batch
        done += len(batch)
    report(1.0)
