"""Whether something held at a date: `Operator.HOLDS`, one condition over the beginning and the end of a mediator.

READS has no such thing: its operators compare one value (section 4.2), so a time is two steps and two conditions, and
what has no end fails them. Gold queries mean otherwise: an office without an end is still held. `HOLDS` is Discern's
own, beside those seven. It stands on the mediator (an office held, a marriage), and its target is a date.

A mediator held at some time of the target if it has no beginning, or one that is not after the target; and no end, or
one that is not before it. Its beginnings and ends are its dates along outgoing relations whose last name part is in
`kgstore/freebase/holding_relations.tsv`; no step has to be taken to them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from kgstore.freebase.knowledge import load_knowledge
from kgstore.terms import Date, Entity
from reasoning.literals import overlaps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kgstore.store import GraphStore
    from kgstore.terms import Relation, Term
    from reasoning.linking import Linking
    from reasoning.literals import Span

_ENOUGH = 5_000
"""So many dates are asked for at first; where there are more, all of them."""
_NOW = re.compile(
    r"\b(?:right\s+now|now|nowadays|currently|current|today|at\s+present|presently|at\s+the\s+moment|this\s+year"
    r"|these\s+days|present[- ]day)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:is|are|am|does|do|has|have)\b|\b(?:who|what|which|where)['\u2019](?:s|re)\b|^\W*who\s+(?!was\b)\w+s\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|been|used\s+to|ever|last|first|former|formerly|previous|previously|once|ago|history)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\bsince\s+(?:the\s+)?$", re.IGNORECASE)


def is_dated(relations: Iterable[Relation]) -> bool:
    """Whether one of the relations leads to a beginning or an end."""
    return any(load_knowledge().bound_of(relation) is not None for relation in relations)


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


def spoken_now(question: str, linking: Linking) -> tuple[Span, ...]:
    """The words that say *now*; words within a name that linking found do not."""
    spans = (match.span() for match in _NOW.finditer(question))
    return tuple(span for span in spans if not overlaps(span, linking.names))


def asks_of_now(question: str, linking: Linking) -> bool:
    """Whether a question asks of what is so now, by its words or unspoken.

    Unspoken, it speaks in the present tense (*who is the president of …*, *who plays for …*), of no date and with no
    word of the past. A date after *since* reaches until now, so it is none. Whether what it asks of changes, the pool
    tells: only what has a beginning or an end is offered this.
    """
    if spoken_now(question, linking):
        return True
    dates = (m.start for m in linking.mentions if isinstance(m.term, Date))
    if not all(_SINCE.search(question[:start]) for start in dates):
        return False
    return bool(_PRESENT.search(question)) and not _PAST.search(question)


def _none_or_one(meets: Iterable[bool]) -> bool:
    met = list(meets)
    return not met or any(met)


def _dates(store: GraphStore, entities: Collection[Entity]) -> tuple[dict[Term, list[Date]], dict[Term, list[Date]]]:
    """The beginnings and the ends, by what has them."""
    found: dict[str, dict[Term, list[Date]]] = {"begin": defaultdict(list), "end": defaultdict(list)}
    for count in store.relations(entities) if entities else ():
        bound = load_knowledge().bound_of(count.relation)
        if bound is None:
            continue
        expansion = store.expand(entities, count.relation, _ENOUGH)
        if expansion.total > len(expansion.triples):
            expansion = store.expand(entities, count.relation, expansion.total)
        for triple in expansion.triples:
            if isinstance(triple.object, Date):
                found[bound][triple.subject].append(triple.object)
    return found["begin"], found["end"]
