"""Kinds as constraints: which are offered for which words, and what they keep."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, Number, Relation, TermKind
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.core.options import ConstraintOption, DecisionState, Stage
from reasoning.core.structure import AbstractStructure
from reasoning.engine.derivation_faults import derivation_faults
from reasoning.engine.engine import answer
from reasoning.events import ConstraintChosen, Finished, Pruned
from reasoning.facts.option_parts import option_parts
from reasoning.facts.pools import answerable
from reasoning.facts.verbalize import option_text
from reasoning.gold.fitting import read_on, replay
from reasoning.gold.schema import FreebaseSchema
from reasoning.labels.ways import ways_to
from reasoning.narration.replay import choices_of, derivation_made
from reasoning.narration.wording import RunWords
from reasoning.question.kinds import of_kind, those_asked_for, words_for_kind
from reasoning.question.linking import link
from reasoning.question.unused_words import unused_words
from reasoning.run.run import Run
from reasoning.scorers.lexical import LexicalScorer
from reasoning.strategies.reads.reading import Reading
from reasoning.training.lessons.asked_kinds import with_asked_kind
from reasoning.training.lessons.samples import LastLessonError, Teacher
from reasoning.training.lessons.stand_in import StandIn, Taught
from tests.reasoning.random_graphs import replayed, sqlite_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.events import StageEvent
    from reasoning.scorers.base import Scorer

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
    "m.elizabeth": ("Elizabeth", "royalty.monarch"),
    "m.nobody": ("Nobody",),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """What a country touches: countries, a sea, a city, a state, and an entity without types."""
    triples = [(mid, "type.object.name", f'"{name}"@en') for mid, (name, *_) in THINGS.items()]
    triples += [(mid, "type.object.type", kind) for mid, (_, *kinds) in THINGS.items() for kind in kinds]
    triples += [(GERMANY.mid, TOUCHES, mid) for mid in THINGS if mid != GERMANY.mid]
    triples += [(mid, "location.location.area", '"3"^^xsd:integer') for mid in ("m.france", "m.basel")]
    store = sqlite_store(triples, tmp_path_factory.mktemp("places"))
    yield store
    store.close()


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """What an owner has: two baseball teams, one of them also a club of two other types, and a company."""
    types = {
        "m.brewers": ("baseball.baseball_team", "sports.sports_team", "user.ann.baseball_team"),
        "m.cubs": ("baseball.baseball_team", "sports.sports_team", "user.ann.baseball_team"),
        "m.company": ("business.business_operation",),
    }
    triples = [(mid, "type.object.name", f'"{mid}"@en') for mid in (*types, GERMANY.mid)]
    triples += [(mid, "type.object.type", kind) for mid, kinds in types.items() for kind in kinds]
    triples += [(GERMANY.mid, TOUCHES, mid) for mid in types]
    store = sqlite_store(triples, tmp_path_factory.mktemp("owned"))
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
    ("question", "asked_for"),
    [
        ("Which countries does Germany touch?", {"m.france", "m.poland"}),
        ("what four countries does Germany touch", {"m.france", "m.poland"}),
        ("what does Germany touch in this country", set()),
        ("what does Germany touch", set()),
    ],
)
def test_those_of_a_kind_that_is_asked_for_are_distinguished_from_the_others(
    places: GraphStore, question: str, asked_for: set[str]
) -> None:
    cards = places.cards([Entity(mid) for mid in THINGS if mid != GERMANY.mid])
    names = [(question.index("Germany"), question.index("Germany") + len("Germany"))]
    assert those_asked_for(question, names, cards) == {Entity(mid) for mid in asked_for}


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


def test_kinds_that_keep_the_same_are_one_option(owned: GraphStore) -> None:
    # "baseball team" and "team" both ask for a baseball team, and three types hold the same things.
    assert offered("which baseball team does Germany have?", owned) == ["baseball.baseball_team"]
    assert offered("which team of the baseball teams does Germany have?", owned) == ["baseball.baseball_team"]


def test_what_is_of_the_kind_alone_needs_no_such_condition(places: GraphStore) -> None:
    assert offered("which country touches Germany?", places, COUNTRY) == []


def test_graphs_without_types_offer_none(tmp_path: Path) -> None:
    triples = [(GERMANY.mid, "a.touches", mid) for mid in ("m.france", "m.basel")]
    triples += [(mid, "type.object.name", f'"{name}"@en') for mid, (name, *_) in THINGS.items()]
    store = sqlite_store(triples, tmp_path)
    shown = list(answer("which country does Germany touch?", store, LexicalScorer(), topic=GERMANY))
    assert not any(isinstance(event, ConstraintChosen) for event in shown)
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
    emitted = list(answer("?", places, None, topic=GERMANY, given=choices_of(whole)))
    assert derivation_made(emitted) == whole
    [chosen] = [event.constraint for event in emitted if isinstance(event, ConstraintChosen)]
    assert chosen.target is not None
    assert (chosen.operator, chosen.target.id, chosen.target.label) == ("kind", "location.country", "country")
    [pruned] = [event for event in emitted if isinstance(event, Pruned)]
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
        (Constraint(0, Operator.KIND, Entity("location.country")), "The topic itself cannot have a condition."),
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


def asked(question: str, store: GraphStore, scorer: Scorer) -> list[StageEvent]:
    return list(answer(question, store, scorer, topic=GERMANY))


def test_the_baseline_chooses_what_is_asked_for(places: GraphStore) -> None:
    *emitted, finished = asked("which countries touch the location of Germany?", places, LexicalScorer())
    assert isinstance(finished, Finished)
    assert {one.term.id for one in finished.answers} == {"m.france", "m.poland"}
    words = RunWords()
    for event in emitted:
        words.learn(event)
    [chosen] = [event for event in emitted if isinstance(event, ConstraintChosen)]
    assert words.decision(chosen) == "Keep facts where touches is a country"
    assert not finished.unused_words


def test_words_that_a_chosen_kind_answers_are_used(places: GraphStore) -> None:
    question = "which monarchs touch Germany?"
    structure = AbstractStructure.rooted("Germany").grow(0, Relation(TOUCHES), TermKind.ENTITY)
    linking = link(question, places, GERMANY)
    monarch = Constraint(1, Operator.KIND, Entity("royalty.monarch"))
    assert [question[one.start : one.end] for one in unused_words(question, linking, structure, [])] == ["monarchs"]
    assert unused_words(question, linking, structure, [monarch]) == []


def test_models_read_a_kind(places: GraphStore) -> None:
    question = "which country touches Germany?"
    structure = AbstractStructure.rooted("Germany").grow(0, Relation(TOUCHES), TermKind.ENTITY)
    state = DecisionState(Stage.PRUNE, question, structure, None)
    option = ConstraintOption(COUNTRY)
    assert option_parts(option, state) == ("entity_1", "kind", "location.country")
    assert option_text(option, state) == "location touches is a country"


def test_ways_to_what_was_marked_may_be_of_a_kind(places: GraphStore) -> None:
    marked = [Entity("m.france"), Entity("m.poland")]
    found = ways_to("which country touches Germany?", places, GERMANY, marked, seconds=60)
    assert any(way.derivation.constraints == (COUNTRY,) and way.f1 == 1 for way in found.ways)


@pytest.mark.parametrize(
    ("question", "answers", "kinds"),
    [
        ("which country touches Germany?", ["m.france", "m.poland"], (COUNTRY,)),
        ("which countries of Europe does Germany touch?", ["m.poland"], (COUNTRY,)),
        ("which country touches Germany?", ["m.france", "m.north_sea"], ()),
        ("which country touches Germany?", [mid for mid in THINGS if mid != GERMANY.mid], ()),
        ("what touches Germany?", ["m.france", "m.poland"], ()),
    ],
)
def test_a_lesson_takes_the_kind_where_no_right_answer_is_lost(
    places: GraphStore, question: str, answers: list[str], kinds: tuple[Constraint, ...]
) -> None:
    gold = Derivation(GERMANY, (SearchStep(0, Relation(TOUCHES)),), (), 1)
    taught = with_asked_kind(question, gold, frozenset(map(Entity, answers)), places)
    assert taught == replace(gold, constraints=kinds)
    assert with_asked_kind(question, replace(gold, constraints=(COUNTRY,)), frozenset(), places).constraints == (
        COUNTRY,
    )
    counted = replace(gold, counted=True)
    assert with_asked_kind(question, counted, frozenset([Number(2.0)]), places) == counted


def lessons(question: str, store: GraphStore, gold: Derivation) -> list[tuple[Stage, object]]:
    """What a teacher says at each decision."""
    teacher = Teacher(gold)
    with pytest.raises(LastLessonError):
        asked(question, store, teacher)
    return [(state.stage, pool.options[right[0]].choice) for state, pool, right in teacher.lessons]


def test_a_kind_is_taught_where_words_ask_for_it(places: GraphStore) -> None:
    step = SearchStep(0, Relation(TOUCHES))
    gold = Derivation(GERMANY, (step,), (COUNTRY,), 1)
    taught = [(Stage.SEARCH, step), (Stage.SEARCH, None), (Stage.INFER, 1)]
    assert lessons("what touches Germany?", places, gold) == taught
    taught.insert(2, (Stage.PRUNE, COUNTRY))
    assert lessons("which country touches Germany?", places, gold) == taught


def test_a_graph_that_stands_in_has_what_is_of_the_kind_and_what_is_not(tmp_path: Path) -> None:
    gold = Derivation(GERMANY, (SearchStep(0, Relation(TOUCHES)),), (COUNTRY,), 1)
    answers = frozenset({Entity("m.france")})
    drawn = StandIn(FreebaseSchema({}, {}, {}, frozenset()), Counter()).triples([Taught(gold, answers)], {})
    store = sqlite_store(drawn, tmp_path)
    assert replay(gold, store) == answers
    assert len(replay(replace(gold, constraints=()), store)) > 1
    store.close()
