"""KGTK: tables with the columns ``node1``, ``label``, ``node2``, in which the form of a cell says what it is.

``"text"``, ``'text'@en``, ``^1952-03-11T00:00:00Z/11`` (a date, and how far it is known), ``+42``, and symbols. Several
in a cell stand between ``|``. The relations ``label`` and ``alias`` name things.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from kgstore.loading.formats.headers import TRIPLES_ALONE, Header
from kgstore.loading.formats.lines import LineReader
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.loading.formats.tsv import LITERALS_KEPT, object_term, predicate_term, subject_term
from kgstore.terms import TermError, Text, literal_of, parse_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

_COLUMNS = ("node1", "label", "node2")
_NAMING = {"label": "type.object.name", "alias": "common.topic.alias"}
_SEVERAL = re.compile(r"(?<!\\)\|")
_STRING = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"', re.DOTALL)
_TAGGED = re.compile(r"'(?P<text>(?:[^'\\]|\\.)*)'@(?P<language>[A-Za-z0-9-]+)", re.DOTALL)
_DATE = re.compile(r"\^(?P<date>[^/]+)(?:/(?P<precision>\d{1,2}))?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_QUANTITY = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:\[[^\]]*\])?(?:Q\d+|[A-Za-z]\S*)", re.ASCII)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_YEAR, _MONTH = 9, 10
"""Precisions of dates: what is known to the century or the decade is known to its year here."""


class KgtkReader:
    """The facts of a KGTK file. Iterate it once or more; its counts are those of the last time."""

    def __init__(self, path: Path, *, strict: bool) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)
        self._header = TRIPLES_ALONE
        self._objects = lru_cache(LITERALS_KEPT)(_object)

    def filters(self) -> Sequence[str]:
        """Which columns were left out."""
        return self._header.left_out

    def __iter__(self) -> Iterator[TripleText]:
        is_first = True
        for first, lines in self.lines.batches():
            for number, line in enumerate(lines, start=first):
                if not line.strip():
                    continue
                cells = line.split("\t")
                if is_first:
                    is_first = False
                    self._header = _header(cells)
                    continue
                if len(cells) != self._header.width:
                    self.lines.report(number, line, f"{len(cells)} columns instead of {self._header.width}")
                    continue
                subject, relation, obj = (cells[place] for place in self._header.places)
                try:
                    triples = [
                        (subject_term(subject), _NAMING.get(relation) or predicate_term(relation), self._objects(one))
                        for one in _SEVERAL.split(obj)
                    ]
                except TermError as error:
                    self.lines.report(number, line, str(error))
                    continue
                yield from triples


def _header(cells: Sequence[str]) -> Header:
    places = [cells.index(name) for name in _COLUMNS]
    return Header(len(cells), (places[0], places[1], places[2]), tuple(cell for cell in cells if cell not in _COLUMNS))


def _object(cell: str) -> str:
    """The term that a cell is.

    Raises:
        TermError: it is none.

    """
    if string := _STRING.fullmatch(cell) or _TAGGED.fullmatch(cell):
        return str(Text(_plain(string["text"]), string.groupdict().get("language") or ""))
    if dated := _DATE.fullmatch(cell):
        return str(parse_date(_known(dated["date"], int(dated["precision"] or 0))))
    if _NUMBER.fullmatch(cell):
        return str(literal_of(cell, datatype="xsd:decimal"))
    if cell.startswith("@") or _QUANTITY.fullmatch(cell):
        return str(Text(cell.removeprefix("@"), datatype=f"kgtk:{'coordinates' if cell[0] == '@' else 'quantity'}"))
    if cell.startswith(("^", "'")):
        raise TermError(f"{cell} is neither a text nor a date of KGTK")
    return object_term(_plain(cell))


def _known(date: str, precision: int) -> str:
    """A date as far as it is known; months and days that are not known are written as 00."""
    day = date.partition("T")[0]
    if precision and precision <= _YEAR:
        return re.sub(r"(?<=\d)-\d\d-\d\d$", "", day)
    if precision == _MONTH:
        return re.sub(r"(?<=\d\d)-\d\d$", "", day)
    return day.removesuffix("-00").removesuffix("-00")


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), text) if "\\" in text else text


def open_kgtk(path: Path, options: ReadOptions) -> KgtkReader:
    """The facts of a KGTK file.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return KgtkReader(path, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether the first line names the three columns."""
    return set(head[0].split("\t")) >= set(_COLUMNS)


FORMAT = Format(
    name="kgtk",
    title="KGTK",
    looks="node1⇥label⇥node2",
    open=open_kgtk,
    recognises=_recognises,
)
