"""Light comparison of words in questions and relations: stems, and cue words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from reasoning.question.word_lists import word_sets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WORD = re.compile(r"[a-z0-9]+")
_POSSESSIVE = re.compile("['\N{RIGHT SINGLE QUOTATION MARK}]s\\b")
_ENDINGS = (
    *("ations", "ation", "ments", "ment", "ings", "ing", "ers", "ors", "ies"),
    *("er", "or", "ed", "es", "en", "s", "e"),
)
_SHORTEST_STEM = 3
_FAMILY = 4
"""Two stems belong to one family if they share this number of first letters: *narrates* and *narrator*."""


_READ = word_sets("cues.tsv")
STOP_WORDS = _READ["stop"]
"""Words that carry no meaning of their own."""
CUES: Mapping[str, frozenset[str]] = {cue: words for cue, words in _READ.items() if cue != "stop"}
"""Words that tell what is asked for, by what they tell."""

_ORDERING = frozenset().union(
    *(CUES[cue] for cue in ("first", "last", "most", "least", "more", "less", "before", "after"))
)


def words_of(text: str) -> list[str]:
    """The lower-case words and numbers of a text, in order."""
    return _WORD.findall(_POSSESSIVE.sub(" ", text.lower()))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its most common endings: *directed*, *director* and *directs* are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _SHORTEST_STEM and word[-1] in "iye" else word


@lru_cache(maxsize=50_000)
def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(stem(word) for word in words_of(text) if word not in STOP_WORDS)


def is_said(words: str, stems: Iterable[str]) -> bool:
    """Whether one of the words is of the family of one of the stems."""
    families = {stem[:_FAMILY] for stem in stems}
    return any(stem[:_FAMILY] in families for stem in content_stems(words))


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry meaning, in order."""
    return tuple(word for word in words_of(text) if word not in STOP_WORDS)


def says_an_order(text: str) -> bool:
    """Whether a text has a word that compares or orders: *first*, *latest*, *largest*, *before*."""
    return not _ORDERING.isdisjoint(words_of(text))
