"""Answers as Freebase benchmarks write them: mids, and bare values without types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kgstore.freebase_ids import plain_id
from kgstore.terms import Term, Text, bare_number, parse_term
from reasoning.core.compared import bare_value

if TYPE_CHECKING:
    from collections.abc import Iterable

YES_OR_NO = {True: parse_term('"true"^^xsd:boolean'), False: parse_term('"false"^^xsd:boolean')}
"""The answers to yes-no questions."""
_MID = re.compile(r"/?[mg][./][0-9a-z_]+")


def read_answer(text: str) -> Term:
    """An answer that may be a mid or a value."""
    return parse_term(text) if _MID.fullmatch(plain_id(text)) else read_value(text)


def read_value(text: str) -> Term:
    """A value: what `bare_value` says, or a text.

    ``value^^type`` is read as the type says. Texts are taken for English, which the benchmarks' queries ask for.
    """
    body, marker, datatype = text.partition("^^")
    if marker:
        return parse_term(f'"{body}"^^xsd:{re.split("[#:]", datatype)[-1].rstrip(">")}')
    return bare_value(text) or Text(text, "en")


def read_count(text: str) -> Term:
    """The answer to *how many*: ``1523`` is no year there."""
    return bare_number(text) or read_value(text)


def answer_names(answers: Iterable[Any], name: str, argument: str) -> tuple[str, ...]:
    """The names of the answers of an entry; the argument of an answer that has no name. Empty if none has a name."""
    named = [answer for answer in answers if isinstance(answer, dict)]
    if not any(answer.get(name) for answer in named):
        return ()
    return tuple(str(answer.get(name) or answer.get(argument)) for answer in named)
