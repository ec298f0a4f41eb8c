from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.freebase.labels import RelationLabel, relation_label, type_label
from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.names_from_ids import aliases_from_id, name_from_id
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
        ("urn:isbn:0451450523", "isbn:0451450523"),
        ("HGNC:1", "HGNC:1"),
        ("Gene::2157", "Gene::2157"),
        ("Compound::DB00001", "Compound::DB00001"),
        ("Disease::MESH:D001", "Disease::MESH:D001"),
        ("Side Effect::C0000727", "Side Effect::C0000727"),
        ("Biological_Process::GO:0071357", "Biological Process::GO:0071357"),
        ("UniProtKB:P12345-2", "UniProtKB:P12345-2"),
        ("wd:Q42", "wd:Q42"),
        ("Gene::insulin", "insulin"),
        ("ex:Apollo_11", "Apollo 11"),
        ("https://www.ncbi.nlm.nih.gov/gene/2157", "gene/2157"),
        ("http://example.org/people#12", "people#12"),
        ("http://example.org/gene/2157/", "gene/2157"),
        ("http://example.org/2157", "2157"),
        ("http://dbpedia.org/resource/1984", "1984"),
        ("http://purl.obolibrary.org/obo/GO_0071357", "GO 0071357"),
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
    ("mid", "aliases"),
    [
        ("Disease::MESH:D001", ["MESH:D001", "D001"]),
        ("Disease::DOID:1324", ["DOID:1324"]),
        ("wd:Q42", ["Q42"]),
        ("Gene::2157", []),
        ("ex:Ada_Byron", []),
        ("http://example.org/Q42", []),
        ("Alien: Covenant", []),
    ],
)
def test_an_accession_is_also_written_without_its_prefix(mid: str, aliases: list[str]) -> None:
    assert list(aliases_from_id(mid)) == aliases


def test_things_of_several_kinds_with_one_number_are_told_apart(library: GraphLibrary, tmp_path: Path) -> None:
    load(
        library, tmp_path / "x.tsv", "Gene::2157\tbinds\tCompound::DB01\nSide::2157\tof\tGene::1\n", names_from_ids=True
    )
    store = library.open("mine")
    assert [match.card.entity.mid for match in store.search("Gene 2157", 5)] == ["Gene::2157"]
    assert [match.card.entity.mid for match in store.search("DB01", 5)] == ["Compound::DB01"]


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
        ("DRUGBANK::target::Compound:Gene", "target compound gene"),
        ("GNBR::T::Compound:Disease", "T compound disease"),
        ("Gene::interacts_with", "interacts with"),
        ("biolink:related_to", "related to"),
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
