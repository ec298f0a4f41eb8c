"""What a relation path explains of a question: its words, one relation each, and what the question asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import torch

from reasoning.facts.verbalize import relation_parts, type_words
from reasoning.question.naming import is_function_word
from reasoning.question.words import content_stems, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from kgstore.terms import Relation
    from reasoning.facts.relation_paths import PathEnd

_WORD = re.compile(r"[^\W_][\w'\u2019-]*")
_TOPIC = "it"
_ASKING = frozenset({"which", "what", "name", "list"})
_ASKED_BY = {"who": "person", "whom": "person", "whose": "person", "where": "place", "when": "date"}
_NOT_ASKED = frozenset({"kind", "type", "sort", "all"})
_CALLED = {"people": "person", "year": "year", "date": "date", "day": "date", "month": "month", "time": "date"}
"""Nouns among the function words, and what they ask for."""
_AMOUNTS = frozenset({"many", "much"})
_MANNER = frozenset({"do", "does", "did", "is", "are", "was", "were", "can", "has", "have", "had"})
"""Words after *how* where it asks for no number: *how did it die*."""
_LOOKED_AT_AFTER = 4
"""The noun that says what is asked for stands within this many words after *which*."""
_TYPES_OF_EACH = 2


def asked_nouns(question: str) -> tuple[str, ...]:
    """What a masked question asks for: *city* of *in which city*, *person* of *who*; empty if nothing.

    Two words may be one name of it, so of *which soccer club* both *soccer* and *soccer club* are given. *How many
    children* asks for a number or for the children.
    """
    words = _WORD.findall(question)
    for place, word in enumerate(words):
        after = words[place + 1 : place + 1 + _LOOKED_AT_AFTER]
        if word in _ASKED_BY:
            return (_ASKED_BY[word],)
        if word == "how" and after and after[0] not in _MANNER:
            return "number", *(_nouns(after[1:]) if after[0] in _AMOUNTS else ())
        if word in _ASKING:
            return _nouns(after)
    return ()


def _nouns(words: Sequence[str]) -> tuple[str, ...]:
    """The first noun among some words before the topic, and the same with the word after it."""
    before_topic = words[: words.index(_TOPIC)] if _TOPIC in words else words
    for place, word in enumerate(before_topic):
        if word in _CALLED:
            return (_CALLED[word],)
        if not is_function_word(word) and word not in _NOT_ASKED:
            after = before_topic[place + 1 : place + 2]
            return word, *(f"{word} {second}" for second in after if not is_function_word(second))
    return ()


def relation_names(path: Sequence[Relation]) -> list[str]:
    """The name of each relation in words, without the type that it belongs to."""
    return [relation_parts(relation)[1] for relation in path]


def end_texts(end: PathEnd) -> list[str]:
    """What a path leads to, in words: some names together, and types."""
    types = dict.fromkeys(name for names in end.types for name in names[:_TYPES_OF_EACH])
    return [text for text in (", ".join(end.names), *(type_words(name) for name in types)) if text]


def shared_stems(words: Sequence[str], names: Sequence[str]) -> Tensor:
    """(w, n), true where a word of the question stands in a relation's name, whatever its ending."""
    stems = [content_stems(name) for name in names]
    return torch.tensor([[stem(word) in each for each in stems] for word in words])


def explained_share(likeness: Tensor) -> float:
    """How far the relations of a path explain the words of a question, 0 to 1.

    Each relation explains one word: the pairs that are most alike, greedily. The sum of their likenesses is divided
    by the number of words, so that a word without a relation counts against the path.

    Args:
        likeness: (w, r), of each word and each relation, 0 to 1.

    """
    left = likeness.clone()
    total = 0.0
    for _ in range(min(left.shape)):
        word, relation = divmod(int(left.argmax()), left.shape[1])
        total += float(left[word, relation])
        left[word, :] = -1.0
        left[:, relation] = -1.0
    return total / max(1, len(likeness))
