"""Tables with one row per thing and one column per property."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.registry import FORMATS, format_of
from kgstore.loading.formats.source import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

BOOKS = """Book,written by,pages,published,genre
Dune,Frank Herbert,412,1965,Science fiction
Emma,Jane Austen,474,1815-12-23,
Persuasion,Jane Austen,249,1817-12-20,
Neuromancer,William Gibson,,1984,Science fiction; Cyberpunk
"""


def read(tmp_path: Path, text: str, name: str = "books.csv") -> tuple[list[TripleText], list[str], list[str]]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    source = FORMATS["table"].read(path)
    triples = list(source)
    assert source.lines.fraction == 1
    return triples, list(source.filters()), [line.reason for line in source.lines.examples]


def facts(triples: list[TripleText]) -> list[TripleText]:
    return [triple for triple in triples if triple[1] not in {"rdf:type", "type.object.name"}]


def test_a_table_is_known_by_its_lines_and_each_filled_cell_is_a_fact(tmp_path: Path) -> None:
    triples, said, malformed = read(tmp_path, BOOKS)
    assert format_of(tmp_path / "books.csv").name == "table"
    assert malformed == []
    assert facts(triples) == [
        ("Dune", "written_by", "Frank Herbert"),
        ("Dune", "pages", '"412"^^xsd:integer'),
        ("Dune", "published", '"1965"^^xsd:gYear'),
        ("Dune", "genre", "Science fiction"),
        ("Emma", "written_by", "Jane Austen"),
        ("Emma", "pages", '"474"^^xsd:integer'),
        ("Emma", "published", '"1815-12-23"^^xsd:date'),
        ("Persuasion", "written_by", "Jane Austen"),
        ("Persuasion", "pages", '"249"^^xsd:integer'),
        ("Persuasion", "published", '"1817-12-20"^^xsd:date'),
        ("Neuromancer", "written_by", "William Gibson"),
        ("Neuromancer", "published", '"1984"^^xsd:gYear'),
        ("Neuromancer", "genre", "Science fiction"),
        ("Neuromancer", "genre", "Cyberpunk"),
    ]
    assert ("Dune", "rdf:type", "Book") in triples
    assert ("Jane Austen", "type.object.name", '"Jane Austen"') in triples
    assert said[0] == "one row for each “Book”, called as column “Book” says"
    assert said[-1] == "column “genre”: other things, taken apart at “;”"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_what_stands_between_the_cells_is_found(delimiter: str, tmp_path: Path) -> None:
    rows = [["Name", "City", "Salary", "Since"], ["Anna", "Ulm", "50000", "2001"], ["Ben", "Jena", "62500", "1999"]]
    text = "".join(delimiter.join(row) + "\n" for row in rows)
    triples, _, _ = read(tmp_path, text, "employees.csv")
    assert facts(triples)[:3] == [
        ("Anna", "city", "Ulm"),
        ("Anna", "salary", '"50000"^^xsd:integer'),
        ("Anna", "since", '"2001"^^xsd:gYear'),
    ]
    assert ("Anna", "rdf:type", "employee") in triples


def test_things_with_an_id_and_a_name_have_both(tmp_path: Path) -> None:
    text = "id,name,city,boss\n1,Anna Bell,Ulm,Carla\n2,Anna Bell,Jena,Carla\n"
    triples, said, _ = read(tmp_path, text, "employees.csv")
    assert said[0] == "one row for each “employee”, called as column “name” says"
    assert [triple for triple in triples if triple[1] == "type.object.name" and triple[0].startswith("employee")] == [
        ("employee_1", "type.object.name", '"Anna Bell"'),
        ("employee_2", "type.object.name", '"Anna Bell"'),
    ]
    assert facts(triples)[0] == ("employee_1", "city", "Ulm")


def test_codes_are_no_numbers_and_long_texts_are_no_things(tmp_path: Path) -> None:
    story = "A long story, which nothing is called by; it goes on and on, and says more than any name would ever say."
    text = f'town,postcode,story,people\nUlm,01067,"{story}","126,000"\nJena,07743,"{story}","111,000"\n'
    triples, _, _ = read(tmp_path, text)
    assert facts(triples)[:3] == [
        ("Ulm", "postcode", "01067"),
        ("Ulm", "story", f'"{story}"'),
        ("Ulm", "people", '"126000"^^xsd:integer'),
    ]


def test_the_column_without_gaps_and_repetitions_names_the_things(tmp_path: Path) -> None:
    text = "year,winner,city,film\n1999,Anna,Ulm,Heat\n1999,Ben,Ulm,Rain\n2000,,Jena,Fog\n"
    triples, said, _ = read(tmp_path, text)
    assert said[0] == "one row for each “film”, called as column “film” says"
    assert ("Heat", "winner", "Anna") in triples


def test_rows_of_another_width_are_reported_and_a_break_within_quotes_is_none(tmp_path: Path) -> None:
    text = 'Book,by,pages,genre\nEmma,Jane Austen,474\n"Du\nne",Frank Herbert,412,Novel\nRoots,Alex Haley,704,Novel,,\n'
    triples, _, malformed = read(tmp_path, text)
    assert malformed == ["3 columns instead of 4"]
    assert {subject for subject, _, _ in facts(triples)} == {"Du ne", "Roots"}


def test_a_table_that_says_nothing_of_what_its_rows_are_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphLoadError, match="no column that is filled in every row"):
        read(tmp_path, "a,b,c,d\n1,,3,4\n,2,,\n")


def test_with_strict_the_first_wrong_row_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "books.csv"
    path.write_text(BOOKS + "Roots,Alex Haley\n")
    with pytest.raises(GraphLoadError, match="line 6: 2 columns instead of 5"):
        list(FORMATS["table"].read(path, ReadOptions(strict=True)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("subject,predicate,object,source\nAnna,knows,Ben,me\n", "csv"),
        ("Anna,knows,Ben\nBen,knows,Anna\n", "csv"),
        ("Anna\tknows\tBen\nBen\tknows\tAnna\n", "tsv"),
        ("a,b,c,d\nAnna,knows,Ben,me\n", "table"),
    ],
)
def test_tables_of_triples_are_no_such_tables(text: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text(text)
    assert format_of(path).name == name
