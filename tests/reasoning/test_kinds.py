"""Kinds as constraints: which are offered for which words, and what they keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Number, Relation, TermKind
from reasoning.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.derivation_faults import derivation_faults
from reasoning.engine import answer
from reasoning.events import ConstraintChosen, Pruned
from reasoning.gold.fitting import read_on, replay
from reasoning.kinds import of_kind, words_for_kind
from reasoning.linking import link
from reasoning.options import ConstraintOption
from reasoning.pools import answerable
from reasoning.replay import choices_of, derivation_made
from reasoning.run import Run
from reasoning.scorers.lexical import LexicalScorer
from reasoning.strategies.reads.reading import Reading
from reasoning.structure import AbstractStructure
from tests.reasoning.random_graphs import replayed, sqlite_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

GERMANY = Entity("m.germany")
TOUCHES = "location.location.touches"
COUNTRY = Constraint(1, Operator.KIND, Entity("location.country"))
THINGS = {
    "m.germany": ("Germany", "location.country"),
    "m.france": ("France", "location.country", "location.location"),
    "m.poland": ("Poland", "location.country", "travel.travel_destination"),
    "m.north_sea": ("North Sea", "geography.body_of_water"),
    "m.basel": ("Basel", "location.citytown"),
    "m.bremen": ("Bremen State", "location.de_state", "location.administrative_division"),
    "m.nobody": ("Nobody",),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """What a country touches: countries, a sea, a city, a state, and a thing whose types nobody told."""
    triples = [(mid, "type.object.name", f'"{name}"@en') for mid, (name, *_) in THINGS.items()]
    triples += [(mid, "type.object.type", kind) for mid, (_, *kinds) in THINGS.items() for kind in kinds]
    triples += [(GERMANY.mid, TOUCHES, mid) for mid in THINGS if mid != GERMANY.mid]
    triples += [(mid, "location.location.area", '"3"^^xsd:integer') for mid in ("m.france", "m.basel")]
    store = sqlite_store(triples, tmp_path_factory.mktemp("places"))
    yield store
    store.close()


def offered(question: str, store: GraphStore, *taken: Constraint) -> list[str]:
    run = Run(question, store, None)
    reading = Reading.about(run, link(question, store, GERMANY))
    reading, _ = reading.followed(
        run, next(one for one in reading.open_steps if one.step.relation == Relation(TOUCHES))
    )
    for constraint in taken:
        reading = reading.kept_where(ConstraintOption(constraint)).pruned(run)
    pool = reading.condition_pool(run, run.decisions)
    options = () if pool is None else pool.options
    return [str(one.constraint.target) for one in options if isinstance(one, ConstraintOption)]


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("which country does Germany touch?", ["location.country"]),
        ("what countries touch Germany?", ["location.country"]),
        ("name every nation that Germany touches", ["location.country"]),
        ("what is the country's name that Germany touches?", ["location.country"]),
        ("what is the Polish city that Germany touches?", ["location.citytown"]),
        ("which cities and which body of water touch Germany?", ["geography.body_of_water", "location.citytown"]),
        ("what state touches Germany?", ["location.de_state"]),
        ("what touches Germany?", []),
        ("which actor touches Germany?", []),
        ("what place touches Germany?", []),
        ("what touches Germany and Bremen State?", []),
    ],
)
def test_a_kind_is_offered_where_words_ask_for_it_and_it_tells_something(
    places: GraphStore, question: str, kinds: list[str]
) -> None:
    assert sorted(offered(question, places)) == kinds


def test_what_is_of_the_kind_alone_needs_no_such_condition(places: GraphStore) -> None:
    assert offered("which country touches Germany?", places, COUNTRY) == []


def test_graphs_without_types_offer_none(tmp_path: Path) -> None:
    triples = [(GERMANY.mid, "a.touches", mid) for mid in ("m.france", "m.basel")]
    triples += [(mid, "type.object.name", f'"{name}"@en') for mid, (name, *_) in THINGS.items()]
    store = sqlite_store(triples, tmp_path)
    told = list(answer("which country does Germany touch?", store, LexicalScorer(), topic=GERMANY))
    assert not any(isinstance(event, ConstraintChosen) for event in told)
    store.close()


def test_every_type_of_a_thing_counts(places: GraphStore) -> None:
    some = frozenset({Entity("m.france"), Entity("m.basel"), Number(1)})
    assert of_kind(some, Entity("location.location"), places) == {Entity("m.france")}
    assert of_kind(frozenset({Number(1)}), Entity("location.location"), places) == frozenset()


def test_the_answer_stands_where_its_kind_is_demanded(places: GraphStore) -> None:
    whole = Derivation(GERMANY, (SearchStep(0, Relation(TOUCHES)),), (COUNTRY,), 1)
    assert Derivation.from_json(whole.to_json()) == whole
    assert whole.to_json()["constraints"] == [[1, "kind", "location.country"]]
    assert derivation_faults(whole, places) == []
    countries = {Entity("m.france"), Entity("m.poland")}
    assert replayed(places, whole) == replay(whole, places) == countries
    told = list(answer("?", places, None, topic=GERMANY, given=choices_of(whole)))
    assert derivation_made(told) == whole
    [chosen] = [event.constraint for event in told if isinstance(event, ConstraintChosen)]
    assert chosen.target is not None
    assert (chosen.operator, chosen.target.id, chosen.target.label) == ("kind", "location.country", "country")
    [pruned] = [event for event in told if isinstance(event, Pruned)]
    assert {(one.reason, one.constraint) for one in pruned.removed} == {("fails", 1)}
    assert pruned.kept_total == len(countries)


def test_a_kind_beside_the_answer_prunes_what_hangs_on_it(places: GraphStore) -> None:
    area = SearchStep(1, Relation("location.location.area"))
    whole = Derivation(GERMANY, (SearchStep(0, Relation(TOUCHES)), area), (COUNTRY,), 2)
    assert replayed(places, whole) == {Number(3)}
    city = Constraint(1, Operator.KIND, Entity("location.de_state"))
    nothing = Derivation(GERMANY, whole.steps, (city, COUNTRY), 2)
    assert replay(nothing, places) == frozenset()
    assert [fault.message for fault in derivation_faults(nothing, places)] == [
        "No fact meets this condition together with those before it."
    ]


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (Constraint(0, Operator.KIND, Entity("location.country")), "The topic itself bears no condition."),
        (Constraint(2, Operator.KIND, Entity("location.country")), "Position 2 holds no things that are of a kind."),
    ],
)
def test_a_kind_stands_on_entities_below_the_topic(places: GraphStore, constraint: Constraint, message: str) -> None:
    steps = SearchStep(0, Relation(TOUCHES)), SearchStep(1, Relation("location.location.area"))
    assert [fault.message for fault in derivation_faults(Derivation(GERMANY, steps, (constraint,), 1), places)] == [
        message
    ]


@pytest.mark.parametrize("target", [None, '"1"^^xsd:integer'])
def test_a_kind_is_a_type(target: str | None) -> None:
    document = {"topic": "m.a", "search": [[0, "a.b"]], "constraints": [[1, "kind", target]], "answer": 1}
    with pytest.raises(ValueError, match=r"kind that is no type|have no target"):
        Derivation.from_json(document)


def test_only_kinds_leave_a_place_to_the_answer() -> None:
    structure = AbstractStructure.rooted("a").grow(0, Relation("r"), TermKind.ENTITY)
    assert answerable(structure, [COUNTRY]) == (1,)
    assert answerable(structure, [COUNTRY, Constraint(1, Operator.EQUAL, GERMANY)]) == ()


def test_a_gold_kind_that_tells_nothing_in_a_graph_is_left_out_there(places: GraphStore) -> None:
    steps = (SearchStep(0, Relation(TOUCHES)),)
    assert read_on(places, Derivation(GERMANY, steps, (COUNTRY,), 1)) == Derivation(GERMANY, steps, (COUNTRY,), 1)
    unknown = Constraint(1, Operator.KIND, Entity("aviation.airport"))
    assert read_on(places, Derivation(GERMANY, steps, (unknown,), 1)) == Derivation(GERMANY, steps, (), 1)


@pytest.mark.parametrize(
    ("question", "kind", "words", "is_asked_for"),
    [
        ("which country borders it?", "location.country", "country", True),
        ("who leads the country that borders it?", "location.country", "country", False),
        ("what tv shows was he in?", "tv.tv_program", "tv shows", True),
        ("what was the first movie of hers?", "film.film", "movie", True),
        ("which high school did she go to?", "education.school", "high school", True),
        ("which people spoke it?", "people.person", "people", True),
        ("list all the country's rivers", "geography.river", "rivers", True),
        ("where does it lie?", "location.country", None, False),
    ],
)
def test_words_for_kinds(question: str, kind: str, words: str | None, is_asked_for: bool) -> None:
    found = words_for_kind(question, (), Entity(kind))
    assert (None if found is None else question[found.start : found.end]) == words
    assert found is None or found.is_asked_for == is_asked_for


def test_words_within_names_ask_for_nothing() -> None:
    question = "who wrote country roads?"
    assert words_for_kind(question, [(10, 23)], Entity("location.country")) is None
