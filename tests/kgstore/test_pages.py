"""Pages about things are no things, and unknown values are blank nodes: what Wikidata writes next to its facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.formats.registry import FORMATS
from kgstore.loading.reading import GraphToLoad
from kgstore.terms import Entity

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.library import GraphLibrary
    from kgstore.store import GraphStore

ENTITY, DIRECT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
GENID = "http://www.wikidata.org/.well-known/genid/0a1b2c"
WIKIDATA = f"""
PREFIX schema: <http://schema.org/>
PREFIX wd: <{ENTITY}>
PREFIX wdt: <{DIRECT}>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX wikibase: <http://wikiba.se/ontology#>
wd:Q42 rdfs:label "Douglas Adams"@en ; wdt:P800 wd:Q25169 ; wdt:P570 <{GENID}> .
wd:Q25169 rdfs:label "The Hitchhiker's Guide to the Galaxy"@en .
<https://en.wikipedia.org/wiki/Douglas_Adams> a schema:Article ; schema:about wd:Q42 ; schema:inLanguage "en" ;
  schema:isPartOf <https://en.wikipedia.org/> ; schema:name "Douglas Adams"@en .
<https://de.wikipedia.org/wiki/Douglas_Adams> a schema:Article ; schema:about wd:Q42 ; schema:inLanguage "de" ;
  schema:isPartOf <https://de.wikipedia.org/> ; schema:name "Douglas Adams"@de .
<https://en.wikipedia.org/> wikibase:wikiGroup "wikipedia" .
<https://www.wikidata.org/wiki/Special:EntityData/Q42> a schema:Dataset ; schema:about wd:Q42 ; schema:version 7 .
"""


def load(library: GraphLibrary, path: Path, text: str) -> GraphStore:
    path.write_text(text, encoding="utf-8")
    source = FORMATS["turtle"].read(path)
    library.load(GraphToLoad(source, "g", "G", "made up", filters=source.filters, names_from_ids=True))
    return library.open("g")


def test_pages_of_wikidata_are_no_things(library: GraphLibrary, tmp_path: Path) -> None:
    store = load(library, tmp_path / "x.ttl", WIKIDATA)
    adams = Entity(f"{ENTITY}Q42")
    assert [match.card.entity for match in store.search("douglas adams", 10)] == [adams]
    assert {count.relation.predicate for count in store.relations([adams])} == {f"{DIRECT}P800", f"{DIRECT}P570"}
    info = store.info()
    assert (info.entities, info.named) == (3, 2)
    assert "without 3 pages about things" in info.filters
    assert store.labels([adams]) == {adams: "Douglas Adams"}


def test_unknown_values_are_blank_nodes(library: GraphLibrary, tmp_path: Path) -> None:
    store = load(library, tmp_path / "x.ttl", WIKIDATA)
    [card] = store.cards([Entity(GENID)]).values()
    assert (card.is_mediator, card.name) == (True, None)


@pytest.mark.parametrize("relation", ["about", "inLanguage", "isPartOf"])
@pytest.mark.parametrize("prefix", ["http://schema.org/", "https://schema.org/"])
def test_what_is_said_of_pages_is_never_offered(
    library: GraphLibrary, tmp_path: Path, prefix: str, relation: str
) -> None:
    text = f"<http://e.org/a> <{prefix}{relation}> <http://e.org/b> ; <http://e.org/p> <http://e.org/c> .\n"
    store = load(library, tmp_path / "x.ttl", text)
    assert {relation.predicate for relation in store.offered()} == {"http://e.org/p"}


def test_a_work_about_something_is_a_thing(library: GraphLibrary, tmp_path: Path) -> None:
    text = (
        "PREFIX s: <http://schema.org/>\n<http://e.org/book> s:name 'Emma' ; s:about <http://e.org/love> ; "
        "s:isPartOf <http://e.org/series> ; s:author <http://e.org/austen> .\n"
    )
    store = load(library, tmp_path / "x.ttl", text)
    assert [match.card.entity.mid for match in store.search("emma", 5)] == ["http://e.org/book"]
    assert not any("page" in each for each in store.info().filters)
