"""Types to start from, where a question names nothing: *which film is the longest*, *who was born before 1970*.

Discern's own: READS is given a topic entity. A type is a topic entity with one relation, to its instances; see
`kgstore.store_parts.types_as_entities`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kgstore.freebase.labels import relation_label
from kgstore.store_parts.types_as_entities import INSTANCES
from kgstore.terms import Entity
from reasoning.core.options import Mention
from reasoning.question.kinds import NamedKind, kinds_named
from reasoning.question.literals import literals, overlaps, within
from reasoning.question.naming import is_function_word, is_ordinary
from reasoning.question.topics.name_matches import Likeness
from reasoning.question.topics.ranking import RankedTopic
from reasoning.question.word_lists import word_sets
from reasoning.question.words import content_stems, says_an_order

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kgstore.store import GraphStore
    from reasoning.question.literals import Span
    from reasoning.question.name_spans import Words

MAX_TYPES = 3
"""At most this many types become topics to choose among."""
_BEHIND = 2.0
"""By how much the log-odds of each fall behind those of the one before."""
_SURELY_A_NAME = 2.0
"""Log-odds of a topic that is called by a single word."""
_SHORTEST_ORDINARY = 3
_SHORTEST_SUPERLATIVE = 5
_WHOLE = frozenset({Likeness.EXACT, Likeness.CUSTOM, Likeness.REWRITTEN})
_INSTANCES_LOOKED_AT = 50
_OF_ALL = frozenset(
    {"list", "name", "show", "give", "tell", "all", "every", "many", "exist", "known", "graph", "total"}
)
"""Words with which a question asks for all instances of a type, or for their number."""
_CHOOSES = re.compile(r"\d|\bhow\s+many\b|\ball\b|\bare\s+there\b|\b(?:list|name|show)\b", re.IGNORECASE)
MEASURING = word_sets("measuring_words.tsv")
"""For what compares only by one kind of number, words in the names of relations that lead to it."""
_ASKS_FOR_ANY = re.compile(r"\s*(?P<asks>who|what|which(?:\s+one)?)\s+(?:has|had|have|is|was)\b", re.IGNORECASE)
_FEW_TYPES = 50
"""In a graph with more types, a question must name the one it asks for."""
_RANKS = frozenset(
    word
    for word, ways in word_sets("narrowing_words.tsv").items()
    if "extreme" in ways and (word.endswith("est") or word in {"first", "last", "most", "least"})
)
_POINTS_BACK = re.compile(r"\b(?:he|she|it|they|him|her|them|his|hers|its|their)\b", re.IGNORECASE)
"""Words for what another question named."""


def with_types(words: Words, topics: Sequence[RankedTopic], store: GraphStore) -> tuple[RankedTopic, ...]:
    """The topics of a question, with types before them where all that it names are ordinary words.

    A type is one only where the question says which of its instances are meant: by an order, a number or a date; or
    where it asks for all of them or how many they are, and says no more (*how many countries have a king* does).
    Whatever other words it has must be ordinary, or be said of the instances.

    Raises:
        GraphStoreError: the graph cannot be read.

    """
    if _POINTS_BACK.search(words.question) or not (_CHOOSES.search(words.question) or _orders(words)):
        return tuple(topics)
    found = [kind for kind in kinds_named(words.question, store) if kind.is_asked_for or _is_ranked(kind.span, words)]
    found = found or _kinds_with_what_is_ranked(words, store)
    found.sort(key=lambda kind: (not _is_ranked(kind.span, words), kind.span[0] - kind.span[1]))
    found = found[:MAX_TYPES]
    spans = {kind.span for kind in found}
    if not found or any(_is_full_name(topic, spans, words) for topic in topics):
        return tuple(topics)
    known = [*spans, *((literal.start, literal.end) for literal in literals(words.question, ()))]
    if len(known) == len(spans) and not _orders(words) and _says_more(words, spans):
        return tuple(topics)
    telling = [place for place in range(len(words.places)) if _is_name(place, known, words)]
    cards = store.cards([Entity(kind.kind) for kind in found])
    types = [
        RankedTopic(Mention(*kind.span, card.entity), card, Likeness.TYPE, -_BEHIND * place, kind.is_asked_for)
        for place, kind in enumerate(found)
        if (card := cards[Entity(kind.kind)]) and _are_said_of(telling, words, card.entity, store)
    ]
    if not types:
        return tuple(topics)
    best = max((topic.log_odds for topic in topics), default=0.0)
    behind = types[-1].log_odds - _BEHIND - best
    others = (replace(topic, log_odds=topic.log_odds + behind) for topic in topics if topic.card.entity not in cards)
    return (*types, *others)


def _kinds_with_what_is_ranked(words: Words, store: GraphStore) -> list[NamedKind]:
    """The types of a small graph that a question names by what is ranked alone: *who has the highest salary*.

    All its words are said of the instances of each; the type with most instances comes first.
    """
    asks = _ASKS_FOR_ANY.match(words.question)
    types = store.types() if asks is not None and any(map(is_superlative, words.folded)) else {}
    said = [
        place
        for place, word in enumerate(words.folded)
        if not is_superlative(word) and content_stems(word) and word not in _OF_ALL
    ]
    if asks is None or not said or len(types) > _FEW_TYPES:
        return []
    kinds = [kind for kind in types if _are_said_of(said, words, kind, store)]
    kinds.sort(key=lambda kind: (-types[kind], kind.mid))
    return [NamedKind(kind.mid, asks.span("asks"), is_asked_for=True) for kind in kinds]


def _orders(words: Words) -> bool:
    return any(is_superlative(word) for word in words.folded) or says_an_order(words.question)


def _is_ranked(span: Span, words: Words) -> bool:
    """Whether a superlative stands before it: *the longest film*."""
    before = [word for word, place in zip(words.folded, words.places, strict=True) if place[1] <= span[0]]
    return bool(before) and is_superlative(before[-1])


def is_superlative(word: str) -> bool:
    """*Longest*, *largest*, *biggest*, *busiest*; and *first*, *most*."""
    if word in _RANKS or not word.endswith("est") or len(word) < _SHORTEST_SUPERLATIVE:
        return word in _RANKS
    stems = (word[:-3], word[:-2], word[:-4], f"{word[:-4]}y")
    return any(is_ordinary(stem) and not is_function_word(stem) for stem in stems if len(stem) > 1)


def _says_more(words: Words, types: Collection[Span]) -> bool:
    """Whether a question says something of the instances besides that they exist."""
    places = zip(words.folded, words.places, strict=True)
    return any(
        not overlaps(span, types) and not is_function_word(word) and word not in _OF_ALL for word, span in places
    )


def _is_name(place: int, types: Collection[Span], words: Words) -> bool:
    """Whether a word may be part of a name; ``types`` are the parts that are types, numbers or dates."""
    span = words.places[place]
    word = words.folded[place]
    is_ordinary_word = words.is_ordinary(span) and (len(word) >= _SHORTEST_ORDINARY or is_function_word(word))
    counts = place > 0 and words.folded[place - 1].replace(".", "").isdigit()
    is_known = is_ordinary_word or counts or word.isdigit() or is_superlative(word) or _is_inflected(word)
    return not is_known and not overlaps(span, types)


def _is_full_name(topic: RankedTopic, types: Collection[Span], words: Words) -> bool:
    """Whether what a topic is called is a name here, and no type: *300*, *U2*, *Friends*, *United Kingdom*.

    *The world* is one word, *the longest* is none.
    """
    span = (topic.mention.start, topic.mention.end)
    spoken = [words.folded[place] for place in words.of(span)]
    if "".join(spoken).isdigit():
        return True
    content = [word for word in spoken if not is_function_word(word)]
    if topic.likeness not in _WHOLE or not content or any(within(span, kind) for kind in types):
        return False
    is_one_name = topic.log_odds >= _SURELY_A_NAME or words.begins_with_capital(span)
    return len(content) > 1 or (is_one_name and not is_superlative(content[0]))


def _is_inflected(word: str) -> bool:
    """*Makes*, *having*, *longer*."""
    return any(word.endswith(ending) and is_ordinary(word.removesuffix(ending)) for ending in ("s", "ing", "er"))


def _are_said_of(telling: Sequence[int], words: Words, kind: Entity, store: GraphStore) -> bool:
    """Whether relations of the instances of a type have these words in their names."""
    telling = [place for place in telling if words.folded[place] not in MEASURING]
    if not telling:
        return True
    some = [triple.subject for triple in store.expand([kind], INSTANCES, _INSTANCES_LOOKED_AT).triples]
    relations = [relation_label(count.relation) for count in store.relations(some)]
    stems = frozenset[str]().union(*(content_stems(label.label) for label in relations))
    return all(content_stems(words.folded[place]) <= stems for place in telling)
