r"""The escapes of N-Triples: ``\t``, ``\"``, ``\u00E9``."""

from __future__ import annotations

import re

from kgstore.characters import character_fault
from kgstore.terms import TermError

_ESCAPE = re.compile(r"\\(?:u(?P<short>[0-9A-Fa-f]{4})|U(?P<long>[0-9A-Fa-f]{8})|(?P<one>.?))", re.DOTALL)
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_LAST_CHARACTER = 0x10FFFF


def unescape(text: str) -> str:
    r"""A text without the escapes of N-Triples: ``\t \b \n \r \f \" \' \\ \uXXXX \UXXXXXXXX``.

    Two ``\u`` that are the halves of one character, as UTF-16 writes it, become that character.

    Raises:
        TermError: an escape that there is not, half a character, or NUL.

    """
    return whole(_ESCAPE.sub(_character, text)) if "\\" in text else text


def whole(text: str) -> str:
    """A text whose characters beyond U+FFFF are whole again.

    Raises:
        TermError: it holds half a character, or NUL.

    """
    try:
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        raise TermError("half a character (a lone surrogate)") from error
    if fault := character_fault(joined):
        raise TermError(fault)
    return joined


def _character(escape: re.Match[str]) -> str:
    if code := escape["short"] or escape["long"]:
        value = int(code, 16)
        if value > _LAST_CHARACTER:
            raise TermError(f"{escape[0]} is no character")
        return chr(value)
    try:
        return _CHARACTERS[escape["one"]]
    except KeyError:
        raise TermError(f"{escape[0]} is no escape of N-Triples") from None
