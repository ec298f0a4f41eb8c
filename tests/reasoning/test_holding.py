"""What held at a date: one condition on a mediator, over a beginning and an end of which either may be missing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Date, Entity, Relation, parse_date
from reasoning import events
from reasoning.continuation import Continuation, Replace
from reasoning.derivation import Constraint, Derivation, Operator, PartialDerivation, SearchStep
from reasoning.derivation_faults import derivation_faults
from reasoning.engine import answer, go_on
from reasoning.gold.fitting import replay
from reasoning.holding import asks_of_now, spoken_now
from reasoning.labels.gold_subgraph import gold_subgraph
from reasoning.linking import link
from reasoning.options import Stage
from reasoning.pruning import meets
from reasoning.scorers.lexical import LexicalScorer
from tests.reasoning.random_graphs import sqlite_store
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

TODAY = Date("2015-08-10")
TIMES = {
    "always": (None, None),
    "since 2011": ("2011", None),
    "until 2010-06": (None, "2010-06"),
    "in 2010": ("2010-02-01", "2010-11-30"),
    "from 2012 on": ("2012-01-01", None),
    "in 1996": ("1996", "1996"),
}
"""Who held the office, and when."""
OHIO = Entity("m.ohio")
STEPS = (SearchStep(0, Relation("location.offices")), SearchStep(1, Relation("office.held.holder")))


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    triples = [("m.ohio", "type.object.name", '"Ohio"@en')]
    for number, (name, times) in enumerate(TIMES.items()):
        held, holder = f"m.held{number}", f"m.{number}"
        triples += [
            (holder, "type.object.name", f'"{name}"@en'),
            ("m.ohio", "location.offices", held),
            (held, "office.held.holder", holder),
        ]
        for relation, day in zip(("office.held.from", "office.held.to"), times, strict=True):
            if day is not None:
                triples.append((held, relation, str(parse_date(day))))
    store = sqlite_store(triples, tmp_path_factory.mktemp("offices"))
    yield store
    store.close()


def held_at(day: str) -> Derivation:
    return Derivation(OHIO, STEPS, (Constraint(1, Operator.HOLDS, parse_date(day)),), 2)


def holders(store: GraphStore, derivation: Derivation) -> set[str]:
    return set(store.labels(replay(derivation, store)).values())


@pytest.mark.parametrize("day", ["2010", "2010-06", "2010-07-01", "1996-05-01", "2011-12-31", "2012", "2015-08-10"])
def test_what_held_began_not_after_the_date_and_ended_not_before_it(offices: GraphStore, day: str) -> None:
    target = parse_date(day)
    expected = {
        name
        for name, (begin, end) in TIMES.items()
        if (begin is None or meets(parse_date(begin), Operator.AT_MOST, target))
        and (end is None or meets(parse_date(end), Operator.AT_LEAST, target))
    }
    assert "always" in expected
    assert holders(offices, held_at(day)) == expected


def test_of_several_beginnings_or_ends_one_is_enough(tmp_path: Path) -> None:
    triples = [("m.ohio", "location.offices", "m.held"), ("m.held", "office.held.holder", "m.a")]
    triples += [("m.held", "office.held.from", str(Date(year))) for year in ("1990", "2000")]
    triples += [("m.held", "office.held.end_date", str(Date(year))) for year in ("1992", "2002")]
    with_text = [*triples, ("m.held", "office.held.start", '"2020"')]
    for number, some in enumerate((triples, with_text)):
        (tmp_path / str(number)).mkdir()
        store = sqlite_store(some, tmp_path / str(number))
        found = {year: bool(replay(held_at(year), store)) for year in ("1989", "1991", "1995", "2003")}
        assert found == {"1989": False, "1991": True, "1995": True, "2003": False}
        store.close()


def test_its_target_is_a_date() -> None:
    written = held_at("2010").to_json()
    assert written["constraints"] == [[1, "holds", '"2010"^^xsd:gYear']]
    assert PartialDerivation.from_json(written).constraints == held_at("2010").constraints
    for target in (None, "m.a", '"2010"^^xsd:integer'):
        with pytest.raises(ValueError, match="target"):
            PartialDerivation.from_json({**written, "constraints": [[1, "holds", target]]})


def test_it_stands_on_mediators_alone(offices: GraphStore) -> None:
    assert derivation_faults(held_at("2010"), offices) == []
    wrong = dataclasses.replace(held_at("2010"), constraints=(Constraint(2, Operator.HOLDS, Date("2010")),))
    first, *_ = derivation_faults(wrong, offices)
    assert (first.stage, first.message) == (
        Stage.PRUNE,
        "Position 2 holds no mediators, of which “holds” can be said.",
    )
    none = dataclasses.replace(
        held_at("2010"), constraints=tuple(Constraint(1, Operator.EQUAL, Entity(f"m.{each}")) for each in "ab")
    )
    assert derivation_faults(none, offices)


def test_the_gold_subgraph_holds_what_held_alone(offices: GraphStore) -> None:
    found = {str(triple.object) for triple in gold_subgraph(held_at("1996"), offices)}
    assert found == {"m.held0", "m.0", "m.held2", "m.2", "m.held5", "m.5"}


OFFICE = ("0 location.offices", "1 office.held.holder")


def offered(question: str, store: GraphStore, today: Date | None = TODAY) -> list[str]:
    """The conditions that the first pool of conditions offers."""
    for event in answer(question, store, RuleScorer(OFFICE), topic=OHIO, today=today):
        if isinstance(event, events.PruningEnded):
            options = [] if event.decision is None else event.decision.options
            conditions = [one.constraint for one in options if isinstance(one, events.ConstraintOptionRecord)]
            return [f"{c.position} {c.operator} {c.target and c.target.label}" for c in conditions]
    raise AssertionError("no pruning")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who held the office of Ohio in 2010?", ["1 holds 2010"]),
        ("who held the office of Ohio on February 6, 2011?", ["1 holds 2011-02-06"]),
        ("who currently holds the office of Ohio?", ["1 holds 2015-08-10"]),
        ("who holds the office of Ohio?", ["1 holds 2015-08-10"]),
        ("who is the governor of Ohio?", ["1 holds 2015-08-10"]),
        ("who has been the governor of Ohio?", []),
        ("who was the governor of Ohio?", []),
        ("who was the governor of Ohio at present?", ["1 holds 2015-08-10"]),
        ("who has been governor of Ohio since 2011?", ["1 holds 2011"]),
        ("who is the governor of Ohio since 2011?", ["1 holds 2011", "1 holds 2015-08-10"]),
        ("who is the governor of Ohio in 2010?", ["1 holds 2010"]),
        ("who governed Ohio in the 2010-11 season?", ["1 holds 2010", "1 holds 2011"]),
    ],
)
def test_a_mediator_with_dates_is_offered_each_date_and_now(
    offices: GraphStore, question: str, expected: list[str]
) -> None:
    assert offered(question, offices) == expected


def test_without_a_day_nothing_is_asked_of_now(offices: GraphStore) -> None:
    assert offered("who holds the office of Ohio now?", offices, today=None) == []
    assert offered("who held the office of Ohio in 2010?", offices, today=None) == ["1 holds 2010"]


def test_words_within_a_name_say_nothing_of_now(toy: GraphStore, tmp_path: Path) -> None:
    film = [("m.film", "type.object.name", '"Apocalypse Now"@en'), ("m.film", "film.film.director", "m.a")]
    store = sqlite_store(film, tmp_path)
    named, plain = "who made Apocalypse Now?", "who made it and lives today?"
    assert spoken_now(named, link(named, store)) == ()
    assert [plain[slice(*span)] for span in spoken_now(plain, link(plain, store))] == ["today"]
    assert asks_of_now(plain, link(plain, toy))
    assert not asks_of_now(named, link(named, store))
    store.close()


CONDITIONED = RuleScorer((*OFFICE, '1 holds "2015-08-10"^^xsd:date', "answer 2"))


def test_a_run_chooses_it_and_its_word_is_used(offices: GraphStore) -> None:
    question = "who is the current governor of Ohio?"
    *_, with_it = told = list(answer(question, offices, CONDITIONED, topic=OHIO, today=TODAY))
    *_, without = answer(question, offices, RuleScorer((*OFFICE, "answer 2")), topic=OHIO, today=TODAY)
    assert isinstance(with_it, events.Finished)
    assert isinstance(without, events.Finished)
    names = {found.term.label for found in with_it.answers}
    assert names == {"always", "since 2011", "from 2012 on"}
    missed = [[question[slice(*span)] for span in end.unused_words or ()] for end in (with_it, without)]
    assert "current" not in missed[0]
    assert "current" in missed[1]
    removed = next(event for event in told if isinstance(event, events.Pruned))
    assert {one.reason for one in removed.removed} == {"fails", "cut_off"}


def test_a_run_that_goes_on_keeps_its_day(offices: GraphStore) -> None:
    question, later = "who holds the office of Ohio?", Date("2026-11-25")
    told = tuple(answer(question, offices, CONDITIONED, topic=OHIO, today=TODAY))
    for length in range(1, len(told)):
        again = list(go_on(question, offices, CONDITIONED, Continuation(told[:length]), today=later))
        assert [event.kind for event in again] == [event.kind for event in told]
    without = Continuation(told, Replace(Stage.PRUNE, 0, None))
    first, *_ = go_on(question, offices, CONDITIONED, without, today=later)
    assert isinstance(first, events.Started)
    assert first.today == TODAY.value
    first, *_ = go_on(question, offices, CONDITIONED, Continuation(()), today=later)
    assert isinstance(first, events.Started)
    assert first.today == later.value


def test_the_baseline_takes_the_date_that_the_question_names(offices: GraphStore) -> None:
    for question, expected in (
        ("who was the office holder of Ohio in 1996?", {"always", "until 2010-06", "in 1996"}),
        ("who is the office holder of Ohio?", {"always", "since 2011", "from 2012 on"}),
    ):
        *_, last = answer(question, offices, LexicalScorer(), topic=OHIO, today=TODAY)
        assert isinstance(last, events.Finished)
        assert {found.term.label for found in last.answers} == expected
