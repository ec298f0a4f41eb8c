from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.errors import GraphLoadError
from kgstore.loading.formats.registry import FORMATS, format_of, recognised
from kgstore.loading.formats.source import ReadOptions
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

SMALLEST = {
    "tsv": 'm.1\tfilm.film.genre\tm.2\nm.1\ttype.object.name\t"One"@en\n',
    "csv": 'm.1,film.film.genre,m.2\nm.1,type.object.name,"""One""@en"\n',
    "table": "Book,by,pages,genre\nEmma,Jane Austen,474,Novel\n",
    "kgtk": "node1\tlabel\tnode2\tid\nQ42\tP31\tQ5\te1\nQ42\tlabel\t'Douglas Adams'@en\te2\n",
    "conceptnet": "/a/[/r/IsA/,/c/en/dog/,/c/en/animal/]\t/r/IsA\t/c/en/dog\t/c/en/animal\t{}\n",
    "yago": '<id_1>\t<Albert_Einstein>\t<wasBornIn>\t<Ulm>\t\n\t<Ulm>\trdfs:label\t"Ulm"@eng\t\n',
    "ntriples": "<http://e.org/1>\t<http://e.org/s#knows> <http://e.org/2> .\n",
    "turtle": "@prefix ex: <http://e.org/> .\nex:1 ex:knows ex:2 , ex:3 .\n",
    "nquads": "<http://e.org/1> <http://e.org/s#knows> <http://e.org/2> <http://e.org/graph> .\n",
    "trig": "@prefix ex: <http://e.org/> .\nex:graph {\nex:1 ex:knows ex:2 , ex:3 .\n}\n",
    "rdf-xml": (
        '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://e.org/">\n'
        '<rdf:Description rdf:about="http://e.org/1"><ex:knows rdf:resource="http://e.org/2"/></rdf:Description>\n'
        "</rdf:RDF>\n"
    ),
    "json-ld": '{"@context": {"@vocab": "http://e.org/"}, "@id": "http://e.org/1", "knows": {"@id": "http://e.org/2"}}\n',
    "freebase-rdf": (
        "<http://rdf.freebase.com/ns/m.1>\t<http://rdf.freebase.com/ns/film.film.genre>\t"
        "<http://rdf.freebase.com/ns/m.2>\t.\n"
    ),
    "metaqa": "Kismet|directed_by|William Dieterle\nKismet|release_year|1944\n",
    "pathquestion": "joan_crawford\tspouse\tphillip_terry\n",
    "rog": json.dumps({"id": "1", "question": "?", "graph": [["A", "film.film.genre", "B"]]}) + "\n",
}


WHOLE = {"rdf-xml", "json-ld"}
"""Of which nothing can be read after an error."""
SAID = {
    "nquads": ["1 named graph, read as one"],
    "trig": ["1 named graph, read as one"],
    "kgtk": ["columns left out: id"],
    "conceptnet": ["columns left out: assertion, sources and weight"],
    "yago": ["columns left out: id of the fact, value as a number"],
    "table": [
        "one row for each “Book”, called as column “Book” says",
        "column “by”: other things",
        "column “pages”: numbers",
        "column “genre”: other things",
    ],
}
"""What is said of the file, where all of it is loaded."""


@pytest.fixture(params=FORMATS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_format_is_reported_by_its_first_lines(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("\n# a comment\n" + SMALLEST[name], encoding="utf-8")
    assert format_of(path).name == name
    gzipped = tmp_path / "file.gz"
    gzipped.write_bytes(gzip.compress(b"\xef\xbb\xbf" + SMALLEST[name].encode()))
    assert format_of(gzipped).name == name


def test_every_source_keeps_its_promises(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(SMALLEST[name], encoding="utf-8")
    source = FORMATS[name].read(path)
    assert source.lines.fraction == 0
    triples = list(source)
    assert triples
    assert list(source) == triples
    assert source.lines.fraction == 1
    assert source.lines.malformed == 0
    assert list(source.filters()) == SAID.get(name, [])
    path.write_text(SMALLEST[name] + "no triple of any format\n", encoding="utf-8")
    if name in WHOLE:
        with pytest.raises(GraphLoadError, match="cannot be read after about line"):
            list(FORMATS[name].read(path))
    else:
        source = FORMATS[name].read(path)
        assert list(source) == triples
        assert (source.lines.malformed, len(source.lines.examples)) == (1, 1)
    with pytest.raises(GraphLoadError, match="line "):
        list(FORMATS[name].read(path, ReadOptions(strict=True)))


def test_every_source_loads(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(SMALLEST[name], encoding="utf-8")
    source = FORMATS[name].read(path, ReadOptions(strict=True))
    report = load_graph(source, tmp_path / "g.sqlite", name="g", title="G", source="test", filters=source.filters)
    assert report.edges >= 1
    assert list(SqliteStore(tmp_path / "g.sqlite").info().filters) == SAID.get(name, [])


def test_every_format_shows_a_line_that_it_recognises(name: str, tmp_path: Path) -> None:
    looks = FORMATS[name].looks.replace("⇥", "\t")
    path = tmp_path / "file"
    path.write_text(looks + "\n", encoding="utf-8")
    assert [known.name for known in recognised(path)] == [name]


def test_a_table_of_any_three_columns_is_tsv(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("#a note\nAda_Byron\twrote_to\tCharles_Babbage\nAda Byron\tmet\tMary Somerville\n")
    assert format_of(path).name == "tsv"


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        # General formats both of which the lines may be.
        ("t.csv", "a\tb\tc,d,e\n", "tsv"),
        ("t.csv", "a,b\tc,d\n", "csv"),
        ("t.CSV.gz", "one two three\n", "csv"),
        ("t.tsv", "one two three\n", "tsv"),
        # What the lines tell goes before what the name says.
        ("t.tsv", "Ada,wrote_to,Charles\n", "csv"),
        ("t.csv", SMALLEST["metaqa"], "metaqa"),
        ("t.csv", SMALLEST["turtle"], "turtle"),
        ("t.txt", "subject,predicate,object\n", "csv"),
    ],
)
def test_the_ending_of_a_name_tells_where_the_lines_do_not(file: str, text: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_bytes(gzip.compress(text.encode()) if file.endswith(".gz") else text.encode())
    assert format_of(path).name == name


def test_a_long_comment_at_the_top_hides_no_format(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("# a licence\n" * 100 + SMALLEST["turtle"])
    assert format_of(path).name == "turtle"


@pytest.mark.parametrize("text", ["one two three\n", "a\tb\t\n", "a|b|c\n", "{}\n", SMALLEST["tsv"] + "x\n" * 9])
def test_where_it_cannot_be_reported_people_are_asked(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GraphLoadError, match=r"(?s)Name it with --format:\n  tsv: .*\n  metaqa: Kismet\|directed_by"):
        format_of(path)


def test_a_malformed_line_hides_no_format(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(SMALLEST["tsv"] + "x\n", encoding="utf-8")
    assert format_of(path).name == "tsv"


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_an_empty_file_is_said_to_be_empty(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GraphLoadError, match="is empty"):
        format_of(path)


def test_a_long_first_line_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    graph = [["A", "film.film.genre", f"B{i}"] for i in range(5000)]
    path.write_text(json.dumps({"id": "1", "graph": graph}) + "\n", encoding="utf-8")
    assert format_of(path).name == "rog"


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("tsv", ReadOptions(rows=("1",)), "--rows is not for files of the format tsv"),
        ("rog", ReadOptions(filters="x.toml"), "--filters is not for files of the format rog"),  # type: ignore[arg-type]
    ],
)
def test_options_of_other_formats_are_refused(name: str, options: ReadOptions, said: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(SMALLEST[name], encoding="utf-8")
    with pytest.raises(GraphLoadError, match=said):
        FORMATS[name].read(path, options)


def test_rows_that_were_chosen_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"id": str(i), "graph": [["A", "b.c.d", "B"]]}) + "\n" for i in range(9)))
    source = FORMATS["rog"].read(path, ReadOptions(rows=("3", "1")))
    list(source)
    assert list(source.filters()) == ["2 of 9 rows: 1, 3"]


def test_a_tsv_file_may_say_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "part.tsv"
    path.write_text("# A heading\n# filter: 2 hops around m.1\n# filter: facts of film\nm.1\tfilm.film.genre\tm.2\n")
    source = FORMATS["tsv"].read(path, ReadOptions(strict=True))
    assert len(list(source)) == 1
    assert list(source.filters()) == ["2 hops around m.1", "facts of film"]
    load_graph(source, tmp_path / "g.sqlite", name="g", title="G", source="part.tsv", filters=source.filters)
    assert SqliteStore(tmp_path / "g.sqlite").info().filters == ("2 hops around m.1", "facts of film")


TRIPLE = "<http://e.org/{}> <http://e.org/knows> <http://e.org/{}> .\n"
LATE = "".join(TRIPLE.format(number, number + 1) for number in range(600))
"""Lines of N-Triples, more than are looked at."""


@pytest.mark.parametrize(
    ("file", "name", "rest", "triples"),
    [
        ("x.ttl", "turtle", "@prefix e: <http://e.org/> .\ne:a e:b e:c , e:d .\n", 2),
        ("x.ttl.gz", "turtle", "PREFIX e: <http://e.org/>\ne:a e:b e:c ;\n  e:d e:e .\n", 2),
        ("x.ttl", "turtle", "<http://e.org/g> { <http://e.org/a> <http://e.org/b> <http://e.org/c> . }\n", 1),
        ("x.trig", "trig", "<http://e.org/g> { <http://e.org/a> <http://e.org/b> <http://e.org/c> . }\n", 1),
        ("x.nq", "nquads", "<http://e.org/a> <http://e.org/b> <http://e.org/c> <http://e.org/g> .\n", 1),
        ("x.nt", "ntriples", "<http://e.org/a> <http://e.org/b> <http://e.org/c> <http://e.org/g> .\n", 1),
        ("x", "ntriples", "<http://e.org/a> <http://e.org/b> <http://e.org/c> <http://e.org/g> .\n", 1),
    ],
)
def test_the_ending_decides_what_the_first_lines_leave_open(
    file: str, name: str, rest: str, triples: int, tmp_path: Path
) -> None:
    path = tmp_path / file
    content = (LATE + rest).encode()
    path.write_bytes(gzip.compress(content) if file.endswith(".gz") else content)
    assert format_of(path).name == name
    source = format_of(path).read(path)
    assert len(list(source)) == 600 + triples
    assert source.lines.malformed == 0


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("x.ttl", "rdf-xml"),
        ("x.nt", "turtle"),
        ("x.ttl", "json-ld"),
        ("x.nq", "trig"),
        ("x.csv", "turtle"),
        ("x.trig", "turtle"),
    ],
)
def test_a_wrong_ending_does_not_decide(file: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_text(SMALLEST[name], encoding="utf-8")
    read_as = format_of(path)
    assert read_as.name == ("trig" if file == "x.trig" else name)
    assert list(read_as.read(path)) == list(FORMATS[name].read(path))


@pytest.mark.parametrize(
    ("file", "name"), [("x.rdf", "rdf-xml"), ("x.owl", "rdf-xml"), ("x.jsonld", "json-ld"), ("x.ttl", "turtle")]
)
def test_a_long_preface_hides_no_format(file: str, name: str, tmp_path: Path) -> None:
    preface = {
        "rdf-xml": '<?xml version="1.0"?>\n<!--\n' + "a licence, with, commas\n" * 30 + "-->\n",
        "json-ld": "{\n" + '"a": 1,\n' * 30,
        "turtle": "#licence,of,commas\n" * 30,
    }[name]
    path = tmp_path / file
    path.write_text(preface + SMALLEST[name].removeprefix('<?xml version="1.0"?>\n').removeprefix("{"))
    assert format_of(path).name == name
    assert len(list(format_of(path).read(path))) == len(list(FORMATS[name].read(path)))
