"""Reads of a graph: its entities and their facts, what joins them, and what there is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kgstore.exploring.common_neighbours import common_neighbours
from kgstore.exploring.paths import Ending, shortest_paths
from kgstore.store import OUTDATED
from kgstore.terms import Direction, Entity, Relation, TermKind
from webapp.asking.questions.phrases import question_about
from webapp.explorer.graph import FactRecorder, entities_ensure, explored_graph, kind_out
from webapp.explorer.schemas import (
    BetweenOut,
    CommonOut,
    EntityDetailOut,
    ExploredPageOut,
    KindCountOut,
    OverviewOut,
    PathsOut,
    RelationGroupOut,
    RelationUseOut,
    SchemaOut,
    WellKnownOut,
)
from webapp.explorer.values import description_of, entity_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.exploring.graph_schema import GraphSchema
    from kgstore.exploring.paths import Paths
    from kgstore.store import Page
    from kgstore.terms import Term, Triple

MAX_BETWEEN = 100_000
"""Maximum of facts that are read to find those between what is drawn."""
BETWEEN_SHOWN = 5_000
MAX_CONNECTED = 10
QUESTIONS_SHOWN = 6
_RELATIONS_A_KIND = 4
"""A schema lists this multiple of its number of types as relations."""
_FEW_ANSWERS = 20
_RELATIONS_WITH_VALUES = 40
"""Number of relations of an entity of which values are read."""


def entity_detail(*, graph: str, entity_id: str) -> EntityDetailOut:
    """What a graph holds of an entity.

    Raises:
        ProductError: there is no such graph or entity.

    """
    with explored_graph(graph) as store:
        [entity] = entities_ensure(store, entity_id)
        narrator = FactRecorder(store).narrator
        card = narrator.cards([entity])[entity]
        counts = [(count, narrator.relation(count.relation)) for count in store.relations([entity])]
        counts.sort(key=lambda each: (-each[0].triples, each[1].label, each[1].id))
        first = [count.relation for count, _ in counts[:_RELATIONS_WITH_VALUES]]
        values = dict(zip(first, entity_values(store, narrator, entity, first), strict=True))
        return EntityDetailOut(
            term=narrator.term(entity),
            hint=narrator.hint(entity),
            kinds=[kind_out(name) for name in card.types],
            aliases=list(card.aliases),
            description=description_of(store, entity),
            popularity=card.popularity,
            graph_version=store.info().version,
            groups=[
                RelationGroupOut(
                    relation=relation,
                    facts=count.triples,
                    leads_to=count.kind.value,
                    values=values.get(count.relation, []),
                )
                for count, relation in counts
            ],
        )


def entity_facts(*, graph: str, entity_id: str, relation_id: str, limit: int, cursor: str | None) -> ExploredPageOut:
    """Some of the facts of an entity along a relation, best known first.

    Raises:
        ProductError: there is no such graph or entity, or the cursor is none of this list.

    """
    with explored_graph(graph) as store:
        [entity] = entities_ensure(store, entity_id)
        relation = Relation.parse(relation_id)
        return _page(FactRecorder(store), store.page(entity, relation, limit, cursor), relation)


def relation_facts(*, graph: str, relation_id: str, limit: int, cursor: str | None) -> ExploredPageOut:
    """Some of all facts of a relation, those of the best known subjects first.

    Raises:
        ProductError: there is no such graph, an earlier version loaded it, or the cursor is none of this list.

    """
    with explored_graph(graph) as store:
        relation = Relation.parse(relation_id)
        return _page(FactRecorder(store), store.facts_of(relation.predicate, limit, cursor), relation)


def _page(recorder: FactRecorder, page: Page, relation: Relation) -> ExploredPageOut:
    facts = recorder.facts((triple, relation) for triple in page.triples)
    return ExploredPageOut(facts=facts, kinds=recorder.kinds(_ends(page.triples)), total=page.total, next=page.next)


def _ends(triples: Sequence[Triple]) -> Iterator[Term]:
    for triple in triples:
        yield from (triple.subject, triple.object)


def entities_common(*, graph: str, one: str, other: str, limit: int) -> CommonOut:
    """What two entities are both joined with.

    Raises:
        ProductError: there is no such graph or entity.

    """
    with explored_graph(graph) as store:
        ends = entities_ensure(store, one, other)
        if one == other:
            return CommonOut(facts=[], kinds={}, shown=0, total=0, reason="Choose two different entities.")
        found = common_neighbours(store, *ends, limit=limit)
        recorder = FactRecorder(store)
        read = [
            (triple, _read_from(end, triple))
            for each in found.neighbours
            for end, triples in zip(ends, (each.with_one, each.with_other), strict=True)
            for triple in triples
        ]
        first, second = (recorder.narrator.term(end).label for end in ends)
        return CommonOut(
            facts=recorder.facts(read),
            kinds=recorder.kinds(each.entity for each in found.neighbours),
            shown=len(found.neighbours),
            total=found.found if found.is_complete else None,
            reason=_why_common(first, second, found.found, found.looked_at, is_complete=found.is_complete),
        )


def _read_from(end: Entity, triple: Triple) -> Relation:
    return Relation(triple.predicate, Direction.FORWARD if triple.subject == end else Direction.REVERSE)


def _why_common(one: str, other: str, found: int, looked_at: int, *, is_complete: bool) -> str | None:
    if not is_complete:
        return f"There may be more: {one} and {other} have very many facts, of which {looked_at:,} were looked at."
    return None if found else f"Nothing in this graph is joined with both {one} and {other}."


def entity_paths(*, graph: str, source: str, target: str, longest: int, limit: int) -> PathsOut:
    """The shortest paths from one entity to another.

    Raises:
        ProductError: there is no such graph or entity.

    """
    with explored_graph(graph) as store:
        ends = entities_ensure(store, source, target)
        # One more shows whether there are more.
        found = shortest_paths(store, *ends, longest=longest, limit=limit + 1)
        shown = found.paths[:limit]
        recorder = FactRecorder(store)
        recorder.learn(step.triple for path in shown for step in path)
        paths = [[recorder.fact(step.triple, step.relation) for step in path] for path in shown]
        first, last = (recorder.narrator.term(end).label for end in ends)
        return PathsOut(
            paths=paths,
            kinds=recorder.kinds(_ends([step.triple for path in shown for step in path])),
            reason=_why_paths(found, first, last, longest=longest, limit=limit),
            looked_at=found.looked_at,
        )


def _why_paths(found: Paths, source: str, target: str, *, longest: int, limit: int) -> str | None:
    match found.ending:
        case Ending.ONE_ENTITY:
            return "Choose two different entities."
        case Ending.TOO_FAR:
            return f"No path of at most {longest} facts leads from {source} to {target}."
        case Ending.UNLINKED:
            return f"Nothing in this graph links {source} with {target}."
        case Ending.STOPPED:
            return (
                f"No path from {source} to {target} was found among the {found.looked_at:,} facts that were looked "
                "at. There may be one over entities with very many facts, which were left out."
            )
        case Ending.FOUND:
            pass
    if not found.is_complete:
        return (
            f"There may be other paths, and shorter ones: entities with very many facts were left out after "
            f"{found.looked_at:,} facts."
        )
    return f"There are more than these {limit} shortest paths." if len(found.paths) > limit else None


def facts_between(*, graph: str, ids: Sequence[str], others: Sequence[str] | None) -> BetweenOut:
    """The facts that join some entities with one another, or with others as well; what is no entity has none.

    Raises:
        ProductError: there is no such graph.

    """
    with explored_graph(graph) as store:
        own = {Entity(each) for each in ids}
        found = store.joining(own, own | {Entity(each) for each in others or ()}, MAX_BETWEEN)
        shown = found.triples[:BETWEEN_SHOWN]
        return BetweenOut(
            facts=FactRecorder(store).facts((triple, Relation(triple.predicate)) for triple in shown),
            shown=len(shown),
            total=len(found.triples),
            reason=None
            if found.is_complete
            else f"There may be more: {found.looked_at:,} facts were looked at, and then it was left at that.",
        )


def graph_overview(*, graph: str) -> OverviewOut:
    """What a graph is, and which relations and types it has most of.

    Raises:
        ProductError: there is no such graph.

    """
    with explored_graph(graph) as store:
        info, schema = store.info(), store.schema()
        best = store.best_known(MAX_CONNECTED)
        narrator = FactRecorder(store).narrator
        narrator.learn(card.entity for card in best)
        return OverviewOut(
            name=info.name,
            title=info.title,
            version=info.version,
            source=info.source,
            filters=list(info.filters),
            loaded_at=info.loaded_at,
            entities=info.entities,
            triples=info.triples,
            predicates=info.predicates,
            named=info.named,
            kinds_unknown=None if schema is None else schema.kinds_unknown,
            advice=list(info.advice),
            most_connected=[
                WellKnownOut(term=narrator.term(card.entity), hint=narrator.hint(card.entity), facts=card.popularity)
                for card in best
            ],
            is_outdated=info.is_outdated,
        )


def graph_schema_out(*, graph: str, limit: int) -> SchemaOut:
    """The kinds and relations of a graph, the most frequent first; counted when it was loaded.

    Raises:
        ProductError: there is no such graph.

    """
    with explored_graph(graph) as store:
        schema = store.schema()
        if schema is None:
            return SchemaOut(kinds=[], kinds_total=None, relations=[], relations_total=None, missing=OUTDATED)
        kinds = schema.kinds[:limit]
        listed = {None, *(kind.name for kind in kinds)}
        uses = [use for use in schema.relations if {use.subject_kind, use.object_kind} <= listed]
        narrator = FactRecorder(store).narrator
        narrator.learn(example for kind in kinds for example in kind.examples)
        relations = _relations_of_kinds(schema)
        return SchemaOut(
            kinds=[
                KindCountOut(
                    **kind_out(kind.name).model_dump(),
                    entities=kind.entities,
                    relations=relations[kind.name],
                    examples=[narrator.term(example) for example in kind.examples],
                )
                for kind in kinds
            ],
            kinds_total=schema.kinds_total,
            relations=[
                RelationUseOut(
                    relation=narrator.relation(Relation(use.predicate)),
                    facts=use.triples,
                    source_kind=use.subject_kind,
                    target_kind=use.object_kind,
                    leads_to=use.leads_to.value,
                )
                for use in uses[: _RELATIONS_A_KIND * limit]
            ],
            relations_total=schema.relations_total,
            missing=None,
        )


def _relations_of_kinds(schema: GraphSchema) -> Counter[str]:
    return Counter(kind for use in schema.relations for kind in {use.subject_kind, use.object_kind} if kind is not None)


def entity_questions(*, graph: str, entity_id: str) -> list[str]:
    """Questions that a graph can answer of an entity; none of one without a name, as no question could name it.

    Those with few answers come first, and those in its direction before those against it.

    Raises:
        ProductError: there is no such graph or entity.

    """
    with explored_graph(graph) as store:
        [entity] = entities_ensure(store, entity_id)
        name = store.cards([entity])[entity].name
        if name is None:
            return []
        counts = [count for count in store.relations([entity]) if count.kind is not TermKind.MEDIATOR]
        counts.sort(
            key=lambda each: (each.triples > _FEW_ANSWERS, each.relation.is_reverse, each.triples, each.relation)
        )
        questions = dict.fromkeys(question_about(count.relation, name) for count in counts)
        return list(questions)[:QUESTIONS_SHOWN]
