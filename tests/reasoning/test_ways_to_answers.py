"""From marked answers to the derivations that lead to them."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING

import pytest

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity, Relation, parse_term
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.datasets.question import BenchmarkQuestion
from reasoning.datasets.registry import read_dataset
from reasoning.gold.fitting import FACTS_PER_STEP, Fit, fit, replay
from reasoning.labels.decided import DecidedSoFar, led_to
from reasoning.labels.ways import KEPT, ways_to
from reasoning.run.run import TERSE
from tests.reasoning.rules import KITT_GOLD, KITT_QUESTION, TOY_GRAPH
from tests.sample import sample_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from kgstore.store import Expansion, GraphStore
    from reasoning.labels.ways import Way, Ways

pytestmark = pytest.mark.slow

PATIENT = 60.0
"""Seconds that are never needed, so that no test depends on how busy a machine is."""
RIDER, DANIELS, MULHARE = (Entity(f"en.{name}") for name in ("knight_rider", "william_daniels", "edward_mulhare"))
CAST = "tv.tv_program.regular_cast"
ACTOR = "tv.regular_tv_appearance.actor"


def path_of(derivation: Derivation) -> list[str]:
    """The relations from the topic to the answer."""
    path: list[str] = []
    at = derivation.answer_position
    while at:
        step = derivation.steps[at - 1]
        path.insert(0, str(step.relation))
        at = step.position
    return path


def plain(path: list[str]) -> Callable[[Way], bool]:
    return lambda way: path_of(way.derivation) == path and not way.derivation.constraints


def toy_ways(toy: GraphStore, question: str, topic: str, *marked: str) -> Ways:
    return ways_to(question, toy, Entity(topic), [parse_term(term) for term in marked], seconds=PATIENT)


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Callable[..., GraphStore]]:
    stores: list[GraphStore] = []

    def load(*triples: str) -> GraphStore:
        path = tmp_path / f"graph{len(stores)}.sqlite"
        load_graph([tuple(t.split()) for t in triples], path, name="graph", title="Graph", source="written by hand")
        stores.append(SqliteStore(path))
        return stores[-1]

    yield load
    for store in stores:
        store.close()


def test_a_way_tells_how_well_it_fits_what_was_marked(toy: GraphStore) -> None:
    found = toy_ways(toy, "who acts in Knight Rider?", "en.knight_rider", "en.william_daniels", "en.glen_larson")
    way = next(filter(plain([CAST, ACTOR]), found.ways))
    assert (way.answers, way.right, way.missed) == (3, 1, 1)
    assert (way.precision, way.recall) == (pytest.approx(1 / 3), 0.5)
    assert way.f1 == pytest.approx(0.4)
    assert found.complete
    assert found.cut == 0


def test_the_shortest_come_first_and_a_mediator_is_no_hop_of_its_own(toy: GraphStore) -> None:
    found = toy_ways(toy, "?", "en.knight_rider", "en.william_daniels", "en.glen_larson")
    assert [way.hops for way in found.ways] == sorted(way.hops for way in found.ways)
    direct = next(filter(plain(["tv.tv_program.program_creator"]), found.ways))
    over_mediator = next(filter(plain([CAST, ACTOR]), found.ways))
    assert direct.hops == over_mediator.hops == 1.0
    assert direct.f1 > over_mediator.f1
    assert found.ways.index(direct) < found.ways.index(over_mediator)


def test_what_gives_too_much_is_narrowed_by_what_the_question_names(toy: GraphStore) -> None:
    found = toy_ways(toy, KITT_QUESTION, "en.knight_rider", "en.william_daniels")
    gold = Derivation.from_json(KITT_GOLD)
    way = next(way for way in found.ways if way.derivation == gold)
    assert (way.precision, way.recall, way.hops) == (1.0, 1.0, 2.0)
    bare = next(filter(plain([CAST, ACTOR]), found.ways))
    assert bare.precision < way.precision
    assert not any(
        constraint.target == Entity("en.kitt")
        for way in toy_ways(toy, "who plays a voice?", "en.knight_rider", "en.william_daniels").ways
        for constraint in way.derivation.constraints
    )


@pytest.mark.parametrize(
    ("question", "champion", "operator"),
    [
        ("who won the Super Bowl in 2011?", "en.green_bay_packers", Operator.EQUAL),
        ("who won the Super Bowl after 2012?", "en.baltimore_ravens", Operator.GREATER),
        ("who won the first Super Bowl?", "en.green_bay_packers", Operator.MIN),
    ],
)
def test_times_narrow_too(toy: GraphStore, question: str, champion: str, operator: Operator) -> None:
    found = toy_ways(toy, question, "en.super_bowl", champion)
    wanted = ["sports.sports_championship.events", "sports.sports_championship_event.champion"]
    [way] = [w for w in found.ways if path_of(w.derivation) == wanted and w.f1 == 1.0 and w.derivation.constraints][:1]
    [constraint] = way.derivation.constraints
    assert constraint.operator is operator
    assert way.derivation.steps[-1] == SearchStep(1, Relation("time.event.start_date"))


def test_literals_are_answers_like_others(toy: GraphStore) -> None:
    found = toy_ways(toy, "?", "en.knight_rider", '"4"^^xsd:integer', '"1952-07-17"^^xsd:date')
    assert any(map(plain(["tv.tv_program.number_of_seasons"]), found.ways))
    assert any(map(plain([CAST, ACTOR, "people.person.date_of_birth"]), found.ways))


def test_every_way_is_one_that_a_label_may_be(toy: GraphStore) -> None:
    for question, topic, *marked in (
        (KITT_QUESTION, "en.knight_rider", "en.william_daniels"),
        ("who won the Super Bowl in 2011?", "en.super_bowl", "en.green_bay_packers"),
        ("?", "en.lake_group", '"120"^^xsd:integer'),
    ):
        found = toy_ways(toy, question, topic, *marked)
        assert found.ways
        for way in found.ways:
            d = way.derivation
            whole = DecidedSoFar(d.topic, d.steps, True, d.constraints, True, d.answer_position)
            answers = led_to(question, toy, whole, TERSE).answers
            right = {str(term) for term in answers} & set(marked)
            assert (len(answers), len(right)) == (way.answers, way.right), d.to_json()
            assert [node.relation for node in way.structure.nodes[1:]] == [step.relation for step in d.steps]


def test_there_and_back_is_a_way_by_itself_and_no_detour_of_another(graph: Callable[..., GraphStore]) -> None:
    store = graph(
        "m.film film.film.directed_by m.director",
        "m.other film.film.directed_by m.director",
        "m.film film.film.country m.land",
        "m.other film.film.country m.land",
    )
    others = ways_to("?", store, Entity("m.film"), [Entity("m.other")], seconds=PATIENT)
    assert any(map(plain(["film.film.directed_by", "^film.film.directed_by"]), others.ways))
    lands = ways_to("?", store, Entity("m.film"), [Entity("m.land")], seconds=PATIENT)
    assert [path_of(way.derivation) for way in lands.ways] == [["film.film.country"]]


def test_facts_reported_in_one_of_two_ways_are_found(graph: Callable[..., GraphStore]) -> None:
    adjoins, adjoined = "location.adjoining_relationship.adjoins", "location.location.adjoin_s"
    store = graph(
        *(f"m.chile {adjoined} m.border", f"m.border {adjoins} m.peru"),
        *(f"m.peru {adjoined} m.other_border", f"m.other_border {adjoins} m.chile"),
    )
    found = ways_to("?", store, Entity("m.chile"), [Entity("m.peru")], seconds=PATIENT)
    assert any(map(plain([adjoined, adjoins]), found.ways))


@pytest.mark.parametrize("answer", ["m.capital", "m.hub"])
def test_hubs_at_either_end_hide_no_way(graph: Callable[..., GraphStore], answer: str) -> None:
    people = [f"m.p{n:04} people.person.nationality m.hub" for n in range(1_200)]
    store = graph(
        *people,
        "m.p0700 people.person.place_of_birth m.capital",
        "m.topic book.author.friend m.p0700",
        "m.hub location.country.capital m.city",
    )
    start, path = (
        ("m.hub", ["^people.person.nationality", "people.person.place_of_birth"])
        if answer == "m.capital"
        else ("m.topic", ["book.author.friend", "people.person.nationality"])
    )
    found = ways_to("?", store, Entity(start), [Entity(answer)], seconds=PATIENT)
    assert any(map(plain(path), found.ways))
    assert found.cut > 0
    assert not found.complete


def test_nothing_leads_to_what_was_not_marked_or_is_not_there(toy: GraphStore) -> None:
    assert toy_ways(toy, "?", "en.knight_rider").ways == ()
    assert toy_ways(toy, "?", "en.knight_rider", "m.nothing", '"no such text"').ways == ()
    assert toy_ways(toy, "?", "m.nothing", "en.kingston").ways == ()


def test_no_time_is_no_answer_and_says_so(toy: GraphStore) -> None:
    found = ways_to(KITT_QUESTION, toy, RIDER, [DANIELS], seconds=0.0)
    assert (found.ways, found.complete) == ((), False)


def test_gold_derivations_of_the_sample_are_among_the_ways(sample: GraphStore) -> None:
    asked = [each for each in sample_questions() if each.derivation is not None and not each.derivation.counted][::100]
    led, whole, simple = 0, 0, 0
    for question in asked:
        gold = question.derivation
        assert gold is not None
        found = ways_to(question.phrasings[0], sample, gold.topic, question.answers, seconds=3.0)
        assert len(found.ways) <= KEPT
        led += any(path_of(way.derivation) == path_of(gold) for way in found.ways)
        simple += len(gold.constraints) <= 1
        whole += any(way.derivation == gold for way in found.ways)
    assert led == len(asked)
    # A way has its steps in one order, and no condition that the answers do not need.
    assert whole >= 0.8 * simple > 5


@pytest.mark.parametrize(
    ("asked", "needed"),
    [
        # The drummer, from a year on and to a later one: each on a node of its own.
        ("music-010", {"music.group_membership.role", "music.group_membership.start", "music.group_membership.end"}),
        # Albums from a year on and up to another one: both on one node.
        ("music-038", {"music.album.release_date"}),
    ],
)
def test_several_conditions_narrow_together(sample: GraphStore, asked: str, needed: set[str]) -> None:
    question = next(question for question in sample_questions() if question.id == asked)
    gold = question.derivation
    assert gold is not None
    found = ways_to(question.phrasings[0], sample, gold.topic, question.answers, seconds=PATIENT)
    exact = [way for way in found.ways if way.f1 == 1.0 and len(way.derivation.constraints) > 1]
    assert any(
        needed == {str(way.derivation.steps[each.position - 1].relation) for each in way.derivation.constraints}
        for way in exact
    )
    for way in exact:
        assert replay(way.derivation, sample) == question.answers
        assert len(way.structure.nodes) == len(way.derivation.steps) + 1
    said = [
        frozenset(
            (way.derivation.steps[each.position - 1], each.operator, each.target) for each in way.derivation.constraints
        )
        for way in exact
    ]
    assert len(set(said)) == len(said), "the same conditions in another order are no other way"


@pytest.mark.real_data
def test_gold_paths_of_webqsp_are_among_the_ways(real_data: Path, freebase: GraphStore) -> None:
    asked, led = 0, 0
    for question in read_dataset(real_data / "webqsp" / "WebQSP.train.json", "webqsp"):
        if asked == 20:
            break
        parse = question.parses[0] if isinstance(question, BenchmarkQuestion) and question.parses else None
        if parse is None or parse.topic is None or parse.derivation is None:
            continue
        fitted = fit(parse.derivation, parse.topic, parse.answers, freebase)
        if (
            fitted is None
            or fitted.fit is Fit.WEAK
            or not (marked := replay(fitted.derivation, freebase) & parse.answers)
        ):
            continue
        asked += 1
        found = ways_to(question.text, freebase, parse.topic, marked)
        led += any(path_of(way.derivation) == path_of(fitted.derivation) for way in found.ways)
    assert asked == 20
    assert led >= 18, f"{led} of {asked}"


def test_a_condition_stands_beside_the_path(toy: GraphStore) -> None:
    found = toy_ways(toy, "who was Devon Miles in Knight Rider?", "en.knight_rider", str(MULHARE))
    assert any(
        way.derivation.constraints == (Constraint(3, Operator.EQUAL, Entity("en.devon_miles")),) for way in found.ways
    )


class SlowAlongActors(SqliteStore):
    """It takes a second to read who plays a role, once all that a path leads to is wanted."""

    def expand(self, entities: Collection[Entity], relation: Relation, limit: int) -> Expansion:
        if relation == Relation(ACTOR) and limit == FACTS_PER_STEP:
            sleep(1)
        return super().expand(entities, relation, limit)


def test_a_read_that_takes_all_the_time_takes_none_from_the_conditions(tmp_path: Path) -> None:
    path = tmp_path / "toy.sqlite"
    load_graph(TripleReader(TOY_GRAPH), path, name="toy", title="Toy", source="drawn by hand")
    store = SlowAlongActors(path)
    found = ways_to(KITT_QUESTION, store, RIDER, [DANIELS], seconds=1.0)
    store.close()
    assert not found.complete
    assert any(way.derivation.constraints and way.f1 == 1 for way in found.ways)
