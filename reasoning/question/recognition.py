"""What a question seems to name, and what of it is not understood, shown while it is typed.

It is a guess of linking and of words alone, which no model has seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from kgstore.names import fold_name
from kgstore.store_parts.matching import holds_part
from kgstore.terms import Entity
from reasoning.question.linking import link
from reasoning.question.literals import Span, overlaps
from reasoning.question.name_spans import Words
from reasoning.question.naming import rewritten
from reasoning.question.not_understood import NotUnderstood, not_understood

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import EntityCard, GraphStore


_NEAR = 2
"""Number of similarly spelt names that are suggested for an unknown name."""


class Likeness(StrEnum):
    """How what was typed is like the name of what it seems to be; the last two are no names, and not understood."""

    NAME = "name"
    PART = "part"
    MISSPELT = "misspelt"
    UNKNOWN = "unknown"
    NEGATION = NotUnderstood.NEGATION.value
    SECOND_QUESTION = NotUnderstood.SECOND_QUESTION.value


@dataclass(frozen=True, slots=True)
class Recognised:
    """A part of a question, and what it seems to name, or that it is not understood."""

    start: int
    end: int
    likeness: Likeness
    cards: tuple[EntityCard, ...]
    """The likeliest first; none where nothing in the graph is called so, or nearly so."""


def recognise(question: str, store: GraphStore) -> list[Recognised]:
    """Tell by place what a question names, as linking finds it, without single ordinary words, numbers and dates.

    What is written like a name, and is none of the graph, comes with the things that are spelt nearly so. What negates
    or asks a second question is among them (`reasoning.question.not_understood`).

    Raises:
        GraphStoreError: the graph cannot be read.
        QuestionTextError: the question is too long, or holds what no text may hold.

    """
    linking = link(question, store)
    cards: dict[Span, list[EntityCard]] = {}
    for mention in linking.mentions:
        span = (mention.start, mention.end)
        if isinstance(mention.term, Entity) and span not in linking.ordinary:
            cards.setdefault(span, []).append(linking.cards[mention.term])
    taken = [(mention.start, mention.end) for mention in linking.mentions]
    recognised = [
        Recognised(*span, _likeness(question[slice(*span)], found), tuple(found)) for span, found in cards.items()
    ]
    unknown = {span: question[slice(*span)] for span in _unknown(question, taken)}
    near = store.similar(set(unknown.values())) if unknown else {}
    for span, text in unknown.items():
        found = dict.fromkeys(match.card for match in near.get(text, ()))
        recognised.append(Recognised(*span, Likeness.MISSPELT if found else Likeness.UNKNOWN, tuple(found)[:_NEAR]))
    recognised.extend(
        Recognised(one.start, one.end, Likeness(one.kind.value), ())
        for one in not_understood(question, linking)
        if one.kind is not NotUnderstood.COMPARISON
    )
    return sorted(recognised, key=lambda each: each.start)


def _likeness(text: str, cards: Sequence[EntityCard]) -> Likeness:
    written = {fold_name(text), *map(fold_name, rewritten(text))}
    names = {fold_name(name) for card in cards for name in (card.name, *card.aliases) if name}
    if written & names:
        return Likeness.NAME
    words = fold_name(text).split()
    return Likeness.PART if any(holds_part(name.split(), words) for name in names) else Likeness.MISSPELT


def _unknown(question: str, taken: Sequence[Span]) -> list[Span]:
    """Words with a capital within the sentence that nothing was found for; adjacent ones are one name."""
    words = Words(question)
    unknown: list[Span] = []
    last = None
    for place, (start, end) in enumerate(words.places):
        if place == 0 or not question[start].isupper() or overlaps((start, end), taken):
            continue
        if last == place - 1:
            unknown[-1] = (unknown[-1][0], end)
        else:
            unknown.append((start, end))
        last = place
    return unknown
