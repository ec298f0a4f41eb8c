"""What an entity's relations lead to, a few values of each, and the text that describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.terms import Direction, Entity, Relation, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from kgstore.terms import Term, Triple
    from reasoning.events import TermRecord
    from reasoning.narration.narration import Narrator

_VALUES = 3
"""Of each relation, this many values are read."""
_JOINED = 4
"""Of what a mediator joins, this many things are read."""
_DESCRIPTION_LENGTH = 600
_DESCRIBED_BY = (
    "common.topic.description",
    "http://schema.org/description",
    "https://schema.org/description",
    "http://purl.org/dc/terms/description",
    "http://dbpedia.org/ontology/abstract",
    "http://www.w3.org/2000/01/rdf-schema#comment",
)
"""Relations from an entity to a text about it."""


def entity_values(
    store: GraphStore, narrator: Narrator, entity: Entity, relations: Sequence[Relation]
) -> list[list[list[TermRecord]]]:
    """For each relation of an entity, its first values: each a term, or what a mediator joins besides the entity.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    found = [_ends(store.page(entity, relation, _VALUES).triples, relation) for relation in relations]
    narrator.learn(end for ends in found for end in ends)
    cards = narrator.cards(end for ends in found for end in ends)
    joined = {each: _joined(store, each, entity) for each, card in cards.items() if card.is_mediator}
    narrator.learn(end for ends in joined.values() for end in ends)
    values = ([joined[end] if isinstance(end, Entity) and end in joined else [end] for end in ends] for ends in found)
    return [[[narrator.term(term) for term in value] for value in some if value] for some in values]


def description_of(store: GraphStore, entity: Entity) -> str:
    """The beginning of the first text in which a graph describes an entity, in English where it has one; else empty.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    for predicate in _DESCRIBED_BY:
        ends = _ends(store.expand([entity], Relation(predicate), _VALUES).triples, Relation(predicate))
        texts = [end for end in ends if isinstance(end, Text)]
        if texts:
            text = min(texts, key=lambda each: not each.language.lower().startswith("en")).value
            return text if len(text) <= _DESCRIPTION_LENGTH else f"{text[:_DESCRIPTION_LENGTH].rstrip()} \u2026"
    return ""


def _joined(store: GraphStore, mediator: Entity, besides: Entity) -> list[Term]:
    """What a mediator joins: things before values."""
    forward = [count.relation for count in store.relations([mediator]) if count.relation.direction is Direction.FORWARD]
    ends = [end for relation in forward for end in _ends(store.page(mediator, relation, _VALUES).triples, relation)]
    others = dict.fromkeys(end for end in ends if end != besides)
    return sorted(others, key=lambda end: not isinstance(end, Entity))[:_JOINED]


def _ends(triples: Sequence[Triple], relation: Relation) -> list[Term]:
    return [triple.subject if relation.is_reverse else triple.object for triple in triples]
