"""Gold derivations fitted to graphs that say the same otherwise, or do not hold all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity, Relation
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.gold.fitting import Fit, fit, joined, read_on, read_with_answers, replay

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kgstore.store import GraphStore

CAST = "tv.tv_program.regular_cast"
ACTOR, CHARACTER = "tv.regular_tv_appearance.actor", "tv.regular_tv_appearance.character"
SHOW, DANIELS, KITT, HASSELHOFF = (Entity(f"m.{name}") for name in ("show", "daniels", "kitt", "hasselhoff"))
VOICE = Derivation(
    SHOW,
    (SearchStep(0, Relation(CAST)), SearchStep(1, Relation(ACTOR)), SearchStep(1, Relation(CHARACTER))),
    (Constraint(3, Operator.EQUAL, KITT),),
    2,
)


@pytest.fixture
def graph(tmp_path: Path) -> Callable[..., GraphStore]:
    def load(*triples: str) -> GraphStore:
        path = tmp_path / "graph.sqlite"
        rows = [tuple(triple.split()) for triple in triples]
        load_graph(rows, path, name="graph", title="Graph", source="written by hand")
        return SqliteStore(path)

    return load


def test_what_the_graph_offers_stays_as_it_is(graph: Callable[..., GraphStore]) -> None:
    store = graph(
        f"m.show {CAST} m.one",
        f"m.one {ACTOR} m.daniels",
        f"m.one {CHARACTER} m.kitt",
        f"m.show {CAST} m.two",
        f"m.two {ACTOR} m.hasselhoff",
        f"m.two {CHARACTER} m.michael",
    )
    fitted = fit(VOICE, SHOW, frozenset({DANIELS}), store)
    assert fitted is not None
    assert (fitted.derivation, fitted.fit, fitted.f1) == (VOICE, Fit.EXACT, 1.0)


def test_reading_with_answers_is_reading_and_then_replaying(graph: Callable[..., GraphStore]) -> None:
    store = graph(
        f"m.show {CAST}|{ACTOR} m.daniels", f"m.show {CAST}|{CHARACTER} m.kitt", f"m.show {CAST}|{ACTOR} m.hasselhoff"
    )
    to_itself = Derivation(SHOW, (SearchStep(0, Relation(f"{CAST}|{ACTOR}")),), (), 0)
    nowhere = Derivation(SHOW, (SearchStep(0, Relation("tv.tv_program.theme_song")),), (), 1)
    for derivation in (VOICE, to_itself, nowhere):
        for topic_may_answer in (False, True):
            read = read_on(store, derivation)
            expected = None if read is None else (read, replay(read, store, topic_may_answer=topic_may_answer))
            assert read_with_answers(store, derivation, topic_may_answer=topic_may_answer) == expected
    assert read_with_answers(store, nowhere) is None


def test_steps_over_a_dropped_mediator_become_one(graph: Callable[..., GraphStore]) -> None:
    store = graph(
        f"m.show {CAST}|{ACTOR} m.daniels", f"m.show {CAST}|{CHARACTER} m.kitt", f"m.show {CAST}|{ACTOR} m.hasselhoff"
    )
    fitted = fit(VOICE, SHOW, frozenset({DANIELS}), store)
    assert fitted is not None
    assert fitted.fit is Fit.READ_OTHERWISE
    assert [str(step.relation) for step in fitted.derivation.steps] == [f"{CAST}|{ACTOR}", f"{CAST}|{CHARACTER}"]
    assert fitted.derivation.answer_position == 1
    # Without the mediator nothing tells whose character it is: the other actor is an answer too.
    assert fitted.f1 == pytest.approx(2 / 3)


def test_a_reverse_reading_takes_the_place_of_a_relation(graph: Callable[..., GraphStore]) -> None:
    store = graph("m.director film.director.film m.film")
    gold = Derivation(Entity("m.film"), (SearchStep(0, Relation("film.film.directed_by")),), (), 1)
    fitted = fit(gold, gold.topic, frozenset({Entity("m.director")}), store)
    assert fitted is not None
    assert [str(step.relation) for step in fitted.derivation.steps] == ["^film.director.film"]


def test_two_relations_may_be_joined_in_either_direction() -> None:
    found = joined(Relation("film.film.starring"), Relation("film.performance.actor"))
    assert [str(relation) for relation in found] == [
        "film.film.starring|film.performance.actor",
        "^film.actor.film|film.performance.film",
    ]


def test_a_condition_that_the_graph_cannot_meet_is_left_out(graph: Callable[..., GraphStore]) -> None:
    store = graph(f"m.show {CAST} m.one", f"m.one {ACTOR} m.daniels")
    fitted = fit(VOICE, SHOW, frozenset({DANIELS}), store)
    assert fitted is not None
    assert fitted.derivation.constraints == ()
    assert len(fitted.derivation.steps) == 2


def test_where_the_way_is_missing_the_best_path_is_a_weak_one(graph: Callable[..., GraphStore]) -> None:
    store = graph(
        "m.show tv.tv_program.guests m.daniels",
        "m.show tv.tv_program.guests m.hasselhoff",
        "m.show tv.tv_program.spin_off m.other",
        "m.other tv.tv_program.star m.daniels",
    )
    fitted = fit(VOICE, SHOW, frozenset({DANIELS}), store)
    assert fitted is not None
    assert fitted.fit is Fit.WEAK
    assert [str(step.relation) for step in fitted.derivation.steps] == ["tv.tv_program.spin_off", "tv.tv_program.star"]


def test_what_is_out_of_reach_has_no_fit(graph: Callable[..., GraphStore]) -> None:
    store = graph("m.show tv.tv_program.spin_off m.other", "m.a people.person.spouse_s m.daniels")
    assert fit(VOICE, SHOW, frozenset({DANIELS}), store) is None


def test_the_topic_is_an_answer_only_where_it_may_be(graph: Callable[..., GraphStore]) -> None:
    store = graph("m.a people.person.parents m.b", "m.b people.person.children m.a", "m.b people.person.children m.c")
    steps = (SearchStep(0, Relation("people.person.parents")), SearchStep(1, Relation("people.person.children")))
    gold = Derivation(Entity("m.a"), steps, (), 2)
    both = frozenset({Entity("m.a"), Entity("m.c")})
    scores = [
        fitted.f1
        for may in (True, False)
        if (fitted := fit(gold, gold.topic, both, store, topic_may_answer=may)) is not None
    ]
    assert scores == [1.0, pytest.approx(2 / 3)]
