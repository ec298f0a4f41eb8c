"""Whether something held at a date: `Operator.HOLDS`, one condition over the beginning and the end of a mediator.

READS has no such thing: its operators compare one value (section 4.2), so a time is two steps and two conditions, and
what has no end fails them. Gold queries mean otherwise: an office without an end is still held. `HOLDS` is Discern's
own, in addition to those seven. It stands on the mediator (an office held, a marriage), and its target is a date.

A mediator held at some time of the target if it has no beginning, or one that is not after the target; and no end, or
one that is not before it. Its beginnings and ends are its dates along outgoing relations whose last name part is in
`kgstore/freebase/span_relations.tsv`; no step has to be taken to them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgstore.freebase.spans import bound_of
from kgstore.terms import Date, Entity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kgstore.store import GraphStore
    from kgstore.terms import Relation, Term

_ENOUGH = 5_000
"""The number of dates that are read at first; where there are more, all are read."""


@dataclass(frozen=True, slots=True)
class Held:
    """When something held, as far as the graph tells: its beginnings and its ends, the earliest first."""

    begins: tuple[Date, ...]
    ends: tuple[Date, ...]


def is_dated(relations: Iterable[Relation]) -> bool:
    """Whether one of the relations leads to a beginning or an end."""
    return any(bound_of(relation) is not None for relation in relations)


def that_held(store: GraphStore, terms: Collection[Term], target: Term | None) -> frozenset[Term]:
    """Those of the terms that held at some time of the target; none where it is no date.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if not isinstance(target, Date):
        return frozenset()
    begins, ends = _dates(store, [term for term in terms if isinstance(term, Entity)])
    first, last = target.interval
    return frozenset(
        term
        for term in terms
        if _none_or_one(date.interval[0] <= last for date in begins.get(term, ()))
        and _none_or_one(date.interval[1] >= first for date in ends.get(term, ()))
    )


def when_held(store: GraphStore, terms: Collection[Term]) -> Mapping[Term, Held]:
    """When each of the terms held.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    begins, ends = _dates(store, [term for term in terms if isinstance(term, Entity)])
    return {term: Held(_in_order(begins.get(term, ())), _in_order(ends.get(term, ()))) for term in terms}


def _in_order(dates: Iterable[Date]) -> tuple[Date, ...]:
    return tuple(sorted(dates, key=lambda date: date.interval))


def _none_or_one(meets: Iterable[bool]) -> bool:
    met = list(meets)
    return not met or any(met)


def _dates(store: GraphStore, entities: Collection[Entity]) -> tuple[dict[Term, list[Date]], dict[Term, list[Date]]]:
    """The beginnings and the ends, by what has them."""
    found: dict[str, dict[Term, list[Date]]] = {"begin": defaultdict(list), "end": defaultdict(list)}
    for count in store.relations(entities) if entities else ():
        bound = bound_of(count.relation)
        if bound is None:
            continue
        expansion = store.expand(entities, count.relation, _ENOUGH)
        if expansion.total > len(expansion.triples):
            expansion = store.expand(entities, count.relation, expansion.total)
        for triple in expansion.triples:
            if isinstance(triple.object, Date):
                found[bound][triple.subject].append(triple.object)
    return found["begin"], found["end"]
