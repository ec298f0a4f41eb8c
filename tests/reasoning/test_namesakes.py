"""What tells things of one name apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity
from reasoning import events
from reasoning.engine.engine import answer
from reasoning.question.namesakes import distinguished, namesakes
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

_FACTS = """\
f.old	type.object.name	"The Fly"@en
f.old	type.object.type	film.film
f.old	film.film.initial_release_date	"1958-07-16"^^xsd:date
f.old	film.film.directed_by	p.neumann
f.new	type.object.name	"The Fly"@en
f.new	type.object.type	film.film
f.new	film.film.initial_release_date	"1986"^^xsd:gYear
f.new	film.film.directed_by	p.cronenberg
o.fly	type.object.name	"The Fly"@en
o.fly	type.object.type	opera.opera
o.fly	opera.opera.composer	p.shore
p.cronenberg	type.object.name	"David Cronenberg"@en
p.neumann	type.object.name	"Kurt Neumann"@en
p.shore	type.object.name	"Howard Shore"@en
c.one	type.object.name	"Springfield"@en
c.one	type.object.type	location.citytown
c.one	location.location.containedby	s.illinois
c.two	type.object.name	"Springfield"@en
c.two	type.object.type	location.citytown
c.two	location.location.containedby	s.missouri
c.bare	type.object.name	"Springfield"@en
c.bare	type.object.type	location.citytown
s.illinois	type.object.name	"Illinois"@en
s.missouri	type.object.name	"Missouri"@en
usa	type.object.name	"United States"@en
usa	location.country.cities	c.one
usa	location.country.cities	c.two
usa	location.country.cities	c.bare
usa	location.country.cities	c.else
c.else	type.object.name	"Chicago"@en
r.one	type.object.name	"Remake"@en
r.one	type.object.type	film.film
r.one	film.film.initial_release_date	"1990"^^xsd:gYear
r.one	film.film.directed_by	p.neumann
r.two	type.object.name	"Remake"@en
r.two	type.object.type	film.film
r.two	film.film.initial_release_date	"1990"^^xsd:gYear
r.two	film.film.directed_by	p.shore
m.metal	type.object.name	"Mercury"@en
m.metal	chemistry.element.discoverer	p.shore
m.metal	chemistry.element.color	p.neumann
m.god	type.object.name	"Mercury"@en
m.god	chemistry.element.isolated_by	p.nameless
b.three	type.object.name	"Basin"@en
b.three	geography.basin.lakes	p.shore
b.three	geography.basin.lakes	p.neumann
b.three	geography.basin.lakes	p.cronenberg
b.four	type.object.name	"Basin"@en
b.four	geography.basin.lakes	s.illinois
b.four	geography.basin.lakes	s.missouri
b.four	geography.basin.lakes	usa
b.four	geography.basin.lakes	c.else
a.stage	type.object.name	"Alex"@en
a.screen	type.object.name	"Alex"@en
a.screen	film.actor.performances	m.performance
m.performance	type.object.type	film.performance
m.performance	film.performance.film	f.new
a.stage	type.object.type	film.actor
s.illinois	location.location.governor	a.stage
s.illinois	location.location.mayor	a.mayor
a.mayor	type.object.name	"Alex"@en
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    folder: Path = tmp_path_factory.mktemp("namesakes")
    (folder / "facts.tsv").write_text(_FACTS, encoding="utf-8")
    path = folder / "namesakes.sqlite"
    load_graph(TripleReader(folder / "facts.tsv"), path, name="namesakes", title="Namesakes", source="facts.tsv")
    opened = SqliteStore(path)
    yield opened
    opened.close()


def apart(store: GraphStore, *ids: str) -> dict[str, str]:
    cards = store.cards([Entity(each) for each in ids])
    return {entity.mid: words for entity, words in distinguished(namesakes(cards.values()), store).items()}


def test_what_it_is_tells_apart_where_that_is_enough(store: GraphStore) -> None:
    assert apart(store, "f.new", "o.fly", "p.shore") == {"f.new": "film", "o.fly": "opera"}


def test_things_of_one_kind_are_distinguished_by_a_year_that_one_alone_has(store: GraphStore) -> None:
    assert apart(store, "f.old", "f.new", "o.fly") == {
        "f.old": "film · initial release date: 1958",
        "f.new": "film · initial release date: 1986",
        "o.fly": "opera",
    }


def test_a_place_or_at_last_the_id_tells_apart(store: GraphStore) -> None:
    shown = apart(store, "c.one", "c.two", "c.bare")
    assert shown["c.one"].endswith(": Illinois")
    assert shown["c.two"].endswith(": Missouri")
    assert shown["c.bare"].endswith("id: c.bare")


def test_what_both_have_tells_nothing_apart(store: GraphStore) -> None:
    assert apart(store, "r.one", "r.two") == {
        "r.one": "film · directed by: Kurt Neumann",
        "r.two": "film · directed by: Howard Shore",
    }


def test_of_two_facts_the_first_by_its_relation_is_reported_and_none_that_leads_to_a_nameless_thing(
    store: GraphStore,
) -> None:
    assert apart(store, "m.metal", "m.god") == {
        "m.metal": "element · color: Kurt Neumann",
        "m.god": "element · id: m.god",
    }


def test_what_leads_to_many_to_mediators_or_backwards_tells_nothing(store: GraphStore) -> None:
    shown = apart(store, "b.three", "b.four")
    assert shown["b.three"].startswith("basin · lakes: ")
    assert shown["b.four"] == "basin · id: b.four"
    assert apart(store, "a.stage", "a.screen", "a.mayor") == {
        "a.stage": "actor · id: a.stage",
        "a.screen": "actor · id: a.screen",
        "a.mayor": "id: a.mayor",
    }


def test_answers_and_topics_of_one_name_say_what_tells_them_apart(store: GraphStore) -> None:
    scorer = RuleScorer(("0 location.country.cities", "answer 1"))
    *_, ended = answer("what are the cities of the United States?", store, scorer)
    assert isinstance(ended, events.Finished)
    hints = {one.term.id: one.hint for one in ended.answers}
    assert hints["c.else"] is None
    assert str(hints["c.one"]).endswith(": Illinois")
    _, linked, *_ = answer("who directed The Fly?", store, RuleScorer(()))
    assert isinstance(linked, events.EntityLinked)
    assert linked.decision is not None
    shown = {one.term.id: one.hint for one in linked.decision.options if isinstance(one, events.TopicOptionRecord)}
    assert shown["f.new"] == "film · initial release date: 1986"
    assert linked.topic is not None
    assert linked.topic_hint == shown[linked.topic.id]
