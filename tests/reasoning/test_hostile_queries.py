"""Gold queries that nothing foresaw: each is decomposed rightly or refused with a reason."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgstore.sparql.query_graph import MAX_QUERY_LENGTH, Unreadable
from kgstore.sparql.reader import MAX_PATTERNS
from kgstore.terms import Entity
from reasoning.gold.decomposition import Note, Problem, decompose
from reasoning.gold.spine import spine

if TYPE_CHECKING:
    from reasoning.gold.decomposition import Decomposition

HEAD = "PREFIX ns: <http://rdf.freebase.com/ns/>\n"
TOPIC = Entity("m.t")
OFFICE = "ns:m.t ns:gov.positions ?y . ?y ns:gov.office ?x . "
REASONS = {*map(str, Problem), *map(str, Unreadable)}


def query(body: str, end: str = "", select: str = "DISTINCT ?x") -> str:
    return f"{HEAD}SELECT {select} WHERE {{ {body} }} {end}"


def bound(comparison: str) -> str:
    return f"FILTER(NOT EXISTS {{?y ns:a.b.from ?s}} || EXISTS {{?y ns:a.b.from ?t . FILTER({comparison})}})"


def check_decomposition(found: Decomposition) -> None:
    """Fail unless there is a derivation or one of the known reasons."""
    if found.derivation is None:
        assert found.problem in REASONS
    else:
        assert not found.problem


@pytest.mark.parametrize(
    "comparison",
    [
        "xsd:datetime(?t) - xsd:datetime(?v) <= 0",
        "xsd:datetime(?v) - xsd:datetime(?t) >= 0",
        "?t <= ?v",
        "?v >= ?t",
    ],
)
def test_a_date_range_up_to_a_value_of_the_graph_compares_two_values(comparison: str) -> None:
    body = OFFICE + "?y ns:a.b.to ?v . " + bound(comparison)
    assert decompose(query(body), TOPIC).problem == Problem.VARIABLES_COMPARED


def test_a_date_range_up_to_a_variable_that_is_given_is_one_up_to_that_date() -> None:
    given = OFFICE + bound("xsd:datetime(?t) - xsd:datetime(?v) <= 0") + 'VALUES ?v { "2010-05-01"^^xsd:date }'
    said = OFFICE + bound('?t <= "2010-05-01"^^xsd:date')
    assert decompose(query(given), TOPIC) == decompose(query(said), TOPIC)
    assert decompose(query(said), TOPIC).notes == (Note.TOPIC_EXCLUDED, Note.ABSENT_DATE_FAILS)


@pytest.mark.parametrize(
    ("body", "end", "reason"),
    [
        (OFFICE + bound('?t != "2010"^^xsd:gYear'), "", Unreadable.NEGATION),
        (OFFICE + bound('?t <= "2010"^^xsd:gYear && ?t >= "2000"^^xsd:gYear'), "", Unreadable.NEGATION),
        (OFFICE + bound('?t <= "2010"^^xsd:gYear) FILTER NOT EXISTS { ?t ns:a.b.c ?u'), "", Unreadable.NOT_SPARQL),
        (
            OFFICE + "FILTER(NOT EXISTS {?y ns:a.b.from ?s} || EXISTS {?y ns:a.b.from ?t . FILTER(?t <= 5) "
            "FILTER(NOT EXISTS {?t ns:a.b.to ?u} || EXISTS {?t ns:a.b.to ?w . FILTER(?w >= 5)})})",
            "",
            Unreadable.NEGATION,
        ),
        (OFFICE + "FILTER(NOT EXISTS {?y ns:a.b.c ?s} || NOT EXISTS {?y ns:a.b.d ?t})", "", Unreadable.ALTERNATIVES),
        (OFFICE + "FILTER(?y + 1 <= ?x)", "", Unreadable.COMPUTED),
        (OFFICE + "FILTER(xsd:datetime(?y) - xsd:datetime(?x) <= 365)", "", Unreadable.COMPUTED),
        (OFFICE + "FILTER(SUBSTR(?y, 3) = 'a')", "", Unreadable.COMPUTED),
        (OFFICE + "FILTER(CONCAT(?y, ?x) = 'ab')", "", Unreadable.COMPUTED),
        (OFFICE + "FILTER(CONCAT() = 'ab')", "", Unreadable.COMPUTED),
        (OFFICE + "FILTER(IF(isNUMERIC(?x), ?y, 1) = 1)", "", Unreadable.COMPUTED),
        (OFFICE + "FILTER(COALESCE(?y, 1) = 1)", "", Unreadable.COMPUTED),
        (OFFICE + "FILTER(?y < NOW())", "", Unreadable.COMPUTED),
        (OFFICE + "FILTER(?y)", "", Unreadable.OTHER),
        (OFFICE + "FILTER(true)", "", Unreadable.OTHER),
        (OFFICE + "FILTER(BOUND(?y))", "", Unreadable.OTHER),
        (OFFICE + "FILTER regex(?y, '(a+)+$')", "", Unreadable.OTHER),
        (OFFICE + "FILTER(langMatches(lang(?y), '*'))", "", Unreadable.OTHER),
        (OFFICE + "FILTER(?y IN (ns:m.a, ns:m.b))", "", Unreadable.ALTERNATIVES),
        (OFFICE + "BIND(?y + 1 AS ?z)", "", Unreadable.COMPUTED),
        (OFFICE + "BIND(ns:m.a AS ?z) BIND(ns:m.b AS ?z)", "", Unreadable.COMPUTED),
        (OFFICE + "VALUES (?y ?x) { (ns:m.a ns:m.b) (ns:m.c ns:m.d) }", "", Unreadable.ALTERNATIVES),
        (OFFICE + "{ SELECT ?y WHERE { ?y ns:r.z ?w } ORDER BY ?w LIMIT 1 }", "", Unreadable.NOT_THE_FIRST),
        (OFFICE + "{ SELECT (COUNT(?w) AS ?y) WHERE { ?v ns:r.z ?w } GROUP BY ?v }", "", Unreadable.AGGREGATE),
        (OFFICE + "?y ns:r.a/ns:r.b ?z .", "", Unreadable.RELATION_OPEN),
        (OFFICE + "?y ^ns:r.a ?z .", "", Unreadable.RELATION_OPEN),
        (OFFICE + "SERVICE <http://example.org/> { ?y ns:r.a ?z }", "", Unreadable.OTHER),
        (OFFICE, "ORDER BY ?y ?x LIMIT 1", Unreadable.NOT_THE_FIRST),
        (OFFICE, "ORDER BY DESC(?y + 1) LIMIT 1", Unreadable.COMPUTED),
        (OFFICE, "ORDER BY ?y LIMIT 3 OFFSET 2", Unreadable.NOT_THE_FIRST),
        (OFFICE, "GROUP BY ?x HAVING (COUNT(?y) > 2)", Unreadable.AGGREGATE),
        (OFFICE + "?x ns:r.q ns:_99 .", "", Unreadable.OTHER),
        (OFFICE + "?x <http://rdf.freebase.com/ns/_0> ?z .", "", Unreadable.OTHER),
        (OFFICE + 'FILTER(?y = """7""")', "", Unreadable.NOT_SPARQL),
        (OFFICE + "FILTER(?y = '\x00')", "", Unreadable.NOT_TEXT),
        (OFFICE + "FILTER(?y = '\ud800')", "", Unreadable.NOT_TEXT),
        (OFFICE + f'FILTER(?y < "{"9" * 5_000}"^^xsd:gYear)', "", Unreadable.NOT_SPARQL),
        (OFFICE + "FILTER " + "(" * 3_000 + "?y = 1" + ")" * 3_000, "", Unreadable.TOO_LARGE),
        (OFFICE + "{" * 40 + "?y ns:r.a ?z" + "}" * 40, "", Unreadable.TOO_LARGE),
        (OFFICE + " ".join(f"?y ns:r.a{n} ?z{n} ." for n in range(MAX_PATTERNS)), "", Unreadable.TOO_LARGE),
        (OFFICE + f"FILTER(?y = '{'a' * MAX_QUERY_LENGTH}')", "", Unreadable.TOO_LARGE),
    ],
    ids=lambda value: value[-60:] if isinstance(value, str) else None,
)
def test_what_is_not_understood_is_refused_with_its_reason(body: str, end: str, reason: Unreadable) -> None:
    assert decompose(query(body, end), TOPIC).problem == reason


def test_a_variable_that_is_another_name_for_itself_ends() -> None:
    body = OFFICE + "BIND(?a AS ?b) BIND(?b AS ?a) ?x ns:r.q ?a ."
    check_decomposition(decompose(query(body), TOPIC))
    assert decompose(query(OFFICE + "?x ns:r.q ?a . BIND(?a AS ?b)"), TOPIC).derivation is not None


def test_an_extreme_within_that_fits_in_too_many_ways_is_refused() -> None:
    outer = " ".join(f"?x ns:r.p ?o{n} ." for n in range(14))
    inner = " ".join(f"?i{n} ns:r.p ?j{n} ." for n in range(14))
    within = f"{{ SELECT (MAX(?m) AS ?n) WHERE {{ {inner} ?m ns:r.zz ?i0 }} }}"
    body = f"ns:m.t ns:r.p ?x . {outer} ?x ns:r.n ?n . {within}"
    assert decompose(query(body), TOPIC).problem == Unreadable.AGGREGATE


YEAR = '"2010"^^xsd:gYear'
IDIOMS = [
    OFFICE,
    OFFICE + bound('xsd:datetime(?t) <= "2010-05-01"^^xsd:dateTime'),
    OFFICE + "?y ns:a.b.to ?v . " + bound("xsd:datetime(?t) - xsd:datetime(?v) <= 0"),
    OFFICE + "FILTER (?x != ns:m.t) FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))",
    OFFICE + "{ FILTER NOT EXISTS {?y ns:a.b.to ?s} } UNION { ?y ns:a.b.to ?t . FILTER(?t >= 5) }",
    OFFICE + "{ SELECT (MAX(?m) AS ?n) WHERE { ns:m.t ns:gov.positions ?k . ?k ns:r.n ?m } } ?y ns:r.n ?n .",
    OFFICE + "VALUES ?z { ns:m.a } ?x ns:r.of ?z . ?x ns:type.object.type ns:gov.office .",
    OFFICE + f"FILTER (STRSTARTS(STR(?d), STR({YEAR})) || STRSTARTS(STR({YEAR}), STR(?d))) ?x ns:r.d ?d .",
]
TOKENS = [
    *("{", "}", "(", ")", ".", ";", ",", "?x", "?y", "?z", "ns:m.t", "ns:r.p", "ns:_0", "a", "*", "/", "^", "!", "-"),
    *("FILTER", "NOT", "EXISTS", "OPTIONAL", "UNION", "MINUS", "BIND", "AS", "VALUES", "SELECT", "WHERE", "LIMIT", "1"),
    *("ORDER", "BY", "DESC", "GROUP", "HAVING", "COUNT", "MAX", "IN", "||", "&&", "OR", "=", "!=", "<", ">=", "STR"),
    *("xsd:datetime", "xsd:integer", "SUBSTR", "CONCAT", "IF", "isNUMERIC", "DISTINCT", "UNDEF", "#", "\n", "<", ">"),
    *("'text'", "'5'@en", '"2010"^^xsd:gYear', "5", "-1.5e3", "[", "]", "_:b", "\x00", "\ud800", "\u202e", "٣", "\\"),
]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A query in a benchmark's manner in which tokens were cut, doubled, moved or replaced, at any places."""
    words = query(draw(st.sampled_from(IDIOMS)), draw(st.sampled_from(["", "ORDER BY ?y LIMIT 1"]))).split(" ")
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(words) - 1))
        match draw(st.sampled_from(["cut", "double", "move", "replace", "insert", "letter"])):
            case "cut" if len(words) > 1:
                words.pop(place)
            case "double":
                words[place:place] = words[place : place + draw(st.integers(1, 8))]
            case "move":
                words.insert(draw(st.integers(0, len(words) - 1)), words.pop(place))
            case "replace":
                words[place] = draw(st.sampled_from(TOKENS))
            case "insert":
                words.insert(place, draw(st.sampled_from(TOKENS)))
            case _:
                at = draw(st.integers(0, len(words[place])))
                words[place] = words[place][:at] + draw(st.sampled_from(string.punctuation)) + words[place][at:]
    return " ".join(words)


@settings(deadline=None)
@given(mutated(), st.sampled_from([TOPIC, Entity("m.a"), None]))
@example(query(OFFICE + "?y ns:a.b.to ?v . " + bound("?t - ?v <= 0")), TOPIC)
def test_mutated_queries_have_a_derivation_or_a_reason(text: str, topic: Entity | None) -> None:
    check_decomposition(decompose(text, topic))
    if topic is not None:
        spine(text, topic)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_a_reason(text: str) -> None:
    check_decomposition(decompose(text, TOPIC))
    spine(text, TOPIC)
