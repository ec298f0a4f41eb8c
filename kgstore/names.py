"""How names are compared, for the graph and for questions alike, and what a literal is called."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from kgstore.terms import Number

if TYPE_CHECKING:
    from kgstore.terms import Literal

_POSSESSIVE = re.compile(r"['\u2019]s\b")
_ASCII_WORDS = re.compile(r"[a-z0-9]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
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


def literal_label(literal: Literal) -> str:
    """A literal for people: its text, its number without a needless fraction, or its date as far as it is known."""
    if isinstance(literal, Number):
        value = float(literal.value)
        return f"{value:.0f}" if value.is_integer() else repr(value)
    return literal.value
