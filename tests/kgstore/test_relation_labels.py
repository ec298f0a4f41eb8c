"""What a graph, or a file of names, calls its relations; people see that in place of what the id says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.freebase.labels import relation_label
from kgstore.loading.reading import GraphToLoad
from kgstore.terms import Direction, Entity, Relation

if TYPE_CHECKING:
    from kgstore.library import GraphLibrary
    from kgstore.loading.formats.lines import TripleText
    from kgstore.store import GraphStore

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
PREF_LABEL = "http://www.w3.org/2004/02/skos/core#prefLabel"
ENTITY, DIRECT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
FILM: list[TripleText] = [
    (f"{ENTITY}Q25188", f"{DIRECT}P57", f"{ENTITY}Q25191"),
    (f"{ENTITY}Q25188", LABEL, '"Inception"@en'),
    (f"{ENTITY}Q25191", LABEL, '"Christopher Nolan"@en'),
]
OF_PROPERTY: list[TripleText] = [
    (f"{ENTITY}P57", LABEL, '"Regie"@de'),
    (f"{ENTITY}P57", LABEL, '"director"@en'),
    (f"{ENTITY}P57", PREF_LABEL, '"directed by"@en'),
]
CLAIM: TripleText = (f"{ENTITY}P57", "http://wikiba.se/ontology#directClaim", f"{DIRECT}P57")


def opened(library: GraphLibrary, triples: list[TripleText], names: list[tuple[str, str]] | None = None) -> GraphStore:
    library.load(GraphToLoad(triples, "films", "Films", "made up", names=names or ()))
    return library.open("films")


def labels(store: GraphStore) -> dict[str, str]:
    return {str(relation): relation_label(relation).label for relation in store.offered()}


def ids(store: GraphStore) -> set[str]:
    return {match.card.entity.mid for match in store.search("director", 10)}


@pytest.mark.parametrize("label", [LABEL, PREF_LABEL, "rdfs:label", "skos:prefLabel"])
def test_a_relation_is_called_what_the_graph_calls_it(library: GraphLibrary, label: str) -> None:
    store = opened(
        library,
        [
            ("a", "http://purl.obolibrary.org/obo/RO_0002162", "b"),
            ("http://purl.obolibrary.org/obo/RO_0002162", label, '"in taxon"@en'),
        ],
    )
    assert labels(store) == dict.fromkeys(
        ("http://purl.obolibrary.org/obo/RO_0002162", "^http://purl.obolibrary.org/obo/RO_0002162"), "in taxon"
    )
    assert store.info().entities == 2


@pytest.mark.parametrize("with_claim", [True, False])
def test_a_property_of_wikidata_names_its_relations_and_is_no_entity(library: GraphLibrary, with_claim: bool) -> None:
    store = opened(library, [*FILM, *OF_PROPERTY, *([CLAIM] if with_claim else [])])
    assert labels(store) == {f"{DIRECT}P57": "director", f"^{DIRECT}P57": "director"}
    assert ids(store) == set()
    assert store.info().entities == 2


@pytest.mark.parametrize("given", ["P57", f"{ENTITY}P57", f"{DIRECT}P57"])
def test_a_names_file_names_relations_first_of_all(library: GraphLibrary, given: str) -> None:
    names = [(given, "film director"), (given, "filmmaker"), ("P58", "screenwriter"), (f"{ENTITY}Q25188", "Anfang")]
    report = library.load(GraphToLoad([*FILM, *OF_PROPERTY], "films", "Films", "made up", names=names))
    store = library.open("films")
    assert set(labels(store).values()) == {"film director"}
    assert store.labels([Entity(f"{ENTITY}Q25188")]) == {Entity(f"{ENTITY}Q25188"): "Anfang"}
    assert report.names_unused == 1


def test_an_entity_that_only_looks_like_a_relation_stays_one(library: GraphLibrary) -> None:
    triples: list[TripleText] = [
        ("http://a.org/country/it", "http://a.org/ontology/capital", "http://a.org/city/rome"),
        ("http://a.org/thing/capital", LABEL, '"Director of Capital"@en'),
        ("http://b.org/director/P57", LABEL, '"Director"@en'),
        *FILM,
    ]
    store = opened(library, triples)
    assert labels(store)["http://a.org/ontology/capital"] == "capital"
    assert labels(store)[f"{DIRECT}P57"] == "P57"
    assert ids(store) == {"http://a.org/thing/capital", "http://b.org/director/P57"}


def test_a_property_with_facts_of_its_own_stays_an_entity(library: GraphLibrary) -> None:
    store = opened(library, [*FILM, *OF_PROPERTY, CLAIM, (f"{ENTITY}P57", f"{DIRECT}P1647", f"{ENTITY}P170")])
    assert ids(store) == {f"{ENTITY}P57"}
    assert labels(store)[f"{DIRECT}P57"] == "director"


def test_a_relation_from_elsewhere_gets_the_label_of_the_graph(library: GraphLibrary) -> None:
    store = opened(library, [*FILM, *OF_PROPERTY])
    there, back = Relation(f"{DIRECT}P57"), Relation(f"{DIRECT}P57", Direction.REVERSE)
    assert relation_label(there).label == "P57"
    assert [relation_label(store.labelled(each)).label for each in (there, back)] == ["director"] * 2
    assert store.labelled(there) == there
    assert store.labelled(back).inverse.label == "director"
    assert store.labelled(Relation("no.such.relation")) == Relation("no.such.relation")
    [common] = store.info().commonest
    assert common.label == "director"


def called(library: GraphLibrary, *triples: TripleText) -> dict[str, str]:
    return {relation: label for relation, label in labels(opened(library, list(triples))).items() if relation[0] != "^"}


DRKG = ("DRUGBANK::treats::Compound:Disease", "GNBR::treats::Compound:Disease", "Hetionet::CtD::Compound:Disease")


def test_relations_of_one_pool_never_share_their_words(library: GraphLibrary) -> None:
    drug = ("Compound::DB00001", "Disease::MESH:D001")
    assert called(library, *((drug[0], each, drug[1]) for each in DRKG)) == {
        DRKG[0]: "treats compound disease (DRUGBANK)",
        DRKG[1]: "treats compound disease (GNBR)",
        DRKG[2]: "ct D compound disease",
    }


@pytest.mark.parametrize(
    ("relations", "words"),
    [
        (
            ["http://dbpedia.org/ontology/birthPlace", "http://dbpedia.org/property/birthPlace"],
            ["birth place (ontology)", "birth place (property)"],
        ),
        (["dbo:author", "dbp:author"], ["author (dbo)", "author (dbp)"]),
        (["wroteTo", "wrote_to"], ["wrote to (wroteTo)", "wrote to (wrote_to)"]),
        (
            ["http://e.org/x", "https://e.org/x"],
            ["x (http)", "x (https)"],
        ),
        (["http://a.org/s/knows", "http://b.org/s/Knows"], ["knows (a.org)", "knows (b.org)"]),
        (["knows", "foaf:knows"], ["knows", "knows (foaf)"]),
        (["http://e.org/knows", "http://e.org/likes"], ["knows", "likes"]),
        (["people.person.parents", "base.person.parents"], ["parents", "parents"]),
    ],
)
def test_relations_with_the_same_words_are_told_apart(
    library: GraphLibrary, relations: list[str], words: list[str]
) -> None:
    found = called(library, *(("a", each, f"b{place}") for place, each in enumerate(relations)))
    assert found == dict(zip(relations, words, strict=True))


def test_the_relations_of_a_property_of_wikidata_are_told_apart(library: GraphLibrary) -> None:
    prop = "http://www.wikidata.org/prop/"
    film, statement = f"{ENTITY}Q25188", f"{ENTITY}statement/Q25188-1"
    found = called(
        library,
        *FILM,
        *OF_PROPERTY,
        (film, f"{prop}P57", statement),
        (statement, f"{prop}statement/P57", f"{ENTITY}Q25191"),
        (statement, f"{prop}qualifier/P57", f"{ENTITY}Q25191"),
    )
    assert found == {
        f"{DIRECT}P57": "director",
        f"{prop}P57": "director (prop)",
        f"{prop}statement/P57": "director (statement)",
        f"{prop}qualifier/P57": "director (qualifier)",
    }


def test_relations_to_statements_are_called_after_that_of_the_statement(library: GraphLibrary) -> None:
    found = called(
        library,
        ("a", "http://e.org/r1", "b"),
        ("a", "http://e.org/r1-statement", "_:s"),
        ("_:s", "http://e.org/r1-value", "b"),
        ("http://e.org/r1", LABEL, '"employer"@en'),
    )
    assert found == {
        "http://e.org/r1": "employer",
        "http://e.org/r1-statement": "employer statement",
        "http://e.org/r1-value": "employer value",
    }
