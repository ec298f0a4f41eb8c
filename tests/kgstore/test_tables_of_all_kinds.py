"""Spreadsheets, archives of tables, JSON objects, other encodings, and mappings that people keep."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.registry import FORMATS, format_of
from kgstore.loading.formats.source import ReadOptions
from kgstore.loading.formats.tables.columns import suggested
from kgstore.loading.formats.tables.mapping import ColumnMapping, TableMapping, read_mapping, written_mapping
from kgstore.loading.formats.tables.reader import TableReader

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText

PEOPLE = """id,name,born,employer_id,manager_id,languages
1,Ada Berg,1980-05-01,10,,German; Dutch
2,Ben Löwe,1975,10,1,German
3,Cora Díaz,1990,11,1,Spanish; German
"""
COMPANIES = """id,name,founded,city
10,Acme,1901,Ulm
11,Globex,1950,Trier
"""


def facts(path: Path, mapping: Path | None = None) -> list[TripleText]:
    known = format_of(path)
    assert known.name == "table"
    source = known.read(path, ReadOptions(mapping=read_mapping(mapping) if mapping else ()))
    triples = list(source)
    assert source.lines.malformed == 0, source.lines.examples
    assert source.lines.fraction == 1
    return triples


def archive(tmp_path: Path) -> Path:
    path = tmp_path / "tables.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("people.csv", PEOPLE)
        file.writestr("data/companies.csv", COMPANIES)
        file.writestr("readme.md", "# Notes")
    return path


def sheet(name: str, text: str) -> str:
    """A sheet of a spreadsheet as OpenDocument has it."""
    rows = []
    for line in text.splitlines():
        cells = "".join(
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>'
            for cell in line.split(",")
        )
        rows.append(f"<table:table-row>{cells}</table:table-row>")
    return f'<table:table table:name="{name}">{"".join(rows)}</table:table>'


def spreadsheet(path: Path, *sheets: str) -> Path:
    office = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<?xml version="1.0"?><office:document-content xmlns:office="{office}:office:1.0" '
        f'xmlns:table="{office}:table:1.0" xmlns:text="{office}:text:1.0">'
        f"<office:body><office:spreadsheet>{''.join(sheets)}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    manifest = (
        '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="/" '
        'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("content.xml", content)
        file.writestr("META-INF/manifest.xml", manifest)
    return path


def test_tables_of_an_archive_refer_to_one_another(tmp_path: Path) -> None:
    found = facts(archive(tmp_path))
    assert {
        ("person_1", "rdf:type", "person"),
        ("person_1", "employer", "company_10"),
        ("person_2", "manager", "person_1"),
        ("company_10", "type.object.name", '"Acme"'),
        ("company_10", "founded", '"1901"^^xsd:gYear'),
        ("person_1", "languages", "Dutch"),
    } <= set(found)


def test_each_sheet_of_a_spreadsheet_is_a_table(tmp_path: Path) -> None:
    path = spreadsheet(tmp_path / "all.ods", sheet("people", PEOPLE), sheet("companies", COMPANIES), sheet("notes", ""))
    assert set(facts(path)) == set(facts(archive(tmp_path)))


def test_what_is_no_spreadsheet_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "people.xlsx"
    path.write_text(PEOPLE, encoding="utf-8")
    with pytest.raises(GraphLoadError, match="cannot be read as a spreadsheet"):
        list(FORMATS["table"].read(path))
    with pytest.raises(GraphLoadError, match="no sheet with a row of headers"):
        list(FORMATS["table"].read(spreadsheet(tmp_path / "none.ods", sheet("empty", "id,name"))))


@pytest.mark.parametrize(("encoding", "said"), [("utf-16", ""), ("utf-8-sig", ""), ("cp1252", "Windows-1252")])
def test_other_encodings_are_read_as_what_they_are(tmp_path: Path, encoding: str, said: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(PEOPLE.encode(encoding))
    source = FORMATS["table"].read(path)
    assert ("person_2", "type.object.name", '"Ben Löwe"') in list(source)
    assert source.lines.malformed == 0
    assert said in " ".join(source.filters())


def test_objects_are_rows_and_their_lists_several_things(tmp_path: Path) -> None:
    records = [
        {"name": "Ada", "age": 33, "likes": ["tea", "rye; bread"], "home": {"city": "Ulm"}},
        {"name": "Ben", "age": 44.5, "is_new": True, "likes": []},
        {"name": "Big", "age": 12345678901234567890, "home": None},
    ]
    expected = [
        ("Ada", "age", '"33"^^xsd:integer'),
        ("Ada", "likes", "tea"),
        ("Ada", "likes", "rye; bread"),
        ("Ada", "home.city", "Ulm"),
        ("Ben", "age", '"44.5"^^xsd:decimal'),
        ("Ben", "is_new", "yes"),
        ("Big", "age", '"12345678901234567890"^^xsd:integer'),
    ]
    lines, array = tmp_path / "pets.jsonl", tmp_path / "pets.json"
    lines.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    array.write_text(json.dumps(records, indent=1), encoding="utf-8")
    for path in (lines, array):
        found = facts(path)
        assert [fact for fact in found if fact[1] not in {"rdf:type", "type.object.name"}] == expected
        assert ("Ada", "rdf:type", "pet") in found


def test_a_line_that_is_no_object_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "pets.jsonl"
    path.write_text('{"name": "Ada"}\n{"name": \n{"name": "Ben"}\n', encoding="utf-8")
    source = FORMATS["table"].read(path)
    assert {subject for subject, _, _ in source} == {"Ada", "Ben"}
    assert [(line.number, line.reason) for line in source.lines.examples] == [(2, "no JSON object")]


def test_a_mapping_is_kept_changed_and_followed(tmp_path: Path) -> None:
    path, kept = tmp_path / "people.csv", tmp_path / "people.json"
    path.write_text(PEOPLE, encoding="utf-8")
    proposed = suggested(TableReader(path).looked_at())
    kept.write_text(written_mapping(proposed), encoding="utf-8")
    assert read_mapping(kept) == proposed
    assert facts(path, kept) == facts(path)
    [table] = proposed
    changed = table.model_copy(
        update={
            "kind": "employee",
            "key": "name",
            "columns": (
                ColumnMapping(header="born", use="text", relation="birth"),
                ColumnMapping(header="languages", use="left out", relation="languages"),
            ),
        }
    )
    kept.write_text(written_mapping((changed,)), encoding="utf-8")
    assert [fact for fact in facts(path, kept) if fact[0] == "Ben Löwe"] == [
        ("Ben Löwe", "rdf:type", "employee"),
        ("Ben Löwe", "type.object.name", '"Ben Löwe"'),
        ("Ben Löwe", "birth", '"1975"'),
    ]


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ("[", "is no mapping of a table"),
        ('[{"kind": "a", "key": "id"}]', "name: Field required"),
        (written_mapping((TableMapping(kind="a", key="id", name="nick", columns=()),)), "has no column “nick”"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(tmp_path: Path, mapping: str, said: str) -> None:
    path, kept = tmp_path / "people.csv", tmp_path / "people.json"
    path.write_text(PEOPLE, encoding="utf-8")
    kept.write_text(mapping, encoding="utf-8")
    with pytest.raises(GraphLoadError, match=said):
        facts(path, kept)


def test_a_value_that_is_no_date_is_reported(tmp_path: Path) -> None:
    path, kept = tmp_path / "people.csv", tmp_path / "people.json"
    path.write_text("name,born\nAda,1980\nBen,spring\n", encoding="utf-8")
    column = ColumnMapping(header="born", use="dates", relation="born")
    kept.write_text(written_mapping((TableMapping(kind="a", key="name", name="name", columns=(column,)),)))
    source = FORMATS["table"].read(path, ReadOptions(mapping=read_mapping(kept)))
    assert ("Ada", "born", '"1980"^^xsd:gYear') in list(source)
    assert [line.text for line in source.lines.examples] == ["spring"]


def test_a_long_header_is_cut_and_too_many_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(f"name,{'x' * 5_000},b,c\nAda,1,2,3\n", encoding="utf-8")
    assert ("Ada", "x" * 200, '"1"^^xsd:integer') in facts(path)
    path.write_text(",".join(f"c{n}" for n in range(2_001)) + "\n" + ",".join(["1"] * 2_001) + "\n", encoding="utf-8")
    with pytest.raises(GraphLoadError, match=r"2,001 columns. Split it into tables of at most 2,000"):
        list(FORMATS["table"].read(path))
