"""Gold queries decomposed into derivations, and how large those are."""

from __future__ import annotations

import random
import re

import pytest

from kgstore.sparql.query_graph import Unreadable
from kgstore.terms import Entity
from reasoning.core.derivation import Derivation
from reasoning.datasets.question import NO_PARSE, BenchmarkQuestion, GoldParse
from reasoning.evaluation.metrics.structure_size import StructureSize, StructureTable, structure_size
from reasoning.gold.decomposition import Note, Problem, decompose

HEAD = "PREFIX ns: <http://rdf.freebase.com/ns/>\n"
TOPIC = Entity("m.t")
POSITION = "ns:m.t ns:gov.positions ?y . ?y ns:gov.position.office ?x . ?y ns:gov.position.title ns:m.president ."
TODAY = '"2015-08-10"^^xsd:date'


def query(body: str, end: str = "") -> str:
    return f"{HEAD}SELECT DISTINCT ?x WHERE {{ FILTER (?x != ns:m.t) {body} }} {end}"


def bound(relation: str, sign: str, day: str, node: str = "?y") -> str:
    return (
        f"FILTER(NOT EXISTS {{{node} ns:{relation} ?no{relation[-2:]}}} || EXISTS {{{node} ns:{relation} "
        f'?is{relation[-2:]} . FILTER(xsd:datetime(?is{relation[-2:]}) {sign} "{day}"^^xsd:dateTime) }})'
    )


def during(first: str, last: str) -> str:
    return bound("gov.position.from", "<=", last) + bound("gov.position.to", ">=", first)


def derived(body: str, end: str = "") -> dict[str, object]:
    decomposition = decompose(query(body, end), TOPIC)
    assert decomposition.derivation is not None, decomposition.problem
    return decomposition.derivation.to_json()


def structure(search: list[list[object]], constraints: list[list[object]], answer: int) -> dict[str, object]:
    return {"topic": "m.t", "search": search, "constraints": constraints, "answer": answer}


def test_an_entity_that_a_triple_names_is_a_step_and_a_constraint() -> None:
    assert derived(POSITION) == structure(
        [[0, "gov.positions"], [1, "gov.position.office"], [1, "gov.position.title"]],
        [[3, "=", "m.president"]],
        2,
    )


def test_relations_are_followed_backwards_where_the_topic_is_the_object() -> None:
    assert derived("?x ns:film.director ns:m.t . ?p ns:r.plays ?x . ?p ns:r.role ns:m.k") == structure(
        [[0, "^film.director"], [1, "^r.plays"], [2, "r.role"]], [[3, "=", "m.k"]], 1
    )


@pytest.mark.parametrize(
    ("first", "last", "target"),
    [
        ("2015-08-10", "2015-08-10", TODAY),
        ("2010-01-01", "2010-12-31", '"2010"^^xsd:gYear'),
        ("2010-02-01", "2010-02-28", '"2010-02"^^xsd:gYearMonth'),
    ],
)
def test_a_date_range_over_beginning_and_end_is_that_it_held_then(first: str, last: str, target: str) -> None:
    found = decompose(query(POSITION + during(first, last)), TOPIC)
    assert found.derivation is not None
    assert found.derivation.to_json() == structure(
        [[0, "gov.positions"], [1, "gov.position.office"], [1, "gov.position.title"]],
        [[1, "holds", target], [3, "=", "m.president"]],
        2,
    )
    assert found.notes == ()


@pytest.mark.parametrize(
    ("begin", "end"),
    [("gov.position.began_on", "gov.position.to"), ("gov.position.to", "gov.position.from")],
)
def test_another_date_range_is_two_bounds_on_what_it_spans(begin: str, end: str) -> None:
    found = decompose(query(POSITION + bound(begin, "<=", "2010-12-31") + bound(end, ">=", "2010-01-01")), TOPIC)
    assert found.derivation is not None
    steps = sorted([begin, "gov.position.title", end])
    target = '"2010"^^xsd:gYear'
    demands = {begin: ["<=", target], end: [">=", target], "gov.position.title": ["=", "m.president"]}
    assert found.derivation.to_json() == structure(
        [[0, "gov.positions"], [1, "gov.position.office"], *([1, step] for step in steps)],
        [[place, *demands[step]] for place, step in enumerate(steps, start=3)],
        2,
    )
    assert found.notes == (Note.ABSENT_DATE_FAILS,)


def test_what_the_answer_itself_held_is_two_bounds() -> None:
    day = bound("time.event.start_date", "<=", "2010", "?x") + bound("time.event.end_date", ">=", "2010", "?x")
    assert derived("ns:m.t ns:r.events ?x ." + day)["constraints"] == [
        [2, ">=", '"2010"^^xsd:gYear'],
        [3, "<=", '"2010"^^xsd:gYear'],
    ]


def test_a_range_that_spans_neither_year_nor_month_keeps_its_days() -> None:
    constraints = derived(POSITION + during("2010-03-01", "2011-02-28"))["constraints"]
    assert [3, "<=", '"2011-02-28"^^xsd:date'] in constraints  # type: ignore[operator]
    assert [5, ">=", '"2010-03-01"^^xsd:date'] in constraints  # type: ignore[operator]


def test_a_way_back_to_the_topic_is_a_condition() -> None:
    assert derived("ns:m.t ns:r.p ?x . ?x ns:r.q ?z . ns:m.t ns:r.r ?z") == structure(
        [[0, "r.r"], [1, "^r.q"], [2, "^r.p"]], [[3, "=", "m.t"]], 2
    )


def test_both_dates_under_one_relation_are_one_step() -> None:
    day = bound("event.date", "<=", "2010-05-01", "?x") + bound("event.date", ">=", "2009-05-01", "?x")
    assert derived("ns:m.t ns:r.events ?x ." + day) == structure(
        [[0, "r.events"], [1, "event.date"]],
        [[2, "<=", '"2010-05-01"^^xsd:date'], [2, ">=", '"2009-05-01"^^xsd:date']],
        1,
    )


def test_a_type_is_a_kind_where_it_stands_the_answer_among_them() -> None:
    body = "ns:m.t ns:r.borders ?x . ?x ns:type.object.type ns:location.country . ?x ns:r.capital ?c ."
    assert derived(body + "?c ns:type.object.type ns:location.port . ?c ns:r.lies_in ns:m.eu .") == structure(
        [[0, "r.borders"], [1, "r.capital"], [2, "r.lies_in"]],
        [[1, "kind", "location.country"], [2, "kind", "location.port"], [3, "=", "m.eu"]],
        1,
    )
    notable = "ns:m.t ns:r.borders ?x . ?x ns:common.topic.notable_types ns:{} ."
    assert derived(notable.format("m.01mp")) == structure([[0, "r.borders"]], [[1, "kind", "location.country"]], 1)
    assert derived(notable.format("m.no_type"))["search"] == [[0, "r.borders"], [1, "common.topic.notable_types"]]


@pytest.mark.parametrize(
    "body",
    [
        "ns:m.t ns:r.directed ?x . ?x ns:film.film.genre ns:m.g . ?x ns:type.object.type ns:film.film",
        "?x ns:film.film.directed_by ns:m.t . ?x ns:type.object.type ns:film.film",
        "ns:m.t ns:film.director.film ?x . ?x ns:type.object.type ns:film.film",
        "ns:m.t ns:r.is ?x . ?x ns:type.object.type ns:common.topic",
        "ns:m.t ns:r.played ?y . ?y ns:r.in ?x . ?y ns:type.object.type ns:film.performance",
    ],
    ids=["its relations", "its step backwards", "its step forwards", "everything", "a mediator"],
)
def test_a_type_that_tells_nothing_is_no_kind(body: str) -> None:
    assert "kind" not in str(derived(body)["constraints"])


def test_a_topic_may_be_what_stands_for_a_type() -> None:
    query_text = f"{HEAD}SELECT ?x WHERE {{ ?x ns:common.topic.notable_types ns:m.01mp . ?x ns:r.near ns:m.sea }}"
    found = decompose(query_text, Entity("m.01mp")).derivation
    assert found is not None
    assert [str(step.relation) for step in found.steps] == ["^common.topic.notable_types", "r.near"]


@pytest.mark.parametrize(("order", "operator"), [("?d", "min"), ("DESC(xsd:integer(?d))", "max")])
def test_the_first_of_an_order_is_an_extreme_and_comes_last(order: str, operator: str) -> None:
    body = "ns:m.t ns:r.child ?x . ?x ns:r.born ?d . ?x ns:r.sex ns:m.f ."
    assert derived(body, f"ORDER BY {order} LIMIT 1") == structure(
        [[0, "r.child"], [1, "r.born"], [1, "r.sex"]], [[3, "=", "m.f"], [2, operator, None]], 1
    )


def test_numbers_dates_and_texts_are_compared_where_they_stand() -> None:
    body = (
        "ns:m.t ns:r.child ?x . ?x ns:r.height ?h . ?x ns:r.born ?b . ?x ns:r.motto 'ora'@en . "
        'FILTER (xsd:float(?h) >= 1.5) FILTER (?b < "2000"^^xsd:gYear) FILTER (?b > "1900"^^xsd:gYear)'
    )
    assert derived(body) == structure(
        [[0, "r.child"], [1, "r.born"], [1, "r.height"], [1, "r.motto"]],
        [
            [2, "<", '"2000"^^xsd:gYear'],
            [2, ">", '"1900"^^xsd:gYear'],
            [3, ">=", '"1.5"^^xsd:decimal'],
            [4, "=", '"ora"@en'],
        ],
        1,
    )


def test_steps_come_in_one_order_whatever_the_order_of_the_text() -> None:
    body = POSITION + "?x ns:r.of ?c . ?c ns:r.in ns:m.eu . ?c ns:r.near ns:m.sea . ?y ns:r.by ns:m.h ."
    written = re.findall(r"[^ ]+ [^ ]+ [^ ]+ \.", body)
    assert len(written) == 7
    choose = random.Random(1)
    found = {str(derived(" ".join(choose.sample(written, len(written))))) for _ in range(8)}
    assert found == {str(derived(body))}
    assert derived(body)["search"] == [
        *([0, "gov.positions"], [1, "gov.position.office"], [1, "gov.position.title"], [1, "r.by"]),
        *([2, "r.of"], [5, "r.in"], [5, "r.near"]),
    ]


def test_without_a_topic_the_farthest_entity_is_taken() -> None:
    body = "ns:m.near ns:r.p ?x . ns:m.far ns:r.q ?y . ?y ns:r.s ?x ."
    found = decompose(f"{HEAD}SELECT ?x WHERE {{ {body} }}", None).derivation
    assert found is not None
    assert found.topic == Entity("m.far")
    like = decompose(f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x . ns:m.b ns:r.p ?x }}", None).derivation
    unlike = decompose(f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x . ns:m.b ns:r.p ?x FILTER (?x != ns:m.b) }}", None)
    assert like is not None
    assert unlike.derivation is not None
    assert (like.topic, unlike.derivation.topic) == (Entity("m.a"), Entity("m.b"))


@pytest.mark.parametrize(
    ("body", "end", "problem"),
    [
        ("?y ns:r.p ?x", "", Problem.TOPIC_ABSENT),
        ("ns:m.t ns:r.p ?y . ns:m.b ns:r.p ?x", "", Problem.NOT_CONNECTED),
        ("ns:m.t ns:r.p ?x . ns:m.b ns:r.p ?z", "", Problem.NOT_CONNECTED),
        ("ns:m.t ns:r.p ?x . ?x ns:r.q ?z . ?x ns:r.r ?z", "", Problem.CYCLE),
        ("ns:m.t ns:r.p ?x", "ORDER BY ?x LIMIT 1", Problem.ANSWER_CONSTRAINED),
        ("ns:m.t ns:r.p ?x . ?x ns:r.a ?a . ?x ns:r.b ?b . FILTER (?a < ?b)", "", Problem.VARIABLES_COMPARED),
        ("ns:m.t ns:r.p ?x . ?x ns:r.a ?a . FILTER (?a < 'text')", "", Problem.NO_ORDER),
        ("ns:m.t ns:r.p ?x . ?x ns:r.a ns:m.b . ?x ns:r.a ns:m.c", "", Problem.SAME_RELATION_TWICE),
        ("ns:m.t ns:r.p ?x OPTIONAL { ?x ns:r.q ?z }", "", Unreadable.OPTIONAL),
    ],
)
def test_what_no_derivation_says_has_a_reason(body: str, end: str, problem: str) -> None:
    decomposition = decompose(query(body, end), TOPIC)
    assert decomposition.derivation is None
    assert decomposition.problem == problem


def test_without_any_entity_there_is_nothing_to_start_from() -> None:
    assert decompose(f"{HEAD}SELECT ?x WHERE {{ ?x ns:r.p ?y }}", None).problem == Problem.NO_ENTITY


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (POSITION + during("2015-03-01", "2015-08-10"), Note.ABSENT_DATE_FAILS),
        (POSITION + "FILTER (?x != ?y)", Note.UNLIKE_LEFT_OUT),
        (POSITION + "?x ns:type.object.type ns:common.topic .", Note.TYPE_LEFT_OUT),
        (POSITION + "ns:m.t ns:type.object.type ns:gov.office .", Note.TYPE_LEFT_OUT),
        (POSITION + "?x ns:common.topic.notable_types ns:m.01mp .", Note.NOTABLE_TYPE_WIDENED),
        (POSITION + "?y ns:r.colleague ?z .", Note.EXISTENCE_LEFT_OUT),
    ],
)
def test_what_a_derivation_says_otherwise_than_its_query_is_noted(body: str, note: Note) -> None:
    assert decompose(query(body), TOPIC).notes == (note,)
    assert decompose(query(POSITION), TOPIC).notes == ()
    assert decompose(query(POSITION).replace("FILTER (?x != ns:m.t)", ""), TOPIC).notes == (Note.TOPIC_EXCLUDED,)


def shaped(body: str, end: str = "") -> StructureSize:
    return structure_size(Derivation.from_json(derived(body, end)))


@pytest.mark.parametrize(
    ("body", "end", "size"),
    [
        ("ns:m.t ns:r.p ?x .", "", StructureSize(2, 1)),
        ("ns:m.t ns:r.p ?y . ?y ns:r.q ?x .", "", StructureSize(2, 2)),
        ("ns:m.t ns:r.p ?x . ?x ns:r.q ns:m.b .", "", StructureSize(2, 2)),
        (POSITION, "", StructureSize(3, 3)),
        (POSITION + during("2015-08-10", "2015-08-10"), "", StructureSize(5, 5)),
        (POSITION + during("2010-01-01", "2010-12-31"), "", StructureSize(5, 5)),
        (POSITION + bound("gov.position.from", "<=", "2015-08-10"), "", StructureSize(4, 4)),
        (POSITION + "?y ns:r.from ?d", "ORDER BY ?d LIMIT 1", StructureSize(4, 4)),
        ("ns:m.t ns:r.p ?x . ?x ns:common.topic.notable_types ns:m.01mp .", "", StructureSize(2, 2)),
        (POSITION + "?y ns:type.object.type ns:gov.term .", "", StructureSize(4, 4)),
    ],
)
def test_leaves_and_edges(body: str, end: str, size: StructureSize) -> None:
    assert shaped(body, end) == size


def test_a_table_counts_every_question_once() -> None:
    table = StructureTable()
    chain = decompose(query("ns:m.t ns:r.p ?x ."), TOPIC)
    cycle = decompose(query("ns:m.t ns:r.p ?x . ?x ns:r.q ?z . ?x ns:r.r ?z"), TOPIC)
    found, lost = (GoldParse(TOPIC, frozenset(), each.derivation, each.problem) for each in (chain, cycle))
    parses = {"found": (found,), "second": (lost, found), "lost": (lost,), "none": ()}
    table.add(BenchmarkQuestion(name, "?", each) for name, each in parses.items())
    assert table.by_leaves() == {2: {1: 2}}
    assert table.left_out == {Problem.CYCLE: 1, NO_PARSE: 1}
