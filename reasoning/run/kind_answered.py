"""Whether what was found may answer the word that asks: *who* is no date, *how* is no day, *which company* no person.

Discern's own. Types tell: where those of an answer say nothing, it may be what is asked for.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from kgstore.freebase.labels import name_parts, relation_label, type_label
from kgstore.terms import Date, Entity, Number
from reasoning.question.kinds import kinds_named
from reasoning.question.literals import overlaps
from reasoning.question.word_lists import word_sets
from reasoning.question.words import content_stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgstore.store import EntityCard, GraphStore
    from kgstore.terms import Relation, Term
    from reasoning.question.linking import Linking
    from reasoning.question.literals import Span

_ASKING = re.compile(
    r"\s*(?:(?:in|on|at|by|from|for|to|of|with|since|until|during|under)\s+)?"
    r"(?P<word>whom?|when|where|why|how)\b(?:['\u2019]s)?(?:\s+(?P<after>[^\W\d_]+))?",
    re.IGNORECASE,
)
_WHO_IS = re.compile(r"\s*who(?:['\u2019]s|\s+(?:is|was|are|were))(?:\s+the)?\s*", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:what|which)(?:\s+(?:other|of\s+the))?\s+$", re.IGNORECASE)
_MANNER = frozenset({"did", "do", "does", "is", "are", "was", "were", "has", "have", "had", "can", "could"})
"""After *how*, they ask for a manner."""
_NO_MEASURE = frozenset({"about", "come", "else", "to"})
"""After *how*, they ask for no measure, as adjectives do."""
_YEARS = range(1000, 2100)
"""A whole number in this range may be a year."""


def answers_another_word(
    question: str,
    linking: Linking,
    answers: Sequence[Term],
    cards: Mapping[Entity, EntityCard],
    *,
    counted: bool,
) -> bool:
    """Whether none of the answers may be what the word that asks for them asks for: *who* is no date.

    Args:
        question: as it was asked.
        linking: what it names.
        answers: what was found, or some of it.
        cards: those of the answers.
        counted: whether their number is the answer.

    """
    asking = _ASKING.match(question)
    if asking is None or counted or not answers or overlaps(asking.span("word"), linking.names):
        return False
    word, after = asking["word"].lower(), (asking["after"] or "").lower()
    if word == "how" and after not in _MANNER:
        return after not in _NO_MEASURE and all(isinstance(answer, Entity) for answer in answers)
    if _asks_for_description(question, linking):
        return False
    never = word_sets("asking_words.tsv")[word]
    return all(_is_among(answer, cards, never) for answer in answers)


def kind_not_answered(
    question: str,
    linking: Linking,
    answers: Sequence[Term],
    cards: Mapping[Entity, EntityCard],
    followed: Iterable[Relation],
    store: GraphStore,
) -> Span | None:
    """The noun after *which* or *what*, where the graph has things of that kind and no answer is one; else None.

    Args:
        question: as it was asked.
        linking: what it names.
        answers: what was found, or some of it.
        cards: those of the answers.
        followed: the relations that lead to them.
        store: the graph.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    types = [frozenset(cards[one].types) for one in answers if isinstance(one, Entity) and one in cards]
    if len(types) < len(answers) or not all(types):
        return None
    asked: dict[Span, set[str]] = {}
    for named in kinds_named(question, store):
        if _WHICH.search(question[: named.span[0]]) and not overlaps(named.span, linking.names):
            asked.setdefault(named.span, set()).add(named.kind)
    if not asked or any(not some.isdisjoint(kinds) for some in types for kinds in asked.values()):
        return None
    span = max(asked, key=lambda span: span[1] - span[0])
    stems = content_stems(question[slice(*span)])
    relations = (
        f"{relation_label(one).label} {name_parts(one.predicate)[1]}" for one in followed if not one.is_reverse
    )
    said = content_stems(" ".join([*relations, *(type_label(name) for some in types for name in some)]))
    groups = _groups_of(name for kinds in asked.values() for name in kinds)
    # A graph rarely knows all types of a thing: an actor who is asked for as a person, a city that is only a region.
    is_alike = any(groups & _groups_of(some) for some in types)
    return None if stems & said or is_alike else span


def _asks_for_description(question: str, linking: Linking) -> bool:
    """*Who is Barack Obama* may be answered by what he is."""
    is_description = _WHO_IS.match(question)
    mention = linking.mention
    if is_description is None or mention is None or mention.start != is_description.end():
        return False
    return not any(character.isalnum() for character in question[mention.end :])


def _is_among(answer: Term, cards: Mapping[Entity, EntityCard], never: frozenset[str]) -> bool:
    """Whether an answer is of the groups that never answer a word, and of no other."""
    if isinstance(answer, Date):
        return "date" in never
    if isinstance(answer, Number):
        return "number" in never and answer.value not in _YEARS
    groups = _groups_of(cards[answer].types) if isinstance(answer, Entity) and answer in cards else frozenset[str]()
    return bool(groups) and groups <= never


def _groups_of(types: Iterable[str]) -> frozenset[str]:
    """The groups of things that some types belong to, by the last words of their names."""
    last = (part.lower().rpartition(" ")[2] for name in types for part in type_label(name).split(" or "))
    return frozenset[str]().union(*(_groups().get(word, frozenset()) for word in last))


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    """By the last word of a type, the groups that it belongs to."""
    by_word: dict[str, set[str]] = {}
    for group, words in word_sets("kinds_of_answers.tsv").items():
        for word in words:
            by_word.setdefault(word, set()).add(group)
    return {word: frozenset(groups) for word, groups in by_word.items()}
