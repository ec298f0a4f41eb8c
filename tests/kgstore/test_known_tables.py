"""Tables of well-known data sets and tools: the facts of an answer, KGTK, Hetionet, ConceptNet, YAGO, Wikidata5M."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.formats.registry import FORMATS, format_of
from kgstore.loading.formats.tsv import NameReader
from kgstore.loading.reading import GraphToLoad
from kgstore.terms import Entity, parse_term

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.library import GraphLibrary
    from kgstore.loading.formats.lines import TripleText
    from kgstore.loading.formats.source import TripleSource
    from kgstore.store import GraphStore

NAME = "type.object.name"


def source_of(tmp_path: Path, text: str, file: str) -> TripleSource:
    path = tmp_path / file
    path.write_text(text, encoding="utf-8")
    return format_of(path).read(path)


def read(tmp_path: Path, text: str, file: str = "x.tsv") -> list[TripleText]:
    source = source_of(tmp_path, text, file)
    triples = list(source)
    assert source.lines.examples == []
    return triples


def load(library: GraphLibrary, source: TripleSource, *, from_ids: bool = False) -> GraphStore:
    library.load(GraphToLoad(source, "g", "G", "made up", filters=source.filters, names_from_ids=from_ids))
    return library.open("g")


ROWS = [
    "subject,subject id,relation,relation id,object,object id,step,note",
    "Knight Rider,m.0hw,regular cast,tv.tv_program.regular_cast,m.0j,m.0j,1,",
    'm.0j,m.0j,actor,tv.regular_tv_appearance.actor,"Hoff, David",m.02,2,proves this',
    'm.0j,m.0j,from,tv.regular_tv_appearance.from,1982,"""1982""^^xsd:gYear",2,',
    'Knight Rider,m.0hw,tag line,tv.tv_program.tag_line,"One, ""man""","""One, \\""man\\""""@en",1,',
    "'=SUM,'=1,director,http://www.wikidata.org/prop/direct/P57,\"Hoff, David\",m.02,1,",
]
FACTS = "".join(f"{row}\r\n" for row in ROWS)


def test_the_facts_of_an_answer_come_back_as_they_went(library: GraphLibrary, tmp_path: Path) -> None:
    source = source_of(tmp_path, FACTS, "facts.csv")
    facts = [triple for triple in source if triple[1] != NAME]
    assert facts == [
        ("m.0hw", "tv.tv_program.regular_cast", "m.0j"),
        ("m.0j", "tv.regular_tv_appearance.actor", "m.02"),
        ("m.0j", "tv.regular_tv_appearance.from", '"1982"^^xsd:gYear'),
        ("m.0hw", "tv.tv_program.tag_line", '"One, \\"man\\""@en'),
        ("=1", "http://www.wikidata.org/prop/direct/P57", "m.02"),
    ]
    assert source.filters() == ["columns left out: step, note"]
    store = load(library, source)
    cards = store.cards([Entity(mid) for mid in ("m.0hw", "m.0j", "m.02", "=1")])
    assert {entity.mid: (card.name, card.is_mediator) for entity, card in cards.items()} == {
        "m.0hw": ("Knight Rider", False),
        "m.0j": (None, True),
        "m.02": ("Hoff, David", False),
        "=1": ("=SUM", False),
    }
    assert {relation.label for relation in store.offered()} == {"", "director"}
    assert store.info().triples == 9


@pytest.mark.parametrize("sign", [",", "\t"])
@pytest.mark.parametrize(
    "header",
    [
        "head,head_id,relation,tail,tail_id",
        "source,source_id,type,target,target_id",
        "subject,subject id,predicate,object,object id",
    ],
)
def test_where_a_table_has_ids_and_names_the_ids_are_the_terms(header: str, sign: str, tmp_path: Path) -> None:
    text = f"{header}\nAda,a1,knows,Bob,b1\n".replace(",", sign)
    assert read(tmp_path, text, "x.csv" if sign == "," else "x.tsv") == [
        ("a1", "knows", "b1"),
        ("a1", NAME, '"Ada"'),
        ("b1", NAME, '"Bob"'),
    ]


@pytest.mark.parametrize(
    ("text", "term"),
    [("/c/en/dog", "/c/en/dog"), ("/c/zh_cn/x", "/c/zh_cn/x"), ("/m/027rn", "m.027rn"), ("/en/dog", "en.dog")],
)
def test_concepts_are_no_ids_of_freebase(text: str, term: str) -> None:
    assert parse_term(text) == Entity(term)


CONCEPTNET = (
    "/a/[/r/IsA/,/c/en/dog/n/,/c/en/animal/]\t/r/IsA\t/c/en/dog/n\t/c/en/animal\t{}\n"
    "/a/[/r/UsedFor/,/c/en/a_dog/,/c/en/fun/]\t/r/UsedFor\t/c/en/a_dog\t/c/en/fun\t{}\n"
)


@pytest.mark.parametrize("file", ["assertions.csv", "assertions.tsv", "assertions"])
def test_the_five_columns_of_conceptnet(library: GraphLibrary, file: str, tmp_path: Path) -> None:
    source = source_of(tmp_path, CONCEPTNET, file)
    assert list(source) == [("/c/en/dog/n", "/r/IsA", "/c/en/animal"), ("/c/en/a_dog", "/r/UsedFor", "/c/en/fun")]
    store = load(library, source, from_ids=True)
    assert sorted(store.labels([Entity("/c/en/dog/n"), Entity("/c/en/a_dog")]).values()) == ["a dog", "dog"]


def test_triples_of_conceptnet_have_words(tmp_path: Path) -> None:
    assert read(tmp_path, "/c/en/dog\t/r/IsA\t/c/en/animal\n") == [("/c/en/dog", "/r/IsA", "/c/en/animal")]


KGTK = (
    "node1\tlabel\tnode2\tid\n"
    "Q42\tlabel\t'Douglas Adams'@en\te1\n"
    "Q42\talias\t'DNA'@en|'Doug'@en\te2\n"
    "Q42\tP31\tQ5\te3\n"
    "Q42\tP569\t^1952-03-11T00:00:00Z/11\te4\n"
    "Q42\tP570\t^2001-00-00T00:00:00Z/9\te5\n"
    "Q42\tP580\t^2001-05-00T00:00:00Z/10\te6\n"
    "Q42\tP2048\t+1.96\te7\n"
    "Q42\tP2049\t96Q11573\te8\n"
    "Q42\tP625\t@52.2/0.1\te9\n"
    'Q42\tP1477\t"Douglas \\"Noel\\" Adams"\te10\n'
    "Q42\tP800\tQ1|Q2\te11\n"
)


def test_kgtk_is_read_by_the_form_of_its_cells(tmp_path: Path) -> None:
    assert read(tmp_path, KGTK) == [
        ("Q42", NAME, '"Douglas Adams"@en'),
        ("Q42", "common.topic.alias", '"DNA"@en'),
        ("Q42", "common.topic.alias", '"Doug"@en'),
        ("Q42", "P31", "Q5"),
        ("Q42", "P569", '"1952-03-11"^^xsd:date'),
        ("Q42", "P570", '"2001"^^xsd:gYear'),
        ("Q42", "P580", '"2001-05"^^xsd:gYearMonth'),
        ("Q42", "P2048", '"1.96"^^xsd:decimal'),
        ("Q42", "P2049", '"96Q11573"^^kgtk:quantity'),
        ("Q42", "P625", '"52.2/0.1"^^kgtk:coordinates'),
        ("Q42", "P1477", '"Douglas \\"Noel\\" Adams"'),
        ("Q42", "P800", "Q1"),
        ("Q42", "P800", "Q2"),
    ]


@pytest.mark.parametrize("cell", ["^yesterday", "'open", "^1952-13-11T00:00:00Z/11"])
def test_malformed_cells_of_kgtk_are_reported(cell: str, tmp_path: Path) -> None:
    source = source_of(tmp_path, f"id\tnode1\tlabel\tnode2\ne\ta\tb\t{cell}\ne\ta\tb\tc\na\n", "x.tsv")
    assert list(source) == [("a", "b", "c")]
    assert [line.number for line in source.lines.examples] == [2, 4]


def test_the_edges_of_hetionet(tmp_path: Path) -> None:
    text = "source\tmetaedge\ttarget\nGene::9021\tGpBP\tBiological Process::GO:0071357\n"
    assert read(tmp_path, text, "edges.sif") == [("Gene::9021", "GpBP", "Biological Process::GO:0071357")]


YAGO = (
    '<id_1>\t<Albert_Einstein>\t<wasBornOnDate>\t"1879-03-##"^^xsd:date\t1879.03\n'
    "<id_2>\t<Albert_Einstein>\t<wasBornIn>\t<Ulm>\t\n"
    '\t<Albert_Einstein>\trdfs:label\t"Albert Einstein"@eng\t\n'
    '\t<Albert_Einstein>\trdfs:label\t"Albert Einsteins"@deu\t\n'
)


def test_yago_has_no_angle_brackets(library: GraphLibrary, tmp_path: Path) -> None:
    source = source_of(tmp_path, YAGO, "yagoFacts.tsv")
    assert list(source)[:3] == [
        ("Albert_Einstein", "wasBornOnDate", '"1879-03"^^xsd:gYearMonth'),
        ("Albert_Einstein", "wasBornIn", "Ulm"),
        ("Albert_Einstein", "rdfs:label", '"Albert Einstein"@eng'),
    ]
    assert load(library, source).labels([Entity("Albert_Einstein")]) == {Entity("Albert_Einstein"): "Albert Einstein"}


def test_angle_brackets_of_triples_are_stripped(tmp_path: Path) -> None:
    text = "<Albert_Einstein>\t<wasBornIn>\t<Ulm>\n<Star_Trek:_First_Contact>\t<actedIn>\t<a b>\n"
    assert read(tmp_path, text) == [
        ("Albert_Einstein", "wasBornIn", "Ulm"),
        ("Star_Trek:_First_Contact", "actedIn", "<a b>"),
    ]


def rows(count: int) -> list[tuple[str, str, str]]:
    return [(f"person{place}", f"city{place * 7 % 40}", ("born_in", "died_in")[place % 2]) for place in range(count)]


@pytest.mark.parametrize("sign", [",", "\t"])
def test_a_relation_in_the_last_column_is_noticed(sign: str, tmp_path: Path) -> None:
    text = "".join(sign.join(row) + "\n" for row in rows(30))
    source = source_of(tmp_path, text, "x.csv" if sign == "," else "x.tsv")
    assert list(source) == [(head, relation, tail) for head, tail, relation in rows(30)]
    assert list(source.filters()) == ["the last of three columns has the relations"]


@pytest.mark.parametrize("sign", [",", "\t"])
@pytest.mark.parametrize(
    "triples",
    [
        [(head, relation, tail) for head, tail, relation in rows(30)],
        [(f"film{place}", f"relation{place % 9}", "Drama") for place in range(30)],
        [(f"film{place}", f"relation{place}", "Drama") for place in range(5)],
        [("a", "b", "c")] * 30,
        [(f"x{place}", f"x{place + 1}", f"x{place % 3}") for place in range(30)],
    ],
)
def test_triples_in_the_usual_order_stay_in_it(triples: list[TripleText], sign: str, tmp_path: Path) -> None:
    text = "".join(sign.join(row) + "\n" for row in triples)
    source = source_of(tmp_path, text, "x.csv" if sign == "," else "x.tsv")
    assert list(source) == triples
    assert list(source.filters()) == []


def test_wikidata5m_gives_names_and_aliases_of_things_and_relations(library: GraphLibrary, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Q1\tuniverse\tcosmos\tthe whole\nP31\tinstance of\tis a\n", encoding="utf-8")
    triples = tmp_path / "x.txt"
    triples.write_text("Q1\tP31\tQ36906466\n", encoding="utf-8")
    source = FORMATS["tsv"].read(triples)
    library.load(GraphToLoad(source, "g", "G", "made up", names=NameReader(names)))
    store = library.open("g")
    [card] = store.cards([Entity("Q1")]).values()
    assert (card.name, set(card.aliases)) == ("universe", {"cosmos", "the whole"})
    assert {relation.label for relation in store.offered()} == {"instance of"}
