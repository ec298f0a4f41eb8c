"""A derivation says the same in three ways: replayed by the engine, in SPARQL over RDF, in Cypher over Neo4j."""

from __future__ import annotations

import logging
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from rdflib import Graph, URIRef
from rdflib import Literal as RdfLiteral
from rdflib.util import from_n3

from kgstore.loading.formats.rdf.turtle import open_turtle
from kgstore.loading.formats.source import ReadOptions
from kgstore.loading.reading import GraphToLoad
from kgstore.sparql.rdf import PREFIXES, XSD, address, sparql_term
from kgstore.terms import Entity, Relation, parse_term
from reasoning.compiling.cypher import cypher_script, to_cypher
from reasoning.compiling.plan import NoQueryError
from reasoning.compiling.sparql import to_sparql
from reasoning.core.derivation import Constraint, Derivation, Operator, SearchStep
from reasoning.gold.decomposition import decompose
from reasoning.gold.fitting import replay
from tests.reasoning.random_graphs import KINDS, random_derivation, random_triples, replayed, sqlite_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from rdflib.term import Node

    from kgstore.loading.formats.lines import TripleText
    from kgstore.neo4j.library import Neo4jLibrary
    from kgstore.terms import Term

pytestmark = pytest.mark.slow


def rdf_node(term: Term) -> Node:
    if isinstance(term, Entity):
        return URIRef(address(term.mid))
    node = from_n3(sparql_term(term).replace("^^xsd:", f"^^<{XSD}") + (">" if "^^" in sparql_term(term) else ""))
    assert isinstance(node, RdfLiteral)
    return node


class Rdf:
    """Triples in an RDF store."""

    def __init__(self, triples: Iterable[TripleText]) -> None:
        self.terms: dict[Node, Term] = {}
        self.graph = Graph()
        for subject, predicate, target in triples:
            ends = Entity(subject), parse_term(target)
            self.terms.update((rdf_node(term), term) for term in ends)
            self.graph.add((rdf_node(ends[0]), URIRef(address(predicate)), rdf_node(ends[1])))

    def count(self, query: str) -> int:
        [[number]] = self.graph.query(query)
        return int(number)

    def ask(self, query: str) -> frozenset[Term]:
        return frozenset(self.terms[row[0]] for row in self.graph.query(query))


def ask_cypher(library: Neo4jLibrary, derivation: Derivation, graph: str) -> frozenset[Term]:
    query, parameters = to_cypher(derivation, graph)
    found: list[str] = library.connection.read(query, parameters, lambda rows: [row["answer"] for row in rows])
    assert len(found) == len(set(found))
    return frozenset(map(parse_term, found))


def count_cypher(library: Neo4jLibrary, derivation: Derivation, graph: str) -> int:
    query, parameters = to_cypher(derivation, graph)
    [number] = library.connection.read(query, parameters, lambda rows: [row["count"] for row in rows])
    return int(number)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_sparql_gives_the_answers_of_a_replay(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    triples = random_triples(choose)
    store, rdf = sqlite_store(triples, tmp_path), Rdf(triples)
    topics = [*[Entity("m.a")] * 3, Entity(choose.choice(KINDS))]
    derivations = [random_derivation(choose, store, topic) for topic in topics]
    assume(any(derivations))
    for derivation in filter(None, derivations):
        answers = replayed(store, derivation)
        assert rdf.ask(to_sparql(derivation)) == answers, to_sparql(derivation)
        assert rdf.count(to_sparql(replace(derivation, counted=True))) == len(answers)
    store.close()


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """rdflib knows no day before the year 1, and says so of each; it compares their texts all the same."""
    caplog.set_level(logging.ERROR, "rdflib.term")


PIECES = 20


@pytest.fixture(scope="module")
def many_triples() -> list[TripleText]:
    """Many small graphs in one; they share the nodes of their literals, as all of a graph does."""
    return [t for piece in range(PIECES) for t in random_triples(random.Random(piece), f"m.{piece}.")]


def test_replay_sparql_and_cypher_agree(
    many_triples: list[TripleText], neo4j_library: Neo4jLibrary, tmp_path: Path
) -> None:
    store, rdf = sqlite_store(many_triples, tmp_path), Rdf(many_triples)
    neo4j_library.load(GraphToLoad(many_triples, "compiled", "Compiled", "made up"))

    @settings(max_examples=20, deadline=None)
    @given(seed=st.integers(0, 2**32), topic=st.sampled_from([*(f"m.{piece}.a" for piece in range(PIECES)), *KINDS]))
    def agree(seed: int, topic: str) -> None:
        derivation = random_derivation(random.Random(seed), store, Entity(topic))
        assume(derivation is not None)
        assert derivation is not None
        answers = replayed(store, derivation)
        assert ask_cypher(neo4j_library, derivation, "compiled") == answers, to_cypher(derivation, "compiled")
        assert rdf.ask(to_sparql(derivation)) == answers, to_sparql(derivation)
        assert count_cypher(neo4j_library, replace(derivation, counted=True), "compiled") == len(answers)

    agree()
    store.close()


def test_enough_of_what_is_compared_has_answers(many_triples: list[TripleText], tmp_path: Path) -> None:
    store = sqlite_store(many_triples, tmp_path)
    # Of fixed seeds: of those that a run draws, it may be few by chance.
    found = [
        random_derivation(random.Random(seed), store, Entity(f"m.{seed % PIECES}.a")) for seed in range(5 * PIECES)
    ]
    answered = [bool(replayed(store, derivation)) for derivation in found if derivation is not None]
    assert len(answered) > 2 * PIECES
    assert sum(answered) > len(answered) / 4
    store.close()


def derivation(*steps: tuple[int, str], constraints: Iterable[tuple[int, str, str]] = (), place: int) -> Derivation:
    return Derivation(
        Entity("m.a"),
        tuple(SearchStep(position, Relation.parse(relation)) for position, relation in steps),
        tuple(Constraint(p, Operator(op), parse_term(target) if target else None) for p, op, target in constraints),
        place,
    )


@pytest.mark.parametrize(
    "written",
    [
        derivation((0, "film.film.actor"), place=1),
        replace(derivation((0, "film.film.actor"), place=1), counted=True),
        replace(
            derivation((0, "r.s.cast"), (1, "r.s.actor"), (1, "r.s.age"), constraints=[(3, "max", "")], place=2),
            counted=True,
        ),
        derivation((0, "^film.film.actor"), (1, "film.film.actor"), place=2),
        derivation((0, "^type.object.type"), (1, "r.s.age"), constraints=[(2, "max", "")], place=1),
        derivation((0, "^type.object.type"), (1, "r.s.cast"), (1, "r.s.age"), constraints=[(3, "max", "")], place=2),
        derivation((0, "film.starring|film.actor"), place=1),
        derivation((0, "r.s.cast"), (1, "r.s.actor"), (1, "r.s.character"), constraints=[(3, "=", "m.kitt")], place=2),
        derivation((0, "r.s.child"), (1, "r.s.height"), constraints=[(2, ">", '"1.8"^^xsd:decimal')], place=1),
        derivation((0, "r.s.child"), (1, "r.s.motto"), constraints=[(2, "=", '"a \\"b\\""@en')], place=1),
        derivation((0, "r.s.near"), constraints=[(1, "kind", "location.country"), (1, "kind", "made.up")], place=1),
        derivation(
            (0, "^r.s.near"),
            (1, "r.s.capital"),
            (1, "r.s.size"),
            constraints=[(1, "kind", "location.country"), (2, "=", "m.b"), (2, "kind", "made up"), (3, "max", "")],
            place=1,
        ),
        *(
            derivation((0, "r.s.child"), (1, "r.s.born"), constraints=[(2, operator, date)], place=1)
            for operator in ("=", "<", "<=", ">", ">=")
            for date in ('"2011"^^xsd:gYear', '"2011-02"^^xsd:gYearMonth', '"-0044-03-15"^^xsd:date')
        ),
        *(
            derivation(
                (0, "r.s.held"),
                (1, "r.s.office"),
                (1, "r.s.title"),
                constraints=[(1, "holds", date), (3, "=", "m.president")],
                place=2,
            )
            for date in ('"2011"^^xsd:gYear', '"2011-02"^^xsd:gYearMonth', '"-0044-03-15"^^xsd:date')
        ),
        derivation(
            (0, "r.s.held"),
            (1, "r.s.office"),
            (0, "r.s.born"),
            constraints=[(1, "holds", '"2009"^^xsd:gYear'), (1, "holds", '"2011"^^xsd:gYear'), (3, "max", "")],
            place=2,
        ),
        derivation(
            (0, "r.s.child"),
            (1, "r.s.born"),
            (1, "r.s.height"),
            constraints=[(2, ">=", '"2011"^^xsd:gYear'), (3, "max", ""), (2, "min", "")],
            place=1,
        ),
        derivation(
            (0, "r.s.child"),
            (1, "r.s.born"),
            (1, "r.s.height"),
            constraints=[(3, "max", '"2"^^xsd:integer'), (2, "min", '"3"^^xsd:integer')],
            place=1,
        ),
    ],
)
def test_what_is_compiled_is_read_back_as_it_was(written: Derivation) -> None:
    assert decompose(to_sparql(written), written.topic).derivation == written


CODES = [
    ("m.a", "r.s.near", "m.0c1"),
    ("m.a", "r.s.near", "m.0c2"),
    ("m.a", "r.s.near", "m.0c3"),
    ("m.0c1", "location.country.iso_numeric", '"032"'),
    ("m.0c2", "location.country.iso_numeric", '"392"^^xsd:integer'),
    ("m.0c3", "location.country.iso_numeric", '"076"'),
]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("} ORDER BY xsd:integer(?num) LIMIT 1", {"m.0c1"}),
        ("} ORDER BY DESC(xsd:integer(?num)) LIMIT 1", {"m.0c2"}),
        ("FILTER (xsd:integer(?num) < 76) }", {"m.0c1"}),
        ("FILTER (xsd:integer(?num) > 76) }", {"m.0c2"}),
        ("FILTER (xsd:integer(?num) <= 076) }", {"m.0c1", "m.0c3"}),
        ("FILTER (xsd:integer(?num) = 392) }", {"m.0c2"}),
        ('FILTER (?num = "032") }', {"m.0c1"}),
    ],
)
def test_codes_are_ranked_and_compared_as_gold_queries_cast_them(
    asked: str, found: set[str], neo4j_library: Neo4jLibrary, tmp_path: Path
) -> None:
    """ComplexWebQuestions casts a code to an integer where it ranks or compares one, and asks for one by its text."""
    ns = "PREFIX ns: <http://rdf.freebase.com/ns/>"
    pattern = "ns:m.a ns:r.s.near ?x . ?x ns:location.country.iso_numeric ?num ."
    query = f"{PREFIXES}{ns} SELECT DISTINCT ?x WHERE {{ {pattern} {asked}"
    answers = frozenset(map(Entity, found))
    rdf, store = Rdf(CODES), sqlite_store(CODES, tmp_path)
    neo4j_library.load(GraphToLoad(CODES, "compiled", "Compiled", "made up"))
    assert rdf.ask(query) == answers
    gold = decompose(query, Entity("m.a")).derivation
    assert gold is not None
    other = neo4j_library.open("compiled")
    assert replay(gold, store) == replay(gold, other) == replayed(store, gold) == answers
    assert rdf.ask(to_sparql(gold)) == ask_cypher(neo4j_library, gold, "compiled") == answers
    assert decompose(to_sparql(gold), Entity("m.a")).derivation == gold
    store.close()
    other.close()


def test_a_way_may_go_back_along_the_edge_that_it_came(neo4j_library: Neo4jLibrary) -> None:
    # Within one MATCH, Cypher follows no edge twice.
    triples = [("m.film", "r.s.actor", "m.a"), ("m.film", "r.s.actor", "m.b")]
    neo4j_library.load(GraphToLoad(triples, "compiled", "Compiled", "made up"))
    written = derivation((0, "^r.s.actor"), (1, "r.s.actor"), (2, "^r.s.actor"), place=3)
    assert ask_cypher(neo4j_library, written, "compiled") == {Entity("m.film")}
    colleagues = derivation((0, "^r.s.actor"), (1, "r.s.actor"), place=2)
    assert ask_cypher(neo4j_library, colleagues, "compiled") == {Entity("m.b")}


def test_a_script_sets_what_its_query_asks_for() -> None:
    name = 'm.o"hara'
    written = derivation((0, "r.s.child"), (1, "r.s.friend"), constraints=[(2, "=", name)], place=1)
    script = cypher_script(*to_cypher(written, "sample"))
    assert script.splitlines()[:3] == [
        ':param graph => "sample";',
        ':param topic => "m.a";',
        ':param mid1 => "m.o\\"hara";',
    ]
    assert script.endswith("RETURN coalesce(x1.mid, x1.text) AS answer;\n")


@pytest.mark.parametrize("compile_it", [to_sparql, lambda written: to_cypher(written, "sample")])
def test_without_an_answer_position_there_is_no_query(compile_it: Callable[[Derivation], object]) -> None:
    with pytest.raises(NoQueryError, match="choose the node"):
        compile_it(derivation((0, "r.s.child"), place=0))


TURTLE = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:inception a ex:Film ; rdfs:label "Inception"@en ; ex:director ex:Ren%C3%A9 ; ex:year "2010"^^xsd:gYear .
ex:dunkirk a ex:Film ; rdfs:label "Dunkirk"@en ; ex:director ex:Ren%C3%A9 ; ex:year "2017"^^xsd:gYear .
ex:Ren%C3%A9 a ex:Person ; rdfs:label "René"@en .
ex:memo ex:director ex:Ren%C3%A9 ; ex:year "1990"^^xsd:gYear .
"""
EX = "http://example.org/"


@pytest.mark.parametrize(
    ("topic", "steps", "constraints", "answers"),
    [
        ("inception", [(0, "ex:director")], [], {"Ren%C3%A9"}),
        ("Ren%C3%A9", [(0, "^ex:director")], [(1, "kind", "Film")], {"inception", "dunkirk"}),
        ("Ren%C3%A9", [(0, "^ex:director"), (1, "ex:year")], [(2, "max", None)], {"dunkirk"}),
        ("Film", [(0, "^type.object.type"), (1, "ex:year")], [(2, "min", None)], {"inception"}),
    ],
)
def test_a_query_finds_its_answers_in_the_file_that_the_graph_was_loaded_from(
    tmp_path: Path,
    topic: str,
    steps: list[tuple[int, str]],
    constraints: list[tuple[int, str, str | None]],
    answers: set[str],
) -> None:
    path = tmp_path / "films.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    derivation = Derivation.from_json(
        {
            "topic": f"{EX}{topic}",
            "search": [[at, step.replace("ex:", EX)] for at, step in steps],
            "constraints": [[at, sign, None if end is None else f"{EX}{end}"] for at, sign, end in constraints],
            "answer": 1,
        }
    )
    graph = Graph().parse(path)
    query = to_sparql(derivation)
    assert {str(row[0]).removeprefix(EX) for row in graph.query(query)} == answers, query
    store = sqlite_store(list(open_turtle(path, ReadOptions())), tmp_path)
    assert {str(term).removeprefix(EX) for term in replayed(store, derivation)} == answers
    assert decompose(query, derivation.topic).derivation == derivation
    store.close()
