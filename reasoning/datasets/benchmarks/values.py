"""Answers as Freebase benchmarks write them: mids, and bare values whose type is not told."""

from __future__ import annotations

import re

from kgstore.terms import Date, Entity, Number, Term, TermError, Text, parse_date, parse_term

_MID = re.compile(r"/?[mg][./][0-9a-z_]+")
_DATE = re.compile(r"(?P<sign>-?)(?P<year>\d{4})(?P<rest>(?:-\d{2}(?:-\d{2}(?:T.*)?)?)?)")
_YEAR_BC = re.compile(r"-(?P<year>\d{1,3})")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def read_answer(text: str) -> Term:
    """An answer that may be a mid or a value."""
    return parse_term(text) if _MID.fullmatch(text) else read_value(text)


def read_entity(text: str) -> Entity:
    """A mid in either of Freebase's two ways of writing."""
    return Entity(text[1:].replace("/", ".") if text.startswith("/") else text)


def read_value(text: str) -> Term:
    """A value: a date if it is written like one (four digits are a year, -479 is one before Christ), a number, a text.

    ``value^^type`` is read as the type says. Texts are taken for English, which the benchmarks' queries ask for.
    """
    body, marker, datatype = text.partition("^^")
    if marker:
        return parse_term(f'"{body}"^^xsd:{re.split("[#:]", datatype)[-1].rstrip(">")}')
    if (year := _YEAR_BC.fullmatch(text)) is not None:
        return Date(f"-{int(year['year']):04}")
    if _DATE.fullmatch(text):
        try:
            return parse_date(text)
        except TermError:
            return Text(text, "en")
    return Number(float(text)) if _NUMBER.fullmatch(text) else Text(text, "en")
