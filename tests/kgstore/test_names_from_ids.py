from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.freebase.labels import RelationLabel, relation_label, type_label
from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.names_from_ids import name_from_id
from kgstore.loading.reading import GraphToLoad
from kgstore.store import missing_names
from kgstore.terms import Entity, Relation

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.library import GraphLibrary


@pytest.mark.parametrize(
    ("mid", "name"),
    [
        ("Ada_Byron", "Ada Byron"),
        ("Ada  Byron_", "Ada Byron"),
        ("http://dbpedia.org/resource/Ada_Lovelace", "Ada Lovelace"),
        ("http://dbpedia.org/resource/AC/DC", "AC/DC"),
        ("http://dbpedia.org/resource/Ren%C3%A9_Descartes", "René Descartes"),
        ("http://dbpedia.org/resource/Batman:_Year_One", "Batman: Year One"),
        ("https://en.wikipedia.org/wiki/C%2B%2B", "C++"),
        ("http://www.wikidata.org/entity/Q42", "Q42"),
        ("http://example.org/people#Ada_Byron", "Ada Byron"),
        ("http://example.org/people/ada/", "ada"),
        ("http://example.org/bad%FFescape", "bad%FFescape"),
        ("http://example.org/%00nul", "%00nul"),
        ("urn:isbn:0451450523", "0451450523"),
        ("ex:Ada_Byron", "Ada Byron"),
        ("Batman:_Year_One", "Batman: Year One"),
        ("Alien: Covenant", "Alien: Covenant"),
        ("AC/DC", "AC/DC"),
        ("_:b0", None),
        ("m.027rn", None),
        ("g.11b_x", None),
        ("http://example.org/.well-known/genid/17", None),
        ("http://www.wikidata.org/entity/statement/Q42-F078E5B3", None),
        ("___", None),
    ],
)
def test_a_name_is_read_off_an_id(mid: str, name: str | None) -> None:
    assert name_from_id(mid) == name


@pytest.mark.parametrize(
    ("predicate", "label"),
    [
        ("http://dbpedia.org/ontology/birthPlace", "birth place"),
        ("http://example.org/schema#has_ISBN", "has ISBN"),
        ("http://example.org/works-for/", "works for"),
        ("dbo:birthPlace", "birth place"),
        ("urn:relation:wroteTo", "wrote to"),
        ("wrote_to", "wrote to"),
        ("wroteTo", "wrote to"),
        ("http://www.wikidata.org/prop/direct/P19", "P19"),
    ],
)
def test_relations_of_other_vocabularies_in_words(predicate: str, label: str) -> None:
    assert relation_label(Relation(predicate)) == RelationLabel(label, "")


def test_types_of_other_vocabularies_in_words() -> None:
    assert type_label("http://dbpedia.org/ontology/SoccerPlayer") == "soccer player"
    assert type_label("http://www.wikidata.org/entity/Q5") == "Q5"


def load(library: GraphLibrary, path: Path, text: str, *, names_from_ids: bool) -> None:
    path.write_text(text, encoding="utf-8")
    source = GraphToLoad(TripleReader(path), "mine", "Mine", "mine.tsv", names_from_ids=names_from_ids)
    library.load(source)


TRIPLES = 'Ada_Byron\twrote_to\tm.1\nAda_Byron\tborn\t"1815"^^xsd:gYear\nm.1\ttype.object.name\t"Charles"\n' + "".join(
    f"Ada_Byron\twrote_to\tFriend_{i}\n" for i in range(10)
)


def test_names_from_ids_go_after_those_of_the_file(library: GraphLibrary, tmp_path: Path) -> None:
    load(library, tmp_path / "mine.tsv", TRIPLES, names_from_ids=True)
    store = library.open("mine")
    assert store.labels([Entity("Ada_Byron"), Entity("m.1")]) == {
        Entity("Ada_Byron"): "Ada Byron",
        Entity("m.1"): "Charles",
    }
    assert [match.card.entity.mid for match in store.search("ada b", 5)] == ["Ada_Byron"]
    info = store.info()
    assert (info.named, info.entities, info.advice) == (12, 12, ())


def test_a_graph_without_names_says_so(library: GraphLibrary, tmp_path: Path) -> None:
    load(library, tmp_path / "mine.tsv", TRIPLES, names_from_ids=False)
    (said,) = library.open("mine").info().advice
    assert said == (
        "1 of 12 entities have a name; the others cannot be asked by name. "
        "Load again with --names NAMES or --names-from-ids."
    )
    assert [info.advice for info in library.infos() if info.name == "mine"] == [(said,)]


def test_what_is_said_of_missing_names() -> None:
    said = missing_names(0, 1_234)
    assert said is not None
    assert said.startswith("0 of 1,234 entities have a name; nothing can be asked by name. Load again with --names")
    assert missing_names(200, 1_234) is None
