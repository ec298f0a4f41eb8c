"""How names are compared, for the graph and for questions alike, and what a literal is called."""

from __future__ import annotations

import re
import string
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from kgstore.terms import Number, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgstore.terms import Literal

_POSSESSIVE = re.compile(r"['\u2019]s\b")
_ASCII_WORDS = re.compile(r"[a-z0-9]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_LETTERS = string.ascii_lowercase + string.digits
_SHORTEST_RESPELT = 4
_SHORTEST_WITH_TWO = 6
MAX_ERRORS = 2
"""Names with more typing errors are not recognized."""
MAX_RESPELT_LENGTH = 40
"""Longer words have no other spellings: no name in use has such a word that people mistype by one letter and mean it,
and the other spellings of a word of n letters take memory by n².
"""
_LAST_PART = re.compile("[/#:]")
_PLAIN_DATATYPES = frozenset({"xsd:boolean", "xsd:anyURI", "xsd:language", "xsd:Name", "xsd:NCName", "xsd:NMTOKEN"})
"""Datatypes that need not be shown."""
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"},
)
"""Letters that Unicode does not take apart, as people type them without a special keyboard."""


def fold_name(text: str) -> str:
    """The form in which names are compared: *Beyoncé's* and *BEYONCE* are both ``beyonce``.

    Case is folded, accents and the possessive *'s* are dropped, punctuation and symbols become single spaces.
    A name of nothing but punctuation (*!!!*) keeps it. Folding twice changes nothing.
    """
    folded = text.casefold()
    if folded.isascii():
        # The rule below, for the many names that have no other letters.
        if words := _ASCII_WORDS.findall(_POSSESSIVE.sub("", folded) if "'s" in folded else folded):
            return " ".join(words)
    else:
        parts = unicodedata.normalize("NFKD", folded).casefold()
        folded = unicodedata.normalize("NFC", _ACCENTS.sub("", parts.translate(_PLAIN)))
    folded = _POSSESSIVE.sub("", folded)
    spaced = "".join(character if _in_word(character) else " " for character in folded)
    return " ".join(spaced.split()) or " ".join(folded.split())


def _in_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def respelt(word: str) -> frozenset[str]:
    """What a word may have been meant to be: all that is one typing error away, and the word itself.

    An error is one letter too many, too few, or wrong, or two neighbours in the wrong order (Damerau, 1964). Letters
    are those of the folded Latin alphabet and digits. Words of fewer than four letters are too near to one another, so
    they are only themselves, and so are those of more than `MAX_RESPELT_LENGTH`. That makes 3,000 ways at most.
    """
    if not may_be_misspelt(word):
        return frozenset({word})
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    return frozenset(
        chain(
            (word,),
            (head + tail[1:] for head, tail in cuts if tail),
            (head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1),
            (head + letter + tail[1:] for head, tail in cuts if tail for letter in _LETTERS),
            (head + letter + tail for head, tail in cuts for letter in _LETTERS),
        )
    )


def may_be_misspelt(word: str) -> bool:
    """Whether a folded word has other spellings at all; see `respelt`."""
    return _SHORTEST_RESPELT <= len(word) <= MAX_RESPELT_LENGTH


def errors_allowed(word: str) -> int:
    """How many typing errors a folded word may have: none, one, or from six letters on two."""
    if not may_be_misspelt(word):
        return 0
    return MAX_ERRORS if len(word) >= _SHORTEST_WITH_TWO else 1


def typing_errors(name: str, other: str) -> int | None:
    """How many typing errors lie between two folded names, word by word, from 1 to `MAX_ERRORS`; else None.

    A word with two errors has its first letter right.
    """
    words, others = name.split(), other.split()
    if len(words) != len(others) or words == others:
        return None
    errors = 0
    for word, meant in zip(words, others, strict=True):
        most = min(errors_allowed(word), MAX_ERRORS - errors)
        found = OSA.distance(word, meant, score_cutoff=most)
        if found > most or (found > 1 and word[0] != meant[0]):
            return None
        errors += found
    return errors


def respelt_names(name: str, ways: Mapping[str, Mapping[str, int]], errors: int) -> frozenset[str]:
    """A folded name with this number of typing errors, where ``ways`` are other words by their number of errors."""
    spelt: list[tuple[tuple[str, ...], int]] = [((), 0)]
    for word in name.split():
        spelt = [
            ((*words, way), made + more)
            for words, made in spelt
            for way, more in ((word, 0), *ways[word].items())
            if made + more <= errors
        ]
    return frozenset(" ".join(words) for words, made in spelt if made == errors)


def literal_label(literal: Literal) -> str:
    """A literal for people: its text, its number without a needless fraction, or its date as far as it is known.

    A text of an uncommon datatype is followed by it: *P1Y (duration)*.
    """
    if isinstance(literal, Number):
        return literal.digits
    if isinstance(literal, Text) and literal.datatype and literal.datatype not in _PLAIN_DATATYPES:
        return f"{literal.value} ({_LAST_PART.split(literal.datatype)[-1]})"
    return literal.value
