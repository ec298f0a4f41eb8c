"""Triples from tab-separated text, plain or gzipped, read as a stream.

One triple a line, ``subject⇥predicate⇥object``, every term in its textual form. Empty lines and comments (``# ``) are
passed over. A first line that names the columns says where they stand; other columns are left out. First lines that
begin with ``# filter: `` say what the file holds of a larger graph. Addresses may stand between angle brackets.
Freebase's spellings are read too: ``/m/027rn``, ``/location/country/capital``, and relations joined over a mediator
that the source dropped, ``a|b`` or ``/a/./b``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from kgstore.freebase_ids import may_be_written_otherwise, plain_id
from kgstore.iris import is_conceptnet, is_iri
from kgstore.loading.formats.headers import (
    ROWS_LOOKED_AT,
    TRIPLES_ALONE,
    UnclearHeaderError,
    columns_of,
    names_columns,
    read_header,
)
from kgstore.loading.formats.lines import LineReader, TripleColumns, TripleText
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.terms import TermError, parse_term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.formats.headers import Header

PLAIN_TEXT = re.compile(r'"(?P<text>[^"\\\n\r\t]*)"(?:@(?P<language>[A-Za-z0-9-]+))?')
"""A text literal in which nothing is escaped."""

FILTER_COMMENT = "# filter: "
"""Begins a line at the top of a file that says what was taken of a larger graph."""

_HEADING = 20
LITERALS_KEPT = 100_000
"""Maximum of objects of a table whose textual form is kept in memory."""
_TRIPLE_FIELDS = 3
_CALLED_IDS = frozenset({"id", "mid", "entity", "entity id", "entity_id", "node", "node_id", "identifier", ":id"})
_CALLED_NAMES = frozenset({"name", "label", "title"})
_CALLED_ALIASES = frozenset({"alias", "aliases", "synonym", "synonyms"})
"""How files of names call their columns."""


_IN_BRACKETS = re.compile(r"<(?!:)[^\s<>]+(?<!:)>")


class _IrregularError(Exception):
    """Some line of a block must be looked at by itself."""


class TripleReader:
    """The triples of a TSV file. Iterate it once or more; its counts are those of the last time."""

    def __init__(
        self,
        path: Path,
        *,
        strict: bool = False,
        columns: Header | None = None,
        objects: Callable[[str], str] | None = None,
    ) -> None:
        """Look at the file, without reading it.

        Args:
            path: the file.
            strict: stop at the first malformed line instead of counting it.
            columns: where the columns stand, for a file that never names them; by default the file says it.
            objects: what makes a term of an object; see `object_term`, which is the default.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)
        self._predicates = lru_cache(maxsize=None)(predicate_term)
        self._objects = lru_cache(LITERALS_KEPT)(objects or object_term)
        self._columns = columns
        self._header = columns or TRIPLES_ALONE

    def filters(self) -> Sequence[str]:
        """What the first lines say of the file, and which columns were left out."""
        head = (line for line in self.lines.head(_HEADING) if line.startswith(FILTER_COMMENT))
        return [*(line.removeprefix(FILTER_COMMENT) for line in head), *self._header.left_out]

    def __iter__(self) -> Iterator[TripleText]:
        return chain.from_iterable(zip(*columns, strict=True) for columns in self.columns())

    def columns(self) -> Iterator[TripleColumns]:
        """The same, some thousand triples at a time."""
        for first, whole in self.lines.blocks():
            block = self._without_header(whole) if first == 1 and self._columns is None else whole
            try:
                yield self._regular(block)
            except _IrregularError:
                yield self._line_by_line(first, self.lines.decode(block, first))

    def _without_header(self, block: bytes) -> bytes:
        """The first block of a file, with an empty line where one names the columns, which are taken in."""
        self._header = TRIPLES_ALONE
        start = 0
        for number, line in enumerate(block.splitlines(keepends=True), start=1):
            text = line.decode(errors="replace").rstrip("\r\n")
            if text.strip() and not text.startswith("# "):
                try:
                    header = read_header(text.split("\t"))
                except UnclearHeaderError as error:
                    self.lines.report(number, text, str(error))
                else:
                    if header is None:
                        rows = block[start:].decode(errors="replace").split("\n", ROWS_LOOKED_AT)[:ROWS_LOOKED_AT]
                        self._header = columns_of([row.rstrip("\r").split("\t") for row in rows])
                        break
                    self._header = header
                return block[:start] + b"\n" + block[start + len(line) :]
            start += len(line)
        return block

    def _regular(self, block: bytes) -> TripleColumns:
        """The triples of a block of whole lines, taken apart at once: several times faster than line by line.

        Raises:
            _IrregularError: some line has not three columns, or a term is malformed.

        """
        width, (subject, predicate, obj) = self._header.width, self._header.places
        signs = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", np.uint8)
        ends = np.flatnonzero((signs == _TAB) | (signs == _NEWLINE))
        if (
            self._header.names
            or b"\r" in block
            or b"\0" in block
            or may_be_written_otherwise(block)
            or len(ends) % width
            or (signs[ends].reshape(-1, width) != [*[_TAB] * (width - 1), _NEWLINE]).any()
        ):
            raise _IrregularError
        is_unusual = _IS_UNUSUAL[signs[np.append(0, ends[:-1] + 1)]].reshape(-1, width)
        try:
            fields = signs.tobytes().decode().replace("\n", "\t").split("\t")
            subjects, predicates, objects = (fields[place:-1:width] for place in (subject, predicate, obj))
            for place in np.flatnonzero(is_unusual[:, subject]).tolist():
                subjects[place] = subject_term(subjects[place])
            for place in np.flatnonzero(is_unusual[:, obj]).tolist():
                objects[place] = self._objects(objects[place])
            return subjects, list(map(self._predicates, predicates)), objects
        except (UnicodeDecodeError, TermError):
            raise _IrregularError from None

    def _line_by_line(self, first: int, lines: Iterable[str]) -> TripleColumns:
        columns: TripleColumns = [], [], []
        width, (subject, predicate, obj) = self._header.width, self._header.places
        for number, line in enumerate(lines, start=first):
            fields = line.split("\t")
            if len(fields) == width:
                try:
                    terms = (
                        subject_term(fields[subject]),
                        self._predicates(fields[predicate]),
                        self._objects(fields[obj]),
                    )
                except TermError as error:
                    self.lines.report(number, line, str(error))
                    continue
                for triple in (terms, *self._header.named(fields, terms)):
                    for column, term in zip(columns, triple, strict=True):
                        column.append(term)
            elif line.strip() and not line.startswith("# "):
                self.lines.report(number, line, f"{len(fields)} columns instead of {width}")
        return columns


_TAB, _NEWLINE = b"\t\n"
_IS_UNUSUAL = np.isin(np.arange(256), list(b'\t\n"/<'))
"""Whether a term that begins with this byte, or has none, must be looked at closely."""


def object_term(text: str) -> str:
    """An object of a table in its one textual form; a plain text literal, as most names are, is in it already.

    Raises:
        TermError: it is no term.

    """
    return text if PLAIN_TEXT.fullmatch(text) else str(parse_term(_bare(text)))


def subject_term(text: str) -> str:
    """A subject of a table in its one textual form.

    Raises:
        TermError: it is no entity.

    """
    if text.startswith('"'):
        raise TermError("the subject is a literal")
    return str(parse_term(_bare(text)))


def _bare(text: str) -> str:
    """An id without the angle brackets that RDF and YAGO write around it."""
    return text[1:-1] if text.startswith("<") and _IN_BRACKETS.fullmatch(text) else text


def predicate_term(text: str) -> str:
    """A predicate of a table as the graph holds it.

    Raises:
        TermError: it is empty.

    """
    if not text.strip():
        raise TermError("an empty predicate")
    return normal_predicate(_bare(text))


def normal_predicate(text: str) -> str:
    """A predicate as the graph holds it: ``/location/country/capital`` is ``location.country.capital``.

    The two ways of writing relations that are joined over a dropped mediator, ``a|b`` and ``/a/./b`` (or ``/a./b``),
    both become ``a|b``.
    """
    if is_iri(text):
        return plain_id(text)
    if is_conceptnet(text):
        return text
    parts = text.replace("./", "|/").split("|")
    return "|".join(part.strip("/").replace("/", ".") if part.startswith("/") else part for part in parts)


class NameReader:
    """The names of a TSV file, ``mid⇥name`` a line; more columns are further names, as in Wikidata5M.

    A first line that names the columns says which of them are the id, the name and further names.
    """

    def __init__(self, path: Path, *, strict: bool = False) -> None:
        """Look at the file, without reading it.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        places: Sequence[int] | None = None
        for first, lines in self.lines.batches():
            for number, line in enumerate(lines, start=first):
                if not line.strip() or line.startswith("# "):
                    continue
                fields = line.split("\t")
                if number == 1 and (places := _name_columns(fields)):
                    continue
                chosen = fields if places is None else [fields[place] for place in places if place < len(fields)]
                mid, names = chosen[0], list(filter(None, map(str.strip, chosen[1:])))
                if names and chosen[1].strip() and mid.strip("/") and mid[0] != '"':
                    own = str(parse_term(_bare(mid)))
                    yield from ((own, name) for name in names)
                else:
                    self.lines.report(number, line, "expected an id and a name with a tab between them")


def _name_columns(cells: Sequence[str]) -> Sequence[int] | None:
    """Where a first line says that the id, the name and further names stand; None where it is an id and its names."""
    called = [cell.strip().lower() for cell in cells]
    names = [place for place, cell in enumerate(called) if cell in _CALLED_NAMES]
    if called[0] not in _CALLED_IDS or not names:
        return None
    return [0, *names, *(place for place, cell in enumerate(called) if cell in _CALLED_ALIASES)]


def open_tsv(path: Path, options: ReadOptions) -> TripleReader:
    """The triples of a TSV file.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return TripleReader(path, strict=options.strict)


def _recognises(head: Sequence[str]) -> bool:
    """Whether the first line names the columns, or most lines have three, and none of these is empty."""
    if names_columns(next((line.split("\t") for line in head if not line.startswith("# ")), ())):
        return True
    rows = [row for row in (line.split("\t") for line in head) if len(row) == _TRIPLE_FIELDS]
    return 2 * len(rows) > len(head) and all(field.strip() for row in rows for field in row)


FORMAT = Format(
    name="tsv",
    title="Triples as TSV",
    looks="m.03_r3⇥location.country.languages_spoken⇥m.01428y",
    open=open_tsv,
    recognises=_recognises,
    endings=frozenset({".tsv"}),
    is_general=True,
)
