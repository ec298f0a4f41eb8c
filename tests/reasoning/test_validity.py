"""What held at a date: one condition on a mediator, over a beginning and an end of which either may be missing."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Date, Entity, Relation, TermKind, parse_date
from reasoning import events
from reasoning.compiling.sparql import to_sparql
from reasoning.core.derivation import Constraint, Derivation, Operator, PartialDerivation, SearchStep
from reasoning.core.options import Stage
from reasoning.core.structure import AbstractStructure
from reasoning.engine.changes import AskedRun
from reasoning.engine.derivation_faults import derivation_faults
from reasoning.engine.engine import answer, go_on
from reasoning.exports.s_expression import s_expression
from reasoning.exports.source import LeftOutError
from reasoning.facts.option_parts import constraint_parts
from reasoning.facts.pruning import meets
from reasoning.facts.verbalize import constraint_words
from reasoning.gold.decomposition import Note, decompose
from reasoning.gold.fitting import replay
from reasoning.gold.schema import FreebaseSchema, Role
from reasoning.labels.gold_subgraph import gold_subgraph
from reasoning.labels.ways import ways_to
from reasoning.narration.narration import Narrator
from reasoning.narration.wording import RunWords
from reasoning.question.linking import link
from reasoning.question.tense import asks_of_now, spoken_now
from reasoning.run.continuation import Continuation, Insert, Replace
from reasoning.scorers.lexical import LexicalScorer
from reasoning.training.lessons.samples import nameable, samples_of
from reasoning.training.lessons.stand_in import StandIn, Taught
from tests.reasoning.random_graphs import sqlite_store
from tests.reasoning.rules import RuleScorer
from tests.reasoning.test_compiling import Rdf
from webapp.asking.questions.changing import ChangeTextError, change_typed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.loading.formats.lines import TripleText
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


def office_triples() -> list[TripleText]:
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
    return triples


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    store = sqlite_store(office_triples(), tmp_path_factory.mktemp("offices"))
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
        if isinstance(event, events.ConstraintChosen | events.PruningEnded):
            options = [] if event.decision is None else event.decision.options
            options = sorted(options, key=lambda one: one.index)
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
        ("who is the current governor of Ohio in 2010?", ["1 holds 2010"]),
        ("who plays for Ohio?", ["1 holds 2015-08-10"]),
        ("who plays Ohio?", []),
        ("who is the actor of Ohio?", []),
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


def test_who_is_it_asks_for_the_one_who_is_it_now(offices: GraphStore) -> None:
    scorer = RuleScorer((*OFFICE, "answer 2"))
    for question, today, expected in (
        ("who is the governor of Ohio?", TODAY, {"always", "since 2011", "from 2012 on"}),
        ("who's the governor of Ohio?", TODAY, {"always", "since 2011", "from 2012 on"}),
        ("who is the governor of Ohio in 2010?", TODAY, None),
        ("who are the governors of Ohio?", TODAY, None),
        ("who was the governor of Ohio?", TODAY, None),
        ("who is the governor of Ohio?", None, None),
    ):
        *_, finished = answer(question, offices, scorer, topic=OHIO, today=today)
        assert isinstance(finished, events.Finished)
        names = {found.term.label for found in finished.answers}
        assert names == (expected or {*TIMES}), question


def test_where_nobody_is_it_now_all_who_were_are_the_answer(tmp_path: Path) -> None:
    still = {"m.held0", "m.held1", "m.held4"}
    store = sqlite_store([each for each in office_triples() if still.isdisjoint(each)], tmp_path)
    scorer = RuleScorer((*OFFICE, "answer 2"))
    *_, finished = answer("who is the governor of Ohio?", store, scorer, topic=OHIO, today=TODAY)
    assert isinstance(finished, events.Finished)
    assert {found.term.label for found in finished.answers} == {"until 2010-06", "in 2010", "in 1996"}
    store.close()


def test_a_run_chooses_it_and_its_word_is_used(offices: GraphStore) -> None:
    question = "which governor has Ohio currently?"
    *_, with_it = emitted = list(answer(question, offices, CONDITIONED, topic=OHIO, today=TODAY))
    *_, without = answer(question, offices, RuleScorer((*OFFICE, "answer 2")), topic=OHIO, today=TODAY)
    assert isinstance(with_it, events.Finished)
    assert isinstance(without, events.Finished)
    names = {found.term.label for found in with_it.answers}
    assert names == {"always", "since 2011", "from 2012 on"}
    missed = [[question[slice(*span)] for span in end.unused_words or ()] for end in (with_it, without)]
    assert "currently" not in missed[0]
    assert "currently" in missed[1]
    removed = next(event for event in emitted if isinstance(event, events.Pruned))
    assert {one.reason for one in removed.removed} == {"fails", "cut_off"}


def test_a_run_that_goes_on_keeps_its_day(offices: GraphStore) -> None:
    question, later = "who holds the office of Ohio?", Date("2026-11-25")
    shown = tuple(answer(question, offices, CONDITIONED, topic=OHIO, today=TODAY))
    for length in range(1, len(shown)):
        again = list(go_on(question, offices, CONDITIONED, Continuation(shown[:length]), today=later))
        assert [event.kind for event in again] == [event.kind for event in shown]
    without = Continuation(shown, Replace(Stage.PRUNE, 0, None))
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


def test_a_gold_query_and_its_derivation_give_the_same(offices: GraphStore) -> None:
    offices_rdf = Rdf(office_triples())
    for first, last in (("2015-08-10", "2015-08-10"), ("2010-01-01", "2010-12-31"), ("2010-06-01", "2010-06-30")):
        found = decompose(gold_query(first, last), OHIO)
        assert found.derivation is not None
        assert found.notes == (Note.TOPIC_EXCLUDED,)
        answers = replay(found.derivation, offices)
        assert answers
        assert answers == offices_rdf.ask(gold_query(first, last)) == offices_rdf.ask(to_sparql(found.derivation))


def gold_query(first: str, last: str) -> str:
    """As WebQSP writes it, but that it compares dates as texts: rdflib compares no days with years."""
    return f"""
PREFIX ns: <http://rdf.freebase.com/ns/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
SELECT DISTINCT ?x WHERE {{
  ns:m.ohio ns:location.offices ?y . ?y ns:office.held.holder ?x .
  FILTER(NOT EXISTS {{?y ns:office.held.from ?sk0}} || EXISTS {{?y ns:office.held.from ?sk1 .
    FILTER(STR(?sk1) <= STR("{last}"^^xsd:date)) }})
  FILTER(NOT EXISTS {{?y ns:office.held.to ?sk2}} || EXISTS {{?y ns:office.held.to ?sk3 .
    FILTER(CONCAT(STR(?sk3), "-99") >= STR("{first}"^^xsd:date)) }})
}}"""


@pytest.mark.parametrize("is_leaf", [False, True])
def test_no_s_expression_says_it(is_leaf: bool) -> None:
    held = held_at("2010")
    if is_leaf:
        steps = (*STEPS[:1], SearchStep(0, Relation("location.capital")))
        held = dataclasses.replace(held, steps=steps)
    with pytest.raises(LeftOutError):
        s_expression(held)


def test_a_way_to_marked_answers_may_be_narrowed_by_it(offices: GraphStore) -> None:
    marked = [Entity("m.0"), Entity("m.2"), Entity("m.5")]
    found = ways_to("who held the office of Ohio in 1996?", offices, OHIO, marked, seconds=60)
    best = max(found.ways, key=lambda way: way.f1)
    assert (best.f1, best.derivation) == (1.0, held_at("1996"))


def test_a_way_may_be_narrowed_to_what_holds_now(offices: GraphStore) -> None:
    still = ("always", "since 2011", "from 2012 on")
    marked = [Entity(f"m.{place}") for place, name in enumerate(TIMES) if name in still]
    for day, expected in ((TODAY, {TODAY}), (None, set())):
        found = ways_to("who is the governor of Ohio?", offices, OHIO, marked, today=day, seconds=60)
        held = [c for way in found.ways for c in way.derivation.constraints if c.operator is Operator.HOLDS]
        assert {constraint.target for constraint in held} == expected
    past = ways_to("who was a governor of Ohio?", offices, OHIO, marked, today=TODAY, seconds=60)
    assert not any(c.operator is Operator.HOLDS for way in past.ways for c in way.derivation.constraints)


def test_an_answer_tells_when_it_held(offices: GraphStore) -> None:
    shown = list(answer("who is the governor of Ohio?", offices, CONDITIONED, topic=OHIO, today=TODAY))
    finished = shown[-1]
    assert isinstance(finished, events.Finished)
    words = RunWords()
    assert {one.term.label: [words.held(held) for held in one.held or ()] for one in finished.answers} == {
        "always": ["no dates are known"],
        "since 2011": ["since 2011"],
        "from 2012 on": ["since 1 January 2012"],
    }
    assert {held.constraint for one in finished.answers for held in one.held or ()} == {1}
    both = events.HeldRecord(
        constraint=1,
        begins=[Narrator(offices).term(Date("1961"))],
        ends=[Narrator(offices).term(Date(day)) for day in ("1963", "1970")],
    )
    assert words.held(both) == "from 1961 to 1963, 1970"
    assert words.held(both.model_copy(update={"begins": []})) == "until 1963, 1970"


def test_answers_without_such_a_condition_tell_no_times(offices: GraphStore) -> None:
    shown = list(answer("who was a governor of Ohio?", offices, CONDITIONED, topic=OHIO))
    finished = shown[-1]
    assert isinstance(finished, events.Finished)
    assert finished.answers
    assert all(one.held is None for one in finished.answers)
    assert all("held" not in one.model_dump() for one in finished.answers)


def test_words_tell_then_and_now(offices: GraphStore) -> None:
    question = "who is the governor of Ohio?"
    emitted = list(answer(question, offices, CONDITIONED, topic=OHIO, today=TODAY))
    words = RunWords()
    for event in emitted:
        words.learn(event)
    said = [words.condition(event.constraint) for event in emitted if isinstance(event, events.ConstraintChosen)]
    assert said == ["offices is still true on 10 August 2015"]
    for day, expected in (("2010", "in 2010"), ("2010-02", "in February 2010"), ("2010-02-06", "on 6 February 2010")):
        record = Narrator(offices).constraint(held_at(day).constraints[0])
        assert words.condition(record) == f"offices held {expected}"
    structure = AbstractStructure.rooted("Ohio").grow(0, STEPS[0].relation, TermKind.MEDIATOR)
    assert constraint_words(structure, held_at("2010").constraints[0]) == "location offices held in that year"
    assert constraint_parts(structure, held_at("2010").constraints[0], {}) == ("topic_1", "holds", "2010")


def test_a_change_is_typed_so(offices: GraphStore) -> None:
    shown = list(answer("who governs Ohio?", offices, RuleScorer((*OFFICE, "answer 2")), topic=OHIO))
    asked = AskedRun(shown, offices)
    added = change_typed("prune:1=+offices holds 1996", shown, asked, offices)
    assert added == Insert(Stage.PRUNE, 0, Constraint(1, Operator.HOLDS, Date("1996")))
    assert asked.words(added) == "with offices held in 1996"
    pruned = next(event for event in asked.preview(added) if isinstance(event, events.Pruned))
    assert (pruned.kept_total, pruned.removed_total) == (6, 6)
    with pytest.raises(ChangeTextError, match="What held did so at a date"):
        change_typed("prune:1=+offices holds", shown, asked, offices)


def test_lessons_name_now_where_the_question_speaks_of_it(offices: GraphStore) -> None:
    now, past = "who is the governor of Ohio?", "who was the governor of Ohio?"
    derivation = held_at(TODAY.value)
    assert nameable(derivation, now, offices, TODAY) == derivation
    for text, today in ((now, None), (past, TODAY), (now, Date("2015-08-11"))):
        assert nameable(derivation, text, offices, today).constraints == ()
    samples = list(samples_of("q", now, OHIO, derivation, offices, topic_given=True, today=TODAY))
    conditions = [sample for sample in samples if sample.state.stage is Stage.PRUNE]
    right = [conditions[0].pool.options[index].choice for index in conditions[0].right]
    assert right == [derivation.constraints[0]]


def test_graphs_that_stand_in_hold_what_held_and_what_did_not(tmp_path: Path) -> None:
    mediator = "office.held"
    roles = [
        Role("location.offices", "location", mediator),
        Role("office.held.holder", mediator, "person"),
        Role("office.held.from", mediator, "type.datetime"),
        Role("office.held.to", mediator, "type.datetime"),
    ]
    by_domain = {mediator: roles[1:], "location": roles[:1]}
    schema = FreebaseSchema({role.relation: role for role in roles}, by_domain, {}, frozenset({mediator}))
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        taught = Taught(held_at("2010"), frozenset({Entity("m.right")}))
        store = sqlite_store(StandIn(schema, Counter(), seed).triples([taught], {}), folder)
        every = dataclasses.replace(held_at("2010"), constraints=())
        answers = replay(held_at("2010"), store)
        assert Entity("m.right") in answers
        assert len(answers) < len(replay(every, store))
        store.close()
