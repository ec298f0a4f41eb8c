"""Everything that the graph knows about the parts of a question, read in two queries."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING

from kgstore.names import fold_name
from kgstore.store_parts.matching import best_known_first
from reasoning.question.naming import is_function_word, is_ordinary, other_names, rewritten
from reasoning.question.word_lists import word_pairs, word_sets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kgstore.store import EntityMatch, GraphStore
    from reasoning.question.literals import Span
    from reasoning.question.name_spans import Words

MAX_NAME_LENGTH = 10
"""Names of more words than this are not looked for."""
NAMESAKES = 3
"""Of several entities with one name, this many of the best known become candidates and targets."""

_MAX_PART_LENGTH = 5
_PARTS_LOOKED_AT = 8
_MAX_APART = 4
"""Words of one name stand at most this far from one another."""
_AFTER_A_TITLE = ("of", "the", "i", "ii")
"""What follows the given name of those with a title: *Francis of Assisi*, *Paul the Apostle*, *Henry II*."""


class Likeness(StrEnum):
    """How a part of a question is like the name of an entity."""

    EXACT = "exact"
    CUSTOM = "custom"
    """It is called so by custom: *Serbian*, Serbia."""
    REWRITTEN = "rewritten"
    """The name with another word in it: *Abe Lincoln*, Abraham Lincoln."""
    PART = "part"
    """The words of a longer name in their order: *Robert Kennedy*, Robert F. Kennedy."""
    PLURAL = "plural"
    """An ordinary word in the plural, the last of a longer name: *the Braves*, Atlanta Braves."""
    REWRITTEN_PART = "rewritten part"
    """*Jackie Kennedy*, Jacqueline Kennedy Onassis."""
    TITLED = "titled"
    """A given name with a title: *St Francis*, Francis of Assisi."""
    SCATTERED = "scattered"
    """All words of the name in another order, or with others between them: *earthquake in Chile 2010*."""
    OTHER = "other"
    """Misspelt, or a place with its region."""
    TYPE = "type"
    """No name: a type, whose instances the question is about."""


TITLES: Mapping[str, frozenset[str]] = word_sets("titles.tsv")
"""Words before a person's name: all, and those that stand before a given name alone."""
_NUMERALS = word_pairs("numerals.tsv")


@dataclass(frozen=True, slots=True)
class NameMatches:
    """The entities with names like the parts of a question, the best known first."""

    exact: Mapping[Span, Sequence[EntityMatch]]
    rewritten: Mapping[Span, Sequence[EntityMatch]]
    custom: Mapping[Span, Sequence[EntityMatch]]
    """For each name by custom, the best known that bears it."""
    partly: Mapping[tuple[Span, Likeness], Sequence[EntityMatch]]

    @classmethod
    def read(cls, words: Words, store: GraphStore) -> NameMatches:
        """Look all parts up."""
        spans = words.spans(1, MAX_NAME_LENGTH)
        written = {span: words.text(span) for span in spans if words.may_be_name(span)}
        ways = {span: rewritten(text) for span, text in written.items()}
        others = {span: names for span in spans if (names := other_names(words.text(span)))}
        known = store.named({*written.values()}.union(*ways.values(), *others.values()))
        asked = _asked_in_part(words)
        longer = store.containing({text for text, _, _ in asked}, _PARTS_LOOKED_AT)
        partly: defaultdict[tuple[Span, Likeness], list[EntityMatch]] = defaultdict(list)
        for text, span, likeness in asked:
            partly[span, likeness].extend(_that_count(longer.get(text, ()), text, likeness, words))
        return cls(
            {span: known[text] for span, text in written.items() if text in known},
            {span: list(chain(*(known.get(way, ()) for way in texts))) for span, texts in ways.items() if texts},
            {span: [known[name][0] for name in names if name in known] for span, names in others.items()},
            partly,
        )

    def named(self) -> Mapping[Span, Sequence[EntityMatch]]:
        """The parts that are names, the longest first: as written, else rewritten, and those that custom calls so."""
        found = {}
        for span in sorted({*self.exact, *self.rewritten, *self.custom}, key=lambda span: (span[0] - span[1], span[0])):
            as_written = (self.exact.get(span) or self.rewritten.get(span, ()))[:NAMESAKES]
            if matches := best_known_first([*as_written, *self.custom.get(span, ())]):
                found[span] = matches
        return found


def _asked_in_part(words: Words) -> list[tuple[str, Span, Likeness]]:
    """The texts that may be parts of longer names, each once for every part of the question that it stands for."""
    asked = []
    for span in words.spans(1, _MAX_PART_LENGTH):
        places = words.of(span)
        first, last = words.folded[places[0]], words.folded[places[-1]]
        if _joins(first) or _joins(last) or not words.may_be_name(span):
            continue
        text = words.text(span)
        if len(places) == 1 and is_ordinary(first) and not words.may_be_short(span):
            # Names of teams end with plurals of ordinary words: *the Mets*, *the Braves*.
            if first.endswith("s"):
                asked.append((text, span, Likeness.PLURAL))
            continue
        asked.append((text, span, Likeness.PART))
        asked.extend((way, span, Likeness.REWRITTEN_PART) for way in rewritten(text))
    asked.extend((text, span, Likeness.TITLED) for text, span in _with_title(words))
    asked.extend((text, span, Likeness.SCATTERED) for text, span in _scattered(words))
    return list(dict.fromkeys(asked))


def _with_title(words: Words) -> Iterator[tuple[str, Span]]:
    """Given names with a title: *king henry*, *queen elizabeth 1*, *queen elizabeth the second*."""
    folded, places = words.folded, words.places
    for first in range(len(folded) - 1):
        name = folded[first + 1]
        if folded[first] not in TITLES["given name"] or is_function_word(name):
            continue
        for ending in _AFTER_A_TITLE:
            yield f"{name} {ending}", (places[first][0], places[first + 1][1])
        number = first + 2 + (folded[first + 2 : first + 3] == ["the"])
        if number < len(folded) and folded[number] in _NUMERALS:
            yield f"{name} {_NUMERALS[folded[number]]}", (places[first][0], places[number][1])


def _scattered(words: Words) -> Iterator[tuple[str, Span]]:
    """Pairs of words that do not follow one another as they do in a name."""
    telling = [place for place, word in enumerate(words.folded) if not _joins(word)]
    for place, first in enumerate(telling):
        for second in telling[place + 1 :]:
            if second - first > _MAX_APART:
                break
            span = (words.places[first][0], words.places[second][1])
            yield f"{words.folded[second]} {words.folded[first]}", span
            if second - first > 1:
                yield f"{words.folded[first]} {words.folded[second]}", span


def _that_count(matches: Sequence[EntityMatch], text: str, likeness: Likeness, words: Words) -> Iterator[EntityMatch]:
    part = fold_name(text)
    for match in matches:
        name = fold_name(match.matched)
        if likeness is Likeness.TITLED:
            counts = f"{name} ".startswith(f"{part} ")
        elif likeness is Likeness.SCATTERED:
            counts = all(word in words.folded for word in name.split() if not _joins(word))
        elif likeness is Likeness.PLURAL:
            counts = name.endswith(f" {part}")
        elif " " in part:
            counts = True
        else:
            ends = name.removeprefix("the ").split()
            counts = part in (ends[0], ends[-1])
        if counts:
            yield match


def _joins(word: str) -> bool:
    """Whether a word only holds others together; a number may be part of a name."""
    return is_function_word(word) and not word.isdigit()
