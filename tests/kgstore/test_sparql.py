"""Gold queries in every idiom of the benchmarks, read into query graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.sparql.query_graph import (
    Comparison,
    Edge,
    OpenBound,
    QueryError,
    QueryGraph,
    Ranking,
    Unreadable,
    Variable,
)
from kgstore.sparql.reader import read_query
from kgstore.terms import Date, Entity, Number, Text

if TYPE_CHECKING:
    from kgstore.sparql.query_graph import Node
    from kgstore.terms import Term

HEAD = "PREFIX ns: <http://rdf.freebase.com/ns/>\n"
ENGLISH = "FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))"
TEAMS = "ns:m.player ns:sports.teams ?y . ?y ns:sports.roster.team ?x ."
DIES = Edge(Variable("x"), "people.died", Variable("d"))
TODAY = Date("2015-08-10")


def read(body: str, end: str = "", select: str = "DISTINCT ?x") -> QueryGraph:
    return read_query(f"{HEAD}SELECT {select} WHERE {{ {body} }} {end}")


def edge(subject: str, predicate: str, target: str) -> Edge:
    return Edge(node(subject), predicate, node(target))


def node(text: str) -> Node:
    return Variable(text[1:]) if text.startswith("?") else Entity(text)


def test_triples_and_what_the_answer_must_not_be() -> None:
    graph = read(f"FILTER (?x != ns:m.player) {ENGLISH} {TEAMS} ?x ns:location.in ns:m.town .")
    assert graph.answer == Variable("x")
    assert set(graph.edges) == {
        edge("m.player", "sports.teams", "?y"),
        edge("?y", "sports.roster.team", "?x"),
        edge("?x", "location.in", "m.town"),
    }
    assert graph.comparisons == (Comparison(Variable("x"), "!=", Entity("m.player")),)
    assert not graph.rankings
    assert not graph.open_bounds


@pytest.mark.parametrize(
    "bound",
    [
        """FILTER(NOT EXISTS {?y ns:roster.from ?sk0} ||
           EXISTS {?y ns:roster.from ?sk1 . FILTER(xsd:datetime(?sk1) <= "2015-08-10"^^xsd:dateTime) })""",
        """FILTER ( EXISTS { ?y ns:roster.from ?sk1 . FILTER ( "2015-08-10" ^^ xsd:dateTime >= xsd:datetime ( ?sk1 ) ) }
           || NOT EXISTS { ?y ns:roster.from ?sk0 } )""",
        """{ FILTER NOT EXISTS {?y ns:roster.from ?sk0} } UNION
           { ?y ns:roster.from ?sk1 . FILTER(xsd:datetime(?sk1) <= "2015-08-10"^^xsd:dateTime) }""",
        """{ ?y ns:roster.from ?sk1 . FILTER(?sk1 <= "2015-08-10"^^xsd:dateTime) } UNION
           { FILTER (NOT EXISTS {?y ns:roster.from ?sk0}) }""",
    ],
)
def test_a_side_of_a_date_range(bound: str) -> None:
    graph = read(f"{TEAMS} {bound}")
    expected = OpenBound(edge("?y", "roster.from", "?sk1"), Comparison(Variable("sk1"), "<=", TODAY))
    assert graph.open_bounds == (expected,)
    assert graph.comparisons == ()
    assert len(graph.edges) == 2


@pytest.mark.parametrize(
    ("end", "largest"),
    [
        ("ORDER BY ?d LIMIT 1", False),
        ("ORDER BY DESC(?d) LIMIT 1", True),
        ("ORDER BY ASC(xsd:datetime(?d)) LIMIT 1", False),
        ("ORDER BY xsd:datetime ( ?d ) LIMIT 1 OFFSET 0", False),
        ("ORDER BY DESC(xsd:integer(?d)) LIMIT 1", True),
    ],
)
def test_the_first_of_an_order(end: str, largest: bool) -> None:
    graph = read("ns:m.a ns:family.members ?x . # the Kennedys\n ?x ns:people.died ?d .", end)
    assert graph.rankings == (Ranking(Variable("d"), largest),)
    assert DIES in graph.edges


@pytest.mark.parametrize(
    ("filter_", "sign", "term"),
    [
        ('?d < "2010"^^xsd:gYear', "<", Date("2010")),
        ('"2010-02-03"^^xsd:dateTime < ?d', ">", Date("2010-02-03")),
        ('xsd:datetime(?d) >= "1980-01-01" ^^ xsd:dateTime', ">=", Date("1980-01-01")),
        ("xsd:dateTime(?d) - xsd:dateTime('2014-01-01') >= 0", ">=", Date("2014-01-01")),
        ("xsd:dateTime('2015-01-01') - xsd:dateTime(?d) > 0", "<", Date("2015-01-01")),
        ('?d <= "2008-05-08-08:00"^^<http://www.w3.org/2001/XMLSchema#date>', "<=", Date("2008-05-08")),
        ("xsd:integer(?d) > 42", ">", Number(42)),
        ('xsd:integer(?d) > "42"', ">", Number(42)),
        ('?d = "1.078"^^<http://www.w3.org/2001/XMLSchema#float>', "=", Number(1.078)),
        ("?d = -1.5e2", "=", Number(-150)),
        ("str(?d) = 'Tom \"T\" Hanks'", "=", Text('Tom "T" Hanks', "en")),
        ("?d = 'Kapitän'@de", "=", Text("Kapitän", "de")),
        ("?d = ns:m.town", "=", Entity("m.town")),
    ],
)
def test_comparisons_whatever_their_casts(filter_: str, sign: str, term: Term) -> None:
    graph = read(f"ns:m.a ns:family.members ?x . ?x ns:people.died ?d . FILTER ({filter_})")
    assert [(str(c.variable), c.sign, c.other) for c in graph.comparisons] == [("?d", sign, term)]


def test_complex_web_questions_as_tokenized() -> None:
    graph = read_query(
        "PREFIX fb: <http://rdf.freebase.com/ns/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> SELECT DISTINCT ?x "
        "WHERE { FILTER ( ?x != ?c ) FILTER ( ! isLiteral ( ?x ) || lang ( ?x ) = '' || langMatches ( lang ( ?x ) , "
        "'en' ) ) ?c fb:sports.team.colors \"blue\" @en . ?c fb:sports.team.wins ?x . ?x fb:event.number ?n . "
        'FILTER ( xsd:integer ( ?n ) < "3" ^^ xsd:integer ) }'
    )
    assert set(graph.edges) == {
        Edge(Variable("c"), "sports.team.colors", Text("blue", "en")),
        edge("?c", "sports.team.wins", "?x"),
        edge("?x", "event.number", "?n"),
    }
    assert graph.comparisons == (
        Comparison(Variable("x"), "!=", Variable("c")),
        Comparison(Variable("n"), "<", Number(3)),
    )


GRAIL = """PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX : <http://rdf.freebase.com/ns/>
SELECT (?x0 AS ?value) WHERE {
SELECT DISTINCT ?x0  WHERE {
?x0 :type.object.type :law.court .
{ SELECT (MIN(?y1) AS ?x1)  WHERE {
?y0 :type.object.type :law.court .
VALUES ?y2 { :m.05vm39 }
?y0 :law.court.founded ?y1 .
?y2 :law.court.inferior_courts ?y0 .
FILTER ( ?y0 != ?y1 && ?y0 != ?y2 && ?y1 != ?y2  ) } }
VALUES ?x2 { :m.05vm39 }
?x0 :law.court.founded ?x1 .
?x2 :law.court.inferior_courts ?x0 .
FILTER ( ?x0 != ?x1 && ?x0 != ?x2 && ?x1 != ?x2  ) } }"""


def test_grailqa_with_values_types_and_an_extreme_within() -> None:
    graph = read_query(GRAIL)
    answer = graph.answer
    founded = next(e for e in graph.edges if e.predicate == "law.court.founded")
    assert founded.subject == answer
    assert graph.rankings == (Ranking(founded.object, largest=False),)  # type: ignore[arg-type]
    assert Edge(answer, "type.object.type", Entity("law.court")) in graph.edges
    assert Edge(Entity("m.05vm39"), "law.court.inferior_courts", answer) in graph.edges
    assert len(graph.edges) == 3


def test_queries_of_one_form_keep_their_own_names() -> None:
    first = read("ns:m.a ns:r.p ?x . FILTER (?x != ns:m.a) FILTER (?x != 'one')")
    second = read("ns:m.b ns:r.q ?x . FILTER (?x != ns:m.b) FILTER (?x != 'two')")
    assert first.edges == (edge("m.a", "r.p", "?x"),)
    assert second.edges == (edge("m.b", "r.q", "?x"),)
    assert second.comparisons[1].other == Text("two")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x", Unreadable.NOT_SPARQL),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a unknown:r.p ?x }}", Unreadable.NOT_SPARQL),
        ("what is the capital?", Unreadable.NOT_SPARQL),
        ("", Unreadable.NOT_SPARQL),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x . FILTER (?x < '2010-13-01'^^xsd:date) }}", Unreadable.NOT_SPARQL),
        (f"{HEAD}ASK {{ ns:m.a ns:r.p ns:m.b }}", Unreadable.NOT_A_SELECTION),
        (f"{HEAD}SELECT ?x ?y WHERE {{ ns:m.a ns:r.p ?x . ?x ns:r.p ?y }}", Unreadable.SEVERAL_ANSWERS),
        (f"{HEAD}SELECT ?x WHERE {{ {{ns:m.a ns:r.p ?x}} UNION {{ns:m.a ns:r.q ?x}} }}", Unreadable.ALTERNATIVES),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x FILTER (?x = ns:m.b || ?x = ns:m.c) }}", Unreadable.ALTERNATIVES),
        (f"{HEAD}SELECT ?x WHERE {{ VALUES ?y {{ ns:m.a ns:m.b }} ?y ns:r.p ?x }}", Unreadable.ALTERNATIVES),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x OPTIONAL {{ ?x ns:r.q ?y }} }}", Unreadable.OPTIONAL),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x FILTER NOT EXISTS {{ ?x ns:r.q ?y }} }}", Unreadable.NEGATION),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x MINUS {{ ?x ns:r.q ?y }} }}", Unreadable.NEGATION),
        (
            f"""{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x . ?x ns:r.q ?z . FILTER (NOT EXISTS {{ ?x ns:r.f ?u }} ||
            EXISTS {{ ?x ns:r.t ?v FILTER (?v < '2010'^^xsd:gYear) }}) }}""",
            Unreadable.NEGATION,
        ),
        (f"{HEAD}SELECT (COUNT(?x) AS ?n) WHERE {{ ns:m.a ns:r.p ?x }}", Unreadable.AGGREGATE),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x }} GROUP BY ?x", Unreadable.AGGREGATE),
        (
            f"""{HEAD}SELECT ?x WHERE {{ {{ SELECT (MAX(?m) AS ?n) WHERE {{ ns:m.b ns:r.n ?m }} }}
            ns:m.a ns:r.p ?x . ?x ns:r.n ?n }}""",
            Unreadable.AGGREGATE,
        ),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x }} ORDER BY ?x LIMIT 5", Unreadable.NOT_THE_FIRST),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x }} ORDER BY ?x LIMIT 2 OFFSET 1", Unreadable.NOT_THE_FIRST),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x }} LIMIT 1", Unreadable.NOT_THE_FIRST),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x . FILTER (?x * 2 < 7) }}", Unreadable.COMPUTED),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x . ?x ns:r.n ?n FILTER (?n - 1 > 3) }}", Unreadable.COMPUTED),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ?p ?x }}", Unreadable.RELATION_OPEN),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p/ns:r.q+ ?x }}", Unreadable.RELATION_OPEN),
        (f"{HEAD}SELECT ?x WHERE {{ ns:m.a ns:r.p ?x FILTER regex(?x, 'a') }}", Unreadable.OTHER),
        (f"{HEAD}SELECT ?x WHERE {{ GRAPH ns:g {{ ns:m.a ns:r.p ?x }} }}", Unreadable.OTHER),
    ],
)
def test_what_no_query_graph_says_is_refused_with_a_reason(query: str, reason: Unreadable) -> None:
    with pytest.raises(QueryError) as refused:
        read_query(query)
    assert refused.value.reason is reason, refused.value
