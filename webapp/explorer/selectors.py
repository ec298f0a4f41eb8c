"""Reads of entities and their facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Relation
from webapp.explorer.graph import Teller, entities_ensure, explored_graph, kind_out
from webapp.explorer.schemas import EntityDetailOut, ExploredPageOut, RelationGroupOut

if TYPE_CHECKING:
    from kgstore.store import RelationCount
    from reasoning.narration import Narrator


def entity_detail(*, graph: str, entity_id: str) -> EntityDetailOut:
    """What a graph holds of an entity.

    Raises:
        ProductError: there is no such graph or entity.

    """
    with explored_graph(graph) as store:
        [entity] = entities_ensure(store, entity_id)
        narrator = Teller(store).narrator
        card = narrator.cards([entity])[entity]
        groups = [_group(count, narrator) for count in store.relations([entity])]
        return EntityDetailOut(
            term=narrator.term(entity),
            hint=narrator.hint(entity),
            kinds=[kind_out(name) for name in card.types],
            aliases=list(card.aliases),
            popularity=card.popularity,
            graph_version=store.info().version,
            groups=sorted(groups, key=lambda each: (-each.facts, each.relation.label, each.relation.id)),
        )


def _group(count: RelationCount, narrator: Narrator) -> RelationGroupOut:
    return RelationGroupOut(relation=narrator.relation(count.relation), facts=count.triples, leads_to=count.kind.value)


def entity_facts(*, graph: str, entity_id: str, relation_id: str, limit: int, cursor: str | None) -> ExploredPageOut:
    """Some of the facts of an entity along a relation, best known first.

    Raises:
        ProductError: there is no such graph or entity, or the cursor is none of this list.

    """
    with explored_graph(graph) as store:
        [entity] = entities_ensure(store, entity_id)
        relation = Relation.parse(relation_id)
        page = store.page(entity, relation, limit, cursor)
        teller = Teller(store)
        facts = teller.facts(page.triples, relation)
        reached = [triple.subject if relation.is_reverse else triple.object for triple in page.triples]
        return ExploredPageOut(facts=facts, kinds=teller.kinds(reached), total=page.total, next=page.next)
