"""Questions that ask for another place in an order than the first: *the second largest*."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kgstore.terms import Date, Entity, Number, Relation, TermKind, Triple
from reasoning.core.derivation import Constraint, Operator, PartialDerivation, derivation_read
from reasoning.core.structure import AbstractStructure, InstanceGraph
from reasoning.events import ConstraintRecord, TermRecord
from reasoning.facts.pools import prune_pool
from reasoning.facts.pruning import prune
from reasoning.gold.decomposition import decompose
from reasoning.narration.wording import RunWords
from reasoning.question.linking import link
from reasoning.question.ordinals import ordinals, place_asked
from reasoning.question.unused_words import unused_words

if TYPE_CHECKING:
    from kgstore.store import GraphStore
    from kgstore.terms import Term

SECOND = Number(2)
TOPIC = Entity("m.t")
HEAD = "PREFIX ns: <http://rdf.freebase.com/ns/> "


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("what is the second largest city of it?", [2]),
        ("her Third husband", [3]),
        ("the 2nd and the 10th president", [2, 10]),
        ("the 22nd president", [22]),
        ("the last but one season, and the second-to-last", [2, 2]),
        ("the penultimate one", [2]),
        ("the first and the 1st", []),
        ("in the 19th century", []),
        ("on 4th of July 1976, or July 4th, 1976", []),
        ("for the second time", []),
        ("seconds of a secondary school", []),
    ],
)
def test_ordinal_numbers_say_a_place(question: str, places: list[int]) -> None:
    assert [place for _, place in ordinals(question)] == places


def test_a_name_says_no_place(toy: GraphStore) -> None:
    assert link("who was the second actor of Knight Rider?", toy).place == 2
    assert link("who acted in Knight Rider?", toy).place == 1


def test_an_ordinal_number_counts_nothing(toy: GraphStore) -> None:
    assert [mention.term for mention in link("the 2nd of 3 actors", toy).mentions] == [Number(3)]


def _grown(*values: Term) -> tuple[AbstractStructure, InstanceGraph]:
    """A topic, its neighbours, and a value of each."""
    kind = TermKind.NUMBER if isinstance(values[0], Number) else TermKind.DATE
    children = [Entity(f"m.{place}") for place in range(len(values))]
    structure = AbstractStructure.rooted("topic").grow(0, Relation("r.child"), TermKind.ENTITY)
    graph = InstanceGraph.rooted(TOPIC).grow(Relation("r.child"), [Triple(TOPIC, "r.child", c) for c in children])
    structure = structure.grow(1, Relation("r.value"), kind)
    of = zip(children, values, strict=True)
    return structure, graph.grow(Relation("r.value"), [Triple(child, "r.value", value) for child, value in of])


@pytest.mark.parametrize(
    ("operator", "place", "kept"),
    [
        (Operator.MAX, 1, {"m.1"}),
        (Operator.MAX, 2, {"m.0", "m.3"}),
        (Operator.MAX, 3, {"m.2"}),
        (Operator.MIN, 2, {"m.0", "m.3"}),
        (Operator.MAX, 4, set()),
    ],
)
def test_the_value_at_a_place_is_kept_with_every_tie(
    toy: GraphStore, operator: Operator, place: int, kept: set[str]
) -> None:
    structure, graph = _grown(Number(5), Number(9), Number(1), Number(5))
    target = None if place == 1 else Number(place)
    pruning = prune(structure, graph, [Constraint(2, operator, target)], toy)
    assert {str(term) for term in pruning.members[1]} == kept
    assert pruning.leaves_nothing == (not kept)


def test_a_pool_offers_the_place_that_is_asked_for_where_there_are_so_many_values() -> None:
    structure, graph = _grown(Date("1999"), Date("2001"), Date("2010"))

    def offered(place: int) -> list[str]:
        pool = prune_pool(structure, graph.members, (), (), place=place)
        choices = [option.choice for option in pool.options]
        return [f"{one.operator} {one.place}" for one in choices if isinstance(one, Constraint)]

    assert offered(1) == ["min 1", "max 1"]
    assert offered(3) == ["min 3", "max 3"]
    assert offered(4) == []


def _written(target: Any) -> dict[str, Any]:
    return {"topic": "m.t", "search": [[0, "r.a"], [1, "r.b"]], "constraints": [[2, "max", target]], "answer": 1}


def test_a_place_is_written_and_read() -> None:
    document = _written('"2"^^xsd:integer')
    read = derivation_read(document)
    assert read.constraints == (Constraint(2, Operator.MAX, SECOND),)
    assert read.to_json() == document


@pytest.mark.parametrize("target", ['"1"^^xsd:integer', '"2.5"^^xsd:decimal', '"2010"^^xsd:gYear', "m.x"])
def test_what_is_no_place_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match="a whole number from 2 on"):
        PartialDerivation.from_json(_written(target))


@pytest.mark.parametrize(
    "ranked",
    [
        "?x ns:r.value ?v . } ORDER BY DESC(?v) LIMIT 1 OFFSET 1",
        (
            "?x ns:r.value ?v . { SELECT DISTINCT (?w AS ?best) WHERE { ns:m.t ns:r.child ?y . ?y ns:r.value ?w . } "
            "ORDER BY DESC(?best) OFFSET 1 LIMIT 1 } FILTER (?v = ?best) }"
        ),
    ],
)
def test_a_query_may_skip_to_a_place(ranked: str) -> None:
    derivation = decompose(f"{HEAD}SELECT DISTINCT ?x WHERE {{ ns:m.t ns:r.child ?x . {ranked}", TOPIC).derivation
    assert derivation is not None
    assert derivation.constraints == (Constraint(2, Operator.MAX, SECOND),)


@pytest.mark.parametrize(
    ("place", "words"),
    [("2", "second"), ("10", "tenth"), ("11", "11th"), ("13", "13th"), ("21", "21st"), ("103", "103rd")],
)
def test_a_place_is_reported_in_words(place: str, words: str) -> None:
    target = TermRecord(id=f'"{place}"^^xsd:integer', label=place, kind="number")
    shown = RunWords().condition(ConstraintRecord(position=0, operator="max", target=target))
    assert shown.endswith(f"is the {words} largest")


@pytest.mark.parametrize("word", ["second", "tenth", "4th", "penultimate"])
def test_an_ordinal_number_is_used_where_something_is_ranked(toy: GraphStore, word: str) -> None:
    question = f"what was the {word} season of Knight Rider?"
    linking = link(question, toy)
    structure, _ = _grown(Number(1), Number(2))
    ranked = [Constraint(2, Operator.MIN, SECOND)]

    def words_of_constraints(constraints: list[Constraint]) -> list[str]:
        spans = unused_words(question, linking, structure, constraints)
        return [question[one.start : one.end] for one in spans]

    assert word in words_of_constraints([])
    assert word not in words_of_constraints(ranked)


def test_an_ordinal_number_in_a_name_asks_for_no_order() -> None:
    question = "who acted in Knight Rider the 13th?"
    start = question.index("Knight")
    assert place_asked(question, [(start, len(question) - 1)]) is None
    assert place_asked(question, [(start, start + len("Knight Rider"))]) == (
        (question.index("13th"), len(question) - 1),
        13,
    )
