"""Comma-separated triples: the same graph as from tabs, with headers, quoted cells, and what is no triple."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.comma_separated import FORMAT, MAX_LINES, CommaSeparatedReader
from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from tests.kgstore.conftest import SMALL_GRAPH

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText
    from kgstore.loading.formats.source import TripleSource


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "t.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(folder: Path, text: str | bytes) -> list[TripleText]:
    return list(CommaSeparatedReader(write(folder, text), strict=True))


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("header", [None, ("subject", "predicate", "object")])
def test_the_same_triples_with_commas_make_the_same_graph(
    tmp_path: Path, quoting: int, header: tuple[str, ...] | None
) -> None:
    triples = list(TripleReader(SMALL_GRAPH))
    path = tmp_path / "small.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, quoting=quoting)  # type: ignore[arg-type]  # one of the module's constants
        rows.writerows([header] if header else [])
        rows.writerows(triples)
    assert list(CommaSeparatedReader(path, strict=True)) == triples
    readers: tuple[TripleSource, ...] = TripleReader(SMALL_GRAPH), CommaSeparatedReader(path, strict=True)
    versions = {
        load_graph(reader, tmp_path / f"{number}.sqlite", name="g", title="G", source="test").version
        for number, reader in enumerate(readers)
    }
    assert len(versions) == 1


@pytest.mark.parametrize("header", [("subject", "property", "object"), ("source", "relation", "target")])
def test_a_header_is_no_triple_and_says_where_the_columns_stand(tmp_path: Path, header: tuple[str, ...]) -> None:
    subject, predicate, obj = header
    assert read(tmp_path, f"{subject.upper()},{predicate},{obj}\na,b,c\n") == [("a", "b", "c")]
    reader = CommaSeparatedReader(write(tmp_path, f",{obj},weight,{predicate},{subject}\n0,c,0.5,b,a\n1,c,b\n"))
    for _ in range(2):
        assert list(reader) == [("a", "b", "c")]
        assert reader.filters() == ["columns left out: (no name), weight"]
    assert [(line.number, line.reason) for line in reader.lines.examples] == [(3, "3 columns instead of 5")]


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ('Ada_Byron,motto,"Poetical, science"\n', ("Ada_Byron", "motto", "Poetical, science")),
        ('Jamaica, called , """Jamaica""@en"\r\n', ("Jamaica", "called", '"Jamaica"@en')),
        ('"m.1", r.s.t,"""1815-12-10""^^xsd:date"', ("m.1", "r.s.t", '"1815-12-10"^^xsd:date')),
        ('a,b,"one\r\nand  two, ""three"""\n', ("a", "b", 'one and two, "three"')),
        ('a,b,"one\n\n\nfour"\n', ("a", "b", "one four")),
        ("\ufeff# a note\n\n/m/02,/r/s/t,<http://e.org/c>\n", ("m.02", "r.s.t", "http://e.org/c")),
        ("Ana Muñoz,знает,子供\n", ("Ana Muñoz", "знает", "子供")),
    ],
)
def test_cells_are_read_as_other_programs_write_them(tmp_path: Path, text: str, triple: TripleText) -> None:
    assert read(tmp_path, text) == [triple]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("a,b", "2 columns instead of 3"),
        ("a,b,c,d", "4 columns instead of 3"),
        ('"""x""",b,c', "the subject is a literal"),
        ("a, ,c", "an empty predicate"),
        ("a,b,", "an empty term"),
        ('a,b,"Jamaica"@en', "write it twice"),
        ('a,b,"Jamaica', "a quotation mark that is not closed"),
        ('a,b,"""Jamaica""@"', "is not a literal"),
        ('a,b,"x' + "\ny" * MAX_LINES, "a quotation mark that is not closed"),
        (f'a,b,"{"x" * 200_000}"', "field larger than field limit"),
        ('a\ra,b,"c"', "a carriage return within the line"),
        ("a,\0,c", "NUL"),
    ],
)
def test_what_is_no_triple_is_reported_with_its_line_and_costs_no_other(tmp_path: Path, bad: str, reason: str) -> None:
    before, after = "a,b,c\n", "d,e,f\ng,h,i\n"
    reader = CommaSeparatedReader(write(tmp_path, f"{before}{bad}\n{after}"))
    assert list(reader) == [("a", "b", "c"), ("d", "e", "f"), ("g", "h", "i")]
    first = reader.lines.examples[0]
    assert (first.number, first.text) == (2, bad.partition("\n")[0][:200])
    assert reason in first.reason
    with pytest.raises(GraphLoadError, match="line 2: "):
        list(CommaSeparatedReader(write(tmp_path, f"{before}{bad}\n{after}"), strict=True))


@pytest.mark.slow
def test_a_cell_may_lie_over_two_blocks_of_the_file(tmp_path: Path) -> None:
    line = 'subject,is,"a\nb"\n'
    count = 60_000
    reader = CommaSeparatedReader(write(tmp_path, line * count), strict=True)
    assert set(reader) == {("subject", "is", "a b")}
    assert sum(1 for _ in reader) == count
    assert reader.lines.read == 2 * count


@pytest.mark.parametrize(
    ("head", "is_csv"),
    [
        (["a,b,c"], True),
        (["Subject, Predicate, Object"], True),
        (['id,"head","relation",tail', "1,a,b,c"], True),
        (["a,b,c,d"], False),
        (["a,b,"], False),
        (["a,b\tc,d,e,f"], False),
        (["one, two and, three\tx\ty"], False),
        (["x", "a,b,c"], False),
        (["x", "a,b,c", "d,e,f"], True),
        ([], False),
    ],
)
def test_csv_is_known_by_its_header_or_most_lines_having_three_cells(head: list[str], is_csv: bool) -> None:
    assert FORMAT.recognises(head) is is_csv
