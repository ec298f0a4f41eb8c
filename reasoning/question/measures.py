"""By what a question compares: *the smallest population*, *the largest country by area*, *the tallest president*."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reasoning.question.literals import overlaps
from reasoning.question.naming import is_function_word
from reasoning.question.topics.starting_types import MEASURING, is_superlative
from reasoning.question.word_lists import word_pairs, word_sets
from reasoning.question.words import CUES, content_stems, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from reasoning.question.literals import Span

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_BY = "by"
_USUAL = word_sets("usual_measures.tsv")
_SAME = (*MEASURING.values(), _USUAL["longest"])
"""Words for one measure: what has a height may have an elevation, and a running time is a runtime."""
_OF_TIME = CUES["first"] | CUES["last"]
"""What orders in time: *the last century* is no number of centuries."""


def measure_stems(question: str, kinds: Collection[Span]) -> frozenset[str]:
    """The stems of the words for what is compared; none where the question does not say it.

    These are the words after a superlative, and those after *by* in a question with one, unless they tell which things
    are compared (``kinds``): *the longest river*. Some superlatives say it alone: what is tallest has a height.
    """
    words = [(match[0].lower(), match.span()) for match in _WORD.finditer(question)]
    named: list[str] = []
    for place, (word, _) in enumerate(words):
        if is_superlative(word) and word not in _OF_TIME:
            named += _up_to_function_word(words[place + 1 :], kinds) or [word] * (word in MEASURING)
        elif word == _BY and any(is_superlative(other) for other, _ in words):
            named += _up_to_function_word(words[place + 1 :], kinds)
    return stems_of_measure(word for word in named if word not in _OF_TIME)


def stems_of_measure(words: Iterable[str]) -> frozenset[str]:
    """The stems of words for what is compared, and of other words for the same: *people* are a population."""
    said = {other for word in words for other in MEASURING.get(word, {word})}
    alike = (same for same in _SAME if not same.isdisjoint(said))
    return content_stems(" ".join(said.union(*alike)))


def usual_measures(question: str) -> frozenset[str]:
    """The stems of the words for what the superlatives of a question most often compare: *largest* has an area."""
    return frozenset[str]().union(*(content_stems(" ".join(_USUAL.get(word, ()))) for word in words_of(question)))


def usual_in_order(superlative: str) -> list[frozenset[str]]:
    """The same of one superlative, word by word, the most usual first."""
    return [content_stems(word) for word in word_pairs("usual_measures.tsv").get(superlative, "").split()]


def _up_to_function_word(words: Sequence[tuple[str, Span]], kinds: Collection[Span]) -> list[str]:
    """The words before the next that only joins others; none where they tell what is compared."""
    found: list[str] = []
    for word, span in words:
        if overlaps(span, kinds):
            return [each for each in found if each in MEASURING]
        if is_function_word(word) and not (word == "the" and not found):
            break
        if word != "the":
            found.append(word)
    return found
