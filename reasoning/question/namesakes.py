"""What tells things of one name apart: what they are, else something that is known of one alone."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label, type_label
from kgstore.terms import Date, Entity, TermKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kgstore.store import EntityCard, GraphStore
    from kgstore.terms import Relation, Term

_RELATIONS_READ = 8
_FEW = 3
"""A relation that leads to more tells less of what a thing is."""
_APART = "{kind} · {relation}: {value}"


def kind_words(card: EntityCard) -> str:
    """What a thing is: its most telling type, in words; empty where the graph knows none."""
    return type_label(card.types[0]) if card.types else ""


def namesakes(cards: Iterable[EntityCard]) -> Sequence[Sequence[EntityCard]]:
    """Those of the cards that share a name with another one, by name."""
    by_name: defaultdict[str | None, dict[Entity, EntityCard]] = defaultdict(dict)
    for card in cards:
        by_name[card.name][card.entity] = card
    return [[*group.values()] for name, group in by_name.items() if name is not None and len(group) > 1]


def distinguished(groups: Iterable[Sequence[EntityCard]], store: GraphStore) -> Mapping[Entity, str]:
    """For each of some namesakes a few words that no other one of its group has.

    What it is, where that is enough; else also a date, a place or another fact that only it has; else its id.
    """
    words: dict[Entity, str] = {}
    for group in groups:
        by_kind: defaultdict[str, list[Entity]] = defaultdict(list)
        for card in group:
            by_kind[kind_words(card)].append(card.entity)
        for kind, alike in by_kind.items():
            if len(alike) == 1 and kind:
                words[alike[0]] = kind
            else:
                words.update(_by_facts(kind, alike, store))
    return words


def _by_facts(kind: str, alike: Sequence[Entity], store: GraphStore) -> Iterator[tuple[Entity, str]]:
    known = {entity: list(_known(entity, store)) for entity in alike}
    names = store.labels({end for facts in known.values() for _, end in facts})
    facts_of = {
        entity: [(relation_label(relation).label, _value(end, names)) for relation, end in facts]
        for entity, facts in known.items()
    }
    for entity, facts in facts_of.items():
        others = {fact for other in alike if other != entity for fact in facts_of[other]}
        relation, value = next((fact for fact in facts if fact[1] and fact not in others), ("id", entity.mid))
        yield entity, _APART.format(kind=kind, relation=relation, value=value).removeprefix(" · ")


def _known(entity: Entity, store: GraphStore) -> Iterator[tuple[Relation, Term]]:
    """The first fact of each of its relations that lead to little: dates first, then what leads to fewest."""
    counts = [
        count
        for count in store.relations([entity])
        if count.triples <= _FEW and count.kind is not TermKind.MEDIATOR and not count.relation.is_reverse
    ]
    counts.sort(key=lambda count: (count.kind is not TermKind.DATE, count.triples, str(count.relation)))
    for count in counts[:_RELATIONS_READ]:
        yield count.relation, store.page(entity, count.relation, 1).triples[0].object


def _value(end: Term, names: Mapping[Term, str]) -> str:
    """What a fact leads to, in words: of a date its year; empty for what has no name."""
    if isinstance(end, Date):
        return f"{end.interval[0][0]}"
    name = names[end]
    return "" if isinstance(end, Entity) and name == end.mid else name
