"""Real Freebase data, where it is at hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.formats.registry import FORMATS
from kgstore.loading.formats.rog import RogReader
from kgstore.loading.formats.tsv import NameReader, TripleReader
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Direction, Entity, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kgstore.loading.formats.source import TripleSource
    from kgstore.loading.reading import LoadReport
    from kgstore.neo4j.library import Neo4jLibrary

pytestmark = pytest.mark.real_data

UNITED_STATES = Entity("m.09c7w0")


@pytest.fixture(scope="module")
def freebase(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[LoadReport, SqliteStore]:
    folder = real_data / "freebase_subset"
    target = tmp_path_factory.mktemp("freebase") / "freebase.sqlite"
    report = load_graph(
        TripleReader(folder / "triples.tsv", strict=True),
        target,
        name="freebase",
        title="Freebase subset",
        source="triples.tsv",
        names=NameReader(folder / "names.tsv", strict=True),
    )
    return report, SqliteStore(target)


def test_every_triple_and_name_is_loaded(freebase: tuple[LoadReport, SqliteStore]) -> None:
    report, store = freebase
    assert (report.triples_read, report.triples, report.named, report.names_unused) == (391_917, 391_917, 15_459, 0)
    assert store.info().entities == report.entities > report.named


@pytest.mark.parametrize(
    ("typed", "name"),
    [("jam", "James Taylor"), ("new yo", "New York City"), ("ob", "Barack Obama"), ("barack", "Barack Obama")],
)
def test_entities_are_found_as_you_type(freebase: tuple[LoadReport, SqliteStore], typed: str, name: str) -> None:
    _, store = freebase
    matches = store.search(typed, 8)
    assert name in [match.matched for match in matches]
    assert len(matches) <= 8


def test_joined_relations_can_be_followed(freebase: tuple[LoadReport, SqliteStore]) -> None:
    _, store = freebase
    joined = [r for r in store.relations([UNITED_STATES]) if "|" in r.relation.predicate]
    assert len(joined) > 10
    assert store.expand([UNITED_STATES], joined[0].relation, 10_000).total == joined[0].triples


def test_a_hub_is_cut_and_says_so(freebase: tuple[LoadReport, SqliteStore]) -> None:
    _, store = freebase
    expansion = store.expand([UNITED_STATES], Relation("people.person.nationality", Direction.REVERSE), 100)
    assert (len(expansion.triples), expansion.total) == (100, 3_200)


@pytest.fixture(scope="module")
def neighbourhoods(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> SqliteStore:
    target = tmp_path_factory.mktemp("rog") / "rog.sqlite"
    path = real_data / "webqsp_subgraphs" / "subgraphs.jsonl"
    load_graph(RogReader(path, strict=True), target, name="rog", title="RoG", source=path.name)
    return SqliteStore(target)


def test_jamaica_has_its_languages_among_many_relations(neighbourhoods: SqliteStore) -> None:
    jamaica = Entity("Jamaica")
    relations = {str(r.relation) for r in neighbourhoods.relations([jamaica])}
    assert len(relations) > 90
    assert "location.country.languages_spoken" in relations
    assert not [name for name in relations if name.startswith(("freebase.", "common.topic.webpage"))]
    spoken = neighbourhoods.expand([jamaica], Relation("location.country.languages_spoken"), 10)
    assert {str(t.object) for t in spoken.triples} == {"Jamaican English", "Jamaican Creole English Language"}


def test_mids_that_link_are_mediators(neighbourhoods: SqliteStore) -> None:
    terms = Relation("government.politician.government_positions_held")
    held = {triple.object for triple in neighbourhoods.expand([Entity("James K. Polk")], terms, 99).triples}
    mediators = {term for term in held if isinstance(term, Entity)}
    assert len(mediators) > 3
    assert all(card.is_mediator for card in neighbourhoods.cards(mediators).values())
    offices = Relation("government.government_position_held.office_position_or_title")
    titles = {str(triple.object) for triple in neighbourhoods.expand(mediators, offices, 99).triples}
    assert "Governor of Tennessee" in titles


# Neo4j


def test_every_fact_of_metaqa_is_read(real_data: Path) -> None:
    triples = FORMATS["metaqa"].read(real_data / "metaqa" / "kb.txt")
    # Its entities are their names, and the reader says so in a triple each.
    assert sum(predicate != "type.object.name" for _, predicate, _ in triples) == 133_582


def real_graph(folder: Path, name: str) -> GraphToLoad:
    """A part of a real graph: the whole takes minutes to load into Neo4j."""
    match name:
        case "freebase":
            whole = TripleReader(folder / "freebase_subset" / "triples.tsv", strict=True)
            triples: TripleSource = list(islice(whole, 20_000))
            names: Iterable[tuple[str, str]] = NameReader(folder / "freebase_subset" / "names.tsv", strict=True)
        case "metaqa":
            triples, names = list(islice(FORMATS["metaqa"].read(folder / "metaqa" / "kb.txt"), 20_000)), ()
        case _:
            triples, names = RogReader(folder / "webqsp_subgraphs" / "subgraphs.jsonl", strict=True), ()
    return GraphToLoad(triples, f"real-{name}", name.title(), "real data", names=names)


@pytest.mark.parametrize(("name", "triples"), [("freebase", 20_000), ("metaqa", 20_000), ("rog", None)])
def test_both_stores_count_the_same(
    real_data: Path, neo4j_library: Neo4jLibrary, tmp_path: Path, name: str, triples: int | None
) -> None:
    embedded = SqliteLibrary(tmp_path)
    reports = [library.load(real_graph(real_data, name)) for library in (embedded, neo4j_library)]
    assert triples in (None, reports[0].triples)
    assert replace(reports[0], seconds=0) == replace(reports[1], seconds=0)
    first, second = (library.open(f"real-{name}") for library in (embedded, neo4j_library))
    assert replace(first.info(), loaded_at="") == replace(second.info(), loaded_at="")
    [[entities, edges]] = neo4j_library.connection.read(
        """
        MATCH (graph:Graph {name: $name, state: 'complete'})
        MATCH (entity:Entity {graph: graph.graph})
        RETURN count(entity), sum(COUNT { (entity)-->() })
        """,
        {"name": f"real-{name}"},
        lambda rows: [record.values() for record in rows],
    )
    assert (entities, edges) == (reports[0].entities, reports[0].edges + reports[0].completed)
    best_known = [match.card.entity for match in first.search("a", 200)]
    assert len(best_known) == 200
    assert second.cards(best_known) == first.cards(best_known)
    assert second.relations(best_known) == first.relations(best_known)
    embedded.close()
