"""What exported SPARQL finds in the file that a graph was loaded from, and in the one that it is exported into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyoxigraph import RdfFormat, parse, serialize

from kgstore.loading.exported_graph import write_ntriples
from kgstore.loading.formats.registry import FORMATS
from kgstore.loading.formats.source import ReadOptions
from kgstore.loading.reading import GraphToLoad
from kgstore.sparql.rdf import FIRST_DAY, LAST_DAY, address, day_number, day_read, id_of, sparql_term
from kgstore.sqlite.library import SqliteLibrary
from kgstore.terms import Date, Entity, Number, TermError, Text, parse_term
from reasoning.compiling.sparql import to_sparql
from reasoning.core.derivation import Derivation, Operator
from reasoning.facts.pruning import meets
from reasoning.gold.decomposition import decompose
from tests.engines.in_python import ENGINES
from tests.engines.results import found_of, read_answer
from tests.reasoning.random_graphs import replayed

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.exploring.explorable import ExplorableStore
    from reasoning.core.derivation import PartialDerivation

NS = "http://rdf.freebase.com/ns/"
XSD = "http://www.w3.org/2001/XMLSchema#"


def loaded(folder: Path, text: str, format_: str) -> ExplorableStore:
    path = folder / "source"
    path.write_text(text, encoding="utf-8")
    library = SqliteLibrary(folder / "graphs")
    library.load(GraphToLoad(FORMATS[format_].read(path, ReadOptions(strict=True)), "graph", "Graph", "made up"))
    return library.open("graph")


def derivation(topic: str, *search: tuple[int, str], constraints: object = (), place: int = 1) -> PartialDerivation:
    return Derivation.from_json(
        {"topic": topic, "search": list(search), "constraints": constraints, "answer": place, "counted": False}
    )


def found_everywhere(folder: Path, store: ExplorableStore, asked: Derivation) -> frozenset[tuple[str, ...]]:
    """What a replay finds, and every engine in the exported file and in the file that the graph was loaded from."""
    report = write_ntriples(store, folder / "graph.nt")
    assert report.refused == 0
    expected = found_of(replayed(store, asked))
    for engine, ask in ENGINES.items():
        for file in (folder / "graph.nt", folder / "original.nt"):
            if file.exists():
                assert read_answer(ask(file, to_sparql(asked))) == expected, (engine, file.name, to_sparql(asked))
    return expected


def dump(*triples: tuple[str, str, str]) -> str:
    written = ((s, p, o if o.startswith('"') else f"<{NS}{o}>") for s, p, o in triples)
    return "".join(f"<{NS}{s}>\t<{NS}{p}>\t{o}\t.\n" for s, p, o in written)


FAMILY = dump(
    *(("m.0a", "people.person.children", child) for child in ("m.0b", "m.0c", "m.0d")),
    ("m.0b", "people.person.date_of_birth", f'"1980-05-06T00:00:00Z"^^<{XSD}dateTime>'),
    ("m.0c", "people.person.date_of_birth", f'"1979-01-02"^^<{XSD}date>'),
    ("m.0d", "people.person.date_of_birth", f'"1975"^^<{XSD}gYear>'),
    ("m.0b", "people.person.height_meters", '"1.8"'),
    ("m.0c", "people.person.height_meters", '"12"'),
    ("m.0d", "people.person.height_meters", '"9.5"'),
    ("m.0b", "location.country.iso_numeric", '"032"'),
    ("m.0c", "location.country.iso_numeric", '"4"'),
    ("m.0d", "location.country.iso_numeric", '"300"'),
    ("m.0e", "people.person.parents", "m.0a"),
    *((f"m.0{each}", "type.object.type", "people.person") for each in "abcde"),
    *((f"m.0{each}", "type.object.name", f'"{each}"@en') for each in "abcde"),
)
"""A part of Freebase's dump: a day with a time, numbers without a datatype, codes, half of the inverse facts."""


@pytest.mark.parametrize(
    ("step", "operator", "target", "found"),
    [
        ("people.person.date_of_birth", "max", None, {"m.0b"}),
        ("people.person.date_of_birth", ">", '"1979"^^xsd:gYear', {"m.0b"}),
        ("people.person.date_of_birth", "=", '"1980-05"^^xsd:gYearMonth', {"m.0b"}),
        ("people.person.height_meters", "max", None, {"m.0c"}),
        ("people.person.height_meters", "<", '"2"^^xsd:integer', {"m.0b"}),
        ("location.country.iso_numeric", "max", None, {"m.0d"}),
        ("location.country.iso_numeric", "max", '"2"^^xsd:integer', {"m.0b"}),
        ("location.country.iso_numeric", ">=", '"32"^^xsd:integer', {"m.0b", "m.0d"}),
        ("people.person.parents", "=", "m.0a", {"m.0b", "m.0c", "m.0d", "m.0e"}),
    ],
)
def test_freebases_dump_is_asked_as_it_is(
    step: str, operator: str, target: str | None, found: set[str], tmp_path: Path
) -> None:
    store = loaded(tmp_path, FAMILY, "freebase-rdf")
    (tmp_path / "original.nt").write_text(FAMILY, encoding="utf-8")
    asked = derivation("m.0a", (0, "people.person.children"), (1, step), constraints=[[2, operator, target]])
    assert found_everywhere(tmp_path, store, asked) == {(f"{NS}{mid}",) for mid in found}
    store.close()


TURTLE = f"""
@prefix ex: <http://example.org/> . @prefix xsd: <{XSD}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:all a ex:List ; rdfs:label "All" ; ex:has ex:a, ex:b, ex:c, ex:d .
ex:a a ex:Thing ; rdfs:label "a" ; ex:day "2011-02-06Z"^^xsd:date ; ex:size "0.1"^^xsd:float ; ex:word "Wort"@DE .
ex:b a ex:Thing ; rdfs:label "b" ; ex:day "2011-02-06+01:00"^^xsd:date ; ex:size "0.1"^^xsd:double ; ex:word "Wort"@de .
ex:c a ex:Thing ; rdfs:label "c" ; ex:day "2011-02-07-05:00"^^xsd:date ; ex:size 0.1 ; ex:word "Wort" .
ex:d a ex:Thing, ex:Last ; rdfs:label "d" ; ex:day "12011"^^xsd:gYear ; ex:size 1.0E-1 ; ex:word "Wort"@de-AT .
ex:a ex:since "2011Z"^^xsd:gYear . ex:c ex:since "2011-02+02:00"^^xsd:gYearMonth . ex:d ex:since "-0044"^^xsd:gYear .
"""


@pytest.mark.parametrize(
    ("step", "operator", "target", "found"),
    [
        ("day", "=", '"2011-02-06"^^xsd:date', "ab"),
        ("day", "<=", '"2011-02-06"^^xsd:date', "ab"),
        ("day", "<", '"2011-02-07"^^xsd:date', "ab"),
        ("day", ">", '"2011-02-06"^^xsd:date', "cd"),
        ("day", "=", '"1201"^^xsd:gYear', ""),
        ("day", "=", '"2011"^^xsd:gYear', "abc"),
        ("day", "max", None, "d"),
        ("day", "min", None, "ab"),
        ("since", "=", '"2011-02-28"^^xsd:date', "ac"),
        ("since", "<", '"-0043"^^xsd:gYear', "d"),
        ("since", "min", None, "d"),
        ("size", "=", '"0.1"^^xsd:decimal', "abcd"),
        ("size", "max", None, "abcd"),
        ("size", ">=", '"0.1"^^xsd:double', "abcd"),
        ("size", "<", '"0.1"^^xsd:double', ""),
        ("word", "=", '"Wort"@de', "ab"),
        ("word", "=", '"Wort"@DE-at', "d"),
        ("word", "=", '"Wort"', "c"),
        ("word", "<", '"Wort"', ""),
    ],
)
def test_values_of_rdf_compare_alike_in_replay_and_query(
    step: str, operator: str, target: str | None, found: str, tmp_path: Path
) -> None:
    ex = "http://example.org/"
    store = loaded(tmp_path, TURTLE, "turtle")
    (tmp_path / "original.nt").write_bytes(serialize(parse(TURTLE, RdfFormat.TURTLE), format=RdfFormat.N_TRIPLES))
    asked = derivation(f"{ex}all", (0, f"{ex}has"), (1, f"{ex}{step}"), constraints=[[2, operator, target]])
    assert found_everywhere(tmp_path, store, asked) == {(f"{ex}{each}",) for each in found}
    store.close()


@pytest.mark.parametrize("target", ["m.0x", '"a"@en'])
def test_what_nothing_meets_is_counted_as_none(target: str, tmp_path: Path) -> None:
    store = loaded(tmp_path, FAMILY, "freebase-rdf")
    write_ntriples(store, tmp_path / "graph.nt")
    asked = derivation(
        "m.0a", (0, "people.person.children"), (1, "people.person.height_meters"), constraints=[[2, "<", target]]
    )
    query = to_sparql(Derivation.from_json({**asked.to_json(), "counted": True}))
    assert "false" not in query
    assert [read_answer(ask(tmp_path / "graph.nt", query)) for ask in ENGINES.values()] == [0, 0]
    store.close()


def test_a_condition_on_an_entity_that_the_query_names_is_decided_beforehand() -> None:
    """RDF4J drops the row of a count for one that is false, as it does for ``false``."""
    asked = derivation("m.0a", (0, "r.s.near"), constraints=[[0, "=", '"2010"^^xsd:gYear'], [0, "=", "m.0a"]])
    conditions = [line.strip() for line in to_sparql(asked).splitlines() if "FILTER" in line]
    assert conditions == ["FILTER (?x1 != ?x1)", f"FILTER (?x1 != <{NS}m.0a>)"]


def test_a_fact_that_is_not_completed_is_asked_in_its_own_direction(tmp_path: Path) -> None:
    """Loading completes facts between mids alone, and none with a mediator."""
    table = "".join(
        f"{line}\n"
        for line in (
            "france\tlocation.location.contains\tparis",
            "europe\tlocation.location.contains\tfrance",
            "lyon\tlocation.location.containedby\tfrance",
            "m.0f\tlocation.location.contains\tm.0p",
            "m.0l\tlocation.location.containedby\tm.0f",
            "m.0s\tpeople.person.spouse_s\tm.0m",
            "m.0m\tpeople.marriage.spouse\tm.0t",
        )
    )
    store = loaded(tmp_path, table, "tsv")
    for topic, step, found in (
        ("france", "location.location.contains", {"paris"}),
        ("paris", "^location.location.contains", {"france"}),
        ("m.0f", "location.location.contains", {"m.0p", "m.0l"}),
    ):
        asked = derivation(topic, (0, step))
        assert found_everywhere(tmp_path, store, asked) == {(f"{NS}{mid}",) for mid in found}
        assert decompose(to_sparql(asked), asked.topic).derivation == asked
    for topic, steps, end in (
        ("europe", ("location.location.contains", "location.location.contains"), "paris"),
        ("m.0s", ("people.person.spouse_s", "people.marriage.spouse"), "m.0t"),
    ):
        asked = derivation(topic, *enumerate(steps), place=2)
        assert found_everywhere(tmp_path, store, asked) == {(f"{NS}{end}",)}
    store.close()


def test_an_exported_graph_is_the_same_graph_when_it_is_loaded(tmp_path: Path) -> None:
    store = loaded(tmp_path, FAMILY, "freebase-rdf")
    report = write_ntriples(store, tmp_path / "graph.nt.gz")
    assert (report.facts, report.types, report.names, report.entities) == (17, 5, 5, 5)
    library = SqliteLibrary(tmp_path / "again")
    library.load(
        GraphToLoad(FORMATS["freebase-rdf"].read(tmp_path / "graph.nt.gz", ReadOptions(strict=True)), "a", "A", "")
    )
    again = library.open("a")
    assert again.offered() == store.offered()
    cards = [{(card.entity, card.name, card.types) for card in each.best_known(100)} for each in (again, store)]
    assert cards[0] == cards[1]
    again.close()
    store.close()


def test_what_no_rdf_can_hold_is_counted(tmp_path: Path) -> None:
    store = loaded(tmp_path, "http://x.org/a[1]\tknows\tb\nb\tknows\tc\n", "tsv")
    report = write_ntriples(store, tmp_path / "graph.nt")
    assert (report.facts, report.refused) == (1, 1)
    assert "http://x.org/a[1] knows b: Invalid IRI" in report.refused_examples[0]
    store.close()


def test_nothing_is_left_of_a_file_that_could_not_be_written(tmp_path: Path) -> None:
    store = loaded(tmp_path, "a\tknows\tb\n", "tsv")
    with pytest.raises(Exception, match="cannot be written"):
        write_ntriples(store, tmp_path / "missing" / "graph.nt")
    store.close()


EARLIER = """PREFIX ns: <http://rdf.freebase.com/ns/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
SELECT DISTINCT ?x1 WHERE {
  { SELECT (MAX(IF(isNUMERIC(?xr1_2), ?xr1_2, IF((DATATYPE(?xr1_2) IN (xsd:string) && REGEX(STR(?xr1_2), "^[0-9]{1,15}$")), xsd:integer(?xr1_2), xsd:integer(REPLACE(STR(?xr1_2), "^(-?[0-9]+).*$", "$1")) + xsd:decimal(REPLACE(CONCAT(STR(?xr1_2), "-01-01"), "^-?[0-9]+-([0-9]+)-([0-9]+).*$", "0.$1$2"))))) AS ?xbest1) WHERE {
      ns:m.a ns:r.s.child ?xr1_1 .
      ?xr1_1 ns:r.s.born ?xr1_2 .
      FILTER (DATATYPE(?xr1_2) IN (xsd:date, xsd:gYear, xsd:gYearMonth) && CONCAT(STR(?xr1_2), "-99") >= STR("2011"^^xsd:gYear))
      FILTER (DATATYPE(?xr1_2) IN (xsd:date, xsd:gYear, xsd:gYearMonth) && (STRSTARTS(STR(?xr1_2), STR("2012"^^xsd:gYear)) || STRSTARTS(STR("2012"^^xsd:gYear), STR(?xr1_2))))
  } }
  ns:m.a ns:r.s.child ?x1 .
  ?x1 ns:r.s.born ?x2 .
  FILTER (DATATYPE(?x2) IN (xsd:date, xsd:gYear, xsd:gYearMonth) && CONCAT(STR(?x2), "-99") >= STR("2011"^^xsd:gYear))
  FILTER (DATATYPE(?x2) IN (xsd:date, xsd:gYear, xsd:gYearMonth) && (STRSTARTS(STR(?x2), STR("2012"^^xsd:gYear)) || STRSTARTS(STR("2012"^^xsd:gYear), STR(?x2))))
  FILTER (((isNUMERIC(?x2) || (DATATYPE(?x2) IN (xsd:string) && REGEX(STR(?x2), "^[0-9]{1,15}$"))) || DATATYPE(?x2) IN (xsd:date, xsd:gYear, xsd:gYearMonth)) && IF(isNUMERIC(?x2), ?x2, IF((DATATYPE(?x2) IN (xsd:string) && REGEX(STR(?x2), "^[0-9]{1,15}$")), xsd:integer(?x2), xsd:integer(REPLACE(STR(?x2), "^(-?[0-9]+).*$", "$1")) + xsd:decimal(REPLACE(CONCAT(STR(?x2), "-01-01"), "^-?[0-9]+-([0-9]+)-([0-9]+).*$", "0.$1$2")))) = ?xbest1)
  FILTER (?x1 != ns:m.a)
}
"""  # noqa: E501 - as it was written


def test_queries_of_earlier_exports_are_read_as_ever() -> None:
    constraints = [[2, "=", '"2012"^^xsd:gYear'], [2, ">=", '"2011"^^xsd:gYear'], [2, "max", None]]
    asked = derivation("m.a", (0, "r.s.child"), (1, "r.s.born"), constraints=constraints)
    assert decompose(EARLIER, asked.topic).derivation == asked


@pytest.mark.parametrize(
    "target",
    ['"2.50"@en', '"P1Y"^^xsd:duration', '"POINT(1 2)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>', '"a"@EN'],
)
def test_texts_are_read_back_as_they_were(target: str) -> None:
    asked = derivation("m.a", (0, "r.s.child"), (1, "r.s.motto"), constraints=[[2, "=", target]])
    assert decompose(to_sparql(asked), asked.topic).derivation == asked


@pytest.mark.parametrize("date", ["2011", "2011-02", "2011-02-06", "0099", "-0044", "-0044-03-15", "12010-12", "0000"])
@pytest.mark.parametrize("end", [FIRST_DAY, LAST_DAY])
def test_the_number_of_a_date_says_which_date_it_is(date: str, end: str) -> None:
    assert day_read(parse_number(f"{day_number(Date(date), end):.4f}"), end) == Date(date)


def parse_number(text: str) -> Number:
    number = parse_term(f'"{text}"^^xsd:decimal')
    assert isinstance(number, Number)
    return number


def test_a_number_of_no_day_is_no_date() -> None:
    with pytest.raises(TermError):
        day_read(Number(2011.9), FIRST_DAY)


@pytest.mark.parametrize(
    "name", ["film.film.genre", "m.0a", "a|b", "_5", "ü e", "http://example.org/a", "ex:knows", "_:b"]
)
def test_an_address_says_which_id_it_is_of(name: str) -> None:
    assert id_of(address(name)) == name


@pytest.mark.parametrize(
    ("term", "written"),
    [
        (Number(2), '"2"^^xsd:integer'),
        (Number(0.1), '"0.1"^^xsd:decimal'),
        (Number(1e300), '"1e+300"^^xsd:double'),
        (Number(float("-inf")), '"-INF"^^xsd:double'),
        (Entity("film.film.genre"), "<http://rdf.freebase.com/ns/film.film.genre>"),
    ],
)
def test_terms_stand_in_queries_as_every_engine_reads_them(term: Number | Entity, written: str) -> None:
    assert sparql_term(term) == written


def test_a_text_is_ordered_as_the_number_that_it_is_written_like() -> None:
    assert meets(Text("-2.5"), Operator.LESS, Number(-2))
    assert meets(Text("1.0e3"), Operator.EQUAL, Number(1000))
    assert not meets(Text("1,000"), Operator.GREATER, Number(1))
    assert not meets(Text("12", "en"), Operator.GREATER, Number(1))
