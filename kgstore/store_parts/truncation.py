"""Which triples of a set of entities are returned under a limit; the same in every store."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

from kgstore.store import Page
from kgstore.terms import Entity, Triple, parse_term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kgstore.terms import Relation, Term

Reached = TypeVar("Reached")


def fair_shares(counts: Mapping[int, int], limit: int) -> dict[int, int]:
    """How many of its edges each entity may give, as equal as can be, ``limit`` in all; the best known get the rest."""
    left = max(limit, 0)
    waiting = sorted(counts, key=lambda entity: (counts[entity], entity))
    shares = {}
    while waiting and counts[waiting[0]] * len(waiting) <= left:
        entity = waiting.pop(0)
        shares[entity] = counts[entity]
        left -= counts[entity]
    for place, entity in enumerate(sorted(waiting)):
        shares[entity] = left // len(waiting) + (place < left % len(waiting))
    return {entity: share for entity, share in shares.items() if share}


def in_turns(pairs: Iterable[tuple[int, Reached]]) -> list[tuple[int, Reached]]:
    """Pairs (entity, what it leads to): the first of every entity, the best known first, then the second of every."""
    turn: defaultdict[int, int] = defaultdict(int)
    ordered = []
    for entity, reached in pairs:
        ordered.append((turn[entity], entity, reached))
        turn[entity] += 1
    ordered.sort(key=lambda row: row[:2])
    return [(entity, reached) for _, entity, reached in ordered]


def rows_for_page(limit: int) -> int:
    """How many rows to read for a page: one more than it gives, which tells whether another page follows.

    Raises:
        ValueError: the limit is less than 1.

    """
    if limit < 1:
        raise ValueError(f"a page holds at least one fact, not {limit}")
    return limit + 1


def page_of(
    entity: Entity,
    relation: Relation,
    rows: Sequence[tuple[int, str]],
    limit: int,
    total: int,
    cursor: Callable[[int], str],
) -> Page:
    """A page out of rows (place, text) in their order, as many as `rows_for_page` says or all that there are."""
    given = rows[:limit]
    triples = [triple_of(entity, relation, parse_term(text)) for _, text in given]
    return Page(triples, total, cursor(given[-1][0]) if len(rows) > limit else None)


def facts_page(
    predicate: str,
    rows: Sequence[tuple[tuple[int, int], str, str]],
    limit: int,
    total: int,
    cursor: Callable[[int, int], str],
) -> Page:
    """A page of the triples of a predicate; a row has the places and the texts of subject and object."""
    given = rows[:limit]
    triples = [Triple(Entity(subject), predicate, parse_term(text)) for _, subject, text in given]
    return Page(triples, total, cursor(*given[-1][0]) if len(rows) > limit else None)


def triple_of(source: Entity, relation: Relation, reached: Term) -> Triple:
    """The triple that leads from an entity along a relation to a term."""
    if not relation.is_reverse:
        return Triple(source, relation.predicate, reached)
    if not isinstance(reached, Entity):
        raise TypeError(f"{reached} is the subject of a triple and no entity")
    return Triple(reached, relation.predicate, source)
