"""Tables with one row per thing and one column per property, as facts.

The file is read two times: first each column is looked at, then each filled cell becomes a fact. A mapping that people
gave is followed as it is.
"""

from __future__ import annotations

import csv
import json
from itertools import chain, islice
from typing import TYPE_CHECKING

from kgstore.loading.formats.headers import names_columns
from kgstore.loading.formats.lines import NOT_UTF8, LineReader
from kgstore.loading.formats.source import Format, ReadOptions
from kgstore.loading.formats.tables.columns import NUMBER, TableSeen, headers_of, of_width, parts_of, suggested
from kgstore.loading.formats.tables.mapping import mapping_for
from kgstore.loading.formats.tables.rows import LIST, WORKBOOKS, delimiter_of, holds_tables, tables_of
from kgstore.terms import TermError, Text, literal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText
    from kgstore.loading.formats.tables.mapping import ColumnMapping, Mapping, TableMapping
    from kgstore.loading.formats.tables.rows import Table

_NARROWEST = 4
"""Number of columns from which a table is taken for one without being told: three are triples."""
_PASSES = 2
_WINDOWS = "cp1252"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATATYPES = {4: "gYear", 7: "gYearMonth", 10: "date"}
"""By how many characters a date has."""


class TableReader:
    """The facts of a file of tables. Iterate it once or more; its counts are those of the last time."""

    def __init__(self, path: Path, *, strict: bool = False, mapping: Mapping = ()) -> None:
        """Look at the file, without reading it.

        Args:
            path: the file.
            strict: stop at the first malformed row instead of counting it.
            mapping: what its columns mean; suggested by their cells if left out.

        Raises:
            GraphLoadError: there is no such file, or it is not what its name says.

        """
        self.lines = LineReader(path, strict=strict, passes=_PASSES)
        self._mapping = mapping
        self._decided: list[str] = []

    def filters(self) -> Sequence[str]:
        """What each column was taken for."""
        return self._decided

    def looked_at(self, *, kept: int = 0, most: int | None = None) -> list[TableSeen]:
        """The tables, once the cells of all rows, or of ``most``, were looked at, each with its first ``kept`` rows.

        Raises:
            GraphLoadError: the file is empty or damaged, or holds no table.

        """
        tables = tables_of(self.lines)
        seen = [TableSeen.look(table, kept=kept, most=most) for table in tables]
        if any(line.reason.startswith(NOT_UTF8) for line in self.lines.examples):
            # What an older spreadsheet saved has one byte for each character.
            self.lines.encoding = _WINDOWS
            seen = [TableSeen.look(table, kept=kept, most=most) for table in tables_of(self.lines)]
        return seen

    def first_facts(self, seen: Sequence[TableSeen], mapping: Mapping, rows: int) -> Iterator[TripleText]:
        """The facts of the first rows of each table.

        Raises:
            GraphLoadError: the mapping does not fit.

        """
        for one, found in _mapped(seen, mapping):
            yield from chain.from_iterable(islice(self._facts(one.table, found), rows))

    def __iter__(self) -> Iterator[TripleText]:
        # A mapping is followed after the cells were looked at, so that the encoding is known.
        seen = self.looked_at()
        mapping = self._mapping or suggested(seen)
        self._decided = []
        if self.lines.encoding == _WINDOWS:
            self._decided.append("read as Windows-1252, because it is not UTF-8")
        for place, (one, found) in enumerate(_mapped(seen, mapping)):
            self._decided += _said_of(found)
            for row, some in enumerate(self._facts(one.table, found), start=1):
                yield from some
                if not one.table.is_of_lines:
                    # What a library reads says nothing of how far it is: the second half of the way is counted in rows.
                    self.lines.counted(row, (1 + (place + row / one.rows) / len(seen)) / _PASSES)

    def _facts(self, table: Table, mapping: TableMapping) -> Iterator[list[TripleText]]:
        """The facts of each row."""
        records = table.rows()
        _, first = next(records, (0, []))
        headers = headers_of(first)
        key, name = headers.index(mapping.key), headers.index(mapping.name)
        columns = [(headers.index(one.header), one) for one in mapping.columns if one.use != "left out"]
        for number, cells in of_width(records, len(headers)):
            if len(cells) != len(headers):
                self.lines.report(number, ", ".join(cells), f"{len(cells)} columns instead of {len(headers)}")
                yield []
                continue
            if not cells[key]:
                self.lines.report(number, ", ".join(cells), f"nothing in column “{mapping.key}”")
                yield []
                continue
            thing = _thing(mapping.kind, cells[key]) if mapping.has_ids else cells[key]
            facts = [(thing, "rdf:type", mapping.kind)]
            if cells[name]:
                facts.append((thing, "type.object.name", str(Text(cells[name]))))
            for place, one in columns:
                try:
                    facts += _facts_of_cell(thing, one, cells[place])
                except TermError as error:
                    self.lines.report(number, cells[place], str(error))
            yield facts


def _mapped(seen: Sequence[TableSeen], mapping: Mapping) -> Iterator[tuple[TableSeen, TableMapping]]:
    """Each table, and what a mapping says of it.

    Raises:
        GraphLoadError: it says nothing of one, or names a column that is not there.

    """
    for one in seen:
        headers = [column.header for column in one.columns]
        yield one, mapping_for(one.table.name if len(seen) > 1 else "", headers, mapping)


def _said_of(mapping: TableMapping) -> Iterator[str]:
    """What a mapping makes of a table, in words."""
    of = f"table “{mapping.table}”: " if mapping.table else ""
    yield f"{of}one row for each “{mapping.kind}”, called as column “{mapping.name}” says"
    for one in mapping.columns:
        shown = "its values" if one.separator == LIST else f"“{one.separator}”"
        apart = f", taken apart at {shown}" if one.separator and one.use != "left out" else ""
        what = f"ids of “{one.refers_to}”" if one.refers_to else one.use
        yield f"{of}column “{one.header}”: {what}{apart}"


def _thing(kind: str, identifier: str) -> str:
    return f"{kind}_{identifier}"


def _facts_of_cell(thing: str, column: ColumnMapping, cell: str) -> Iterator[TripleText]:
    """The facts of one cell.

    Raises:
        TermError: it is no number or date.

    """
    for part in parts_of(cell, column.separator):
        if column.use == "numbers":
            yield thing, column.relation, str(literal_of(part.replace(",", ""), datatype=f"{_XSD}decimal"))
        elif column.use == "dates":
            if len(part) not in _DATATYPES:
                raise TermError(f"no date such as 1999, 1999-12 or 1999-12-31: {part}")
            yield thing, column.relation, str(literal_of(part, datatype=_XSD + _DATATYPES[len(part)]))
        elif column.use == "text":
            yield thing, column.relation, str(Text(part))
        elif column.refers_to:
            yield thing, column.relation, _thing(column.refers_to, part)
        else:
            yield thing, column.relation, part
            yield part, "type.object.name", str(Text(part))


def open_table(path: Path, options: ReadOptions) -> TableReader:
    """The facts of a file of tables.

    Raises:
        GraphLoadError: there is no such file, or it is not what its name says.

    """
    return TableReader(path, strict=options.strict, mapping=options.mapping)


def _recognises(head: Sequence[str]) -> bool:
    """Whether all lines have as many columns as the first one, four or more, which are not those of triples."""
    if head[0].lstrip()[:1] in {"{", "["}:
        return _are_objects(head)
    if head[0].lstrip()[:1] in {"<", "@"}:
        return False
    try:
        rows = list(csv.reader(head, delimiter=delimiter_of(head), skipinitialspace=True))
    except csv.Error:
        return False
    header = [cell.strip() for cell in rows[0]]
    is_header = all(header) and len(set(header)) == len(header) and not any(map(NUMBER.fullmatch, header))
    widths = {len(cells) for cells in rows}
    return is_header and widths == {len(header)} and len(header) >= _NARROWEST and not names_columns(header)


def _are_objects(head: Sequence[str]) -> bool:
    """Whether lines are JSON objects, or begin an array of them, and no JSON-LD."""
    text = "\n".join(head)
    if '"@context"' in text or '"@id"' in text:
        return False
    if text.lstrip().startswith("["):
        return text.lstrip()[1:].lstrip().startswith("{")
    try:
        records = [json.loads(line) for line in head]
    except ValueError:
        return False
    return all(isinstance(one, dict) and one for one in records)


FORMAT = Format(
    name="table",
    title="Tables with one row per thing (CSV, Excel, JSON)",
    looks="book,author,pages,published",
    open=open_table,
    recognises=_recognises,
    recognises_file=holds_tables,
    options=frozenset({"mapping"}),
    endings=WORKBOOKS,
    is_general=True,
)
