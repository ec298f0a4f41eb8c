"""The words of a question, and the parts of it that could be names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgstore.names import fold_name
from reasoning.question.naming import is_function_word, is_listed, is_ordinary

if TYPE_CHECKING:
    from reasoning.question.literals import Span

_WORD = re.compile(r"[^\W_]+(?:[.'\u2019&-][^\W_]+)*\.?", re.UNICODE)


class Words:
    """The words of a question, and the parts of it that could be names."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.places = [match.span() for match in _WORD.finditer(question)]
        self.folded = [fold_name(question[start:end]) for start, end in self.places]
        self._is_cased = any(question[start].isupper() for start, _ in self.places[1:])
        self._by_start = {start: place for place, (start, _) in enumerate(self.places)}
        self._by_end = {end: place for place, (_, end) in enumerate(self.places)}

    def spans(self, shortest: int, longest: int) -> list[Span]:
        """Every part with this number of words, the longest first."""
        found = [
            (self.places[first][0], self.places[last][1])
            for first in range(len(self.places))
            for last in range(first + shortest - 1, min(first + longest, len(self.places)))
        ]
        return sorted(found, key=lambda span: (span[0] - span[1], span[0]))

    def text(self, span: Span) -> str:
        """The part as it is written."""
        return self.question[slice(*span)]

    def of(self, span: Span) -> range:
        """The numbers of the words of a part."""
        return range(self._by_start[span[0]], self._by_end[span[1]] + 1)

    def may_be_name(self, span: Span) -> bool:
        """Whether it is more than function words and digits; a capital within the sentence makes a name of any word."""
        return self.begins_with_capital(span) or any(
            not is_function_word(self.folded[place]) for place in self.of(span)
        )

    def may_be_short(self, span: Span) -> bool:
        """Whether a part may stand for a longer name: its ends carry meaning, and some word is no ordinary one.

        Where a question has capital letters, names have them.
        """
        places = self.of(span)
        ends = (self.folded[places[0]], self.folded[places[-1]])
        return not any(map(is_function_word, ends)) and any(self._is_telling(place) for place in places)

    def are_telling(self, span: Span) -> bool:
        """Whether no word of it is an ordinary one."""
        return all(self._is_telling(place) for place in self.of(span))

    def may_be_misspelt(self, span: Span) -> bool:
        """Whether no word of it is a word that questions use for other things than names."""
        return not any(is_listed(self.folded[place]) for place in self.of(span))

    def ends_telling(self, span: Span) -> bool:
        """Whether neither its first nor its last word is an ordinary one."""
        places = self.of(span)
        return self._is_telling(places[0]) and self._is_telling(places[-1])

    def is_ordinary(self, span: Span) -> bool:
        """Whether it is a single ordinary word, without a capital."""
        places = self.of(span)
        return len(places) == 1 and not self.begins_with_capital(span) and is_ordinary(self.folded[places[0]])

    def _is_telling(self, place: int) -> bool:
        start, _ = self.places[place]
        if self._is_cased and not self.question[start].isupper():
            return False
        return not is_ordinary(self.folded[place])

    def begins_with_capital(self, span: Span) -> bool:
        """Whether a part within the sentence begins with a capital."""
        return span[0] > 0 and self.question[span[0]].isupper()
