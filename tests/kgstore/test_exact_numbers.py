"""Numbers keep all their digits: integers of any size and long decimals are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.loading.reading import GraphToLoad
from kgstore.names import literal_label
from kgstore.sparql.rdf import sparql_term
from kgstore.terms import Entity, Number, Relation, parse_number, parse_term
from reasoning.core.derivation import Operator
from reasoning.facts.pruning import meets

if TYPE_CHECKING:
    from kgstore.library import GraphLibrary

LARGE = ["708663653625634816", "708663653625634817", "708663653625634818", "9007199254740993", "-9007199254740993"]
LONG = ["1234567890123456.78", "3.14159265358979323846", "0.1000000000000000000001"]


@pytest.mark.parametrize("digits", [*LARGE, "1" * 40, "42", "-7", "1000000000000000000"])
def test_an_integer_is_read_written_and_shown_with_all_its_digits(digits: str) -> None:
    term = parse_term(f'"{digits}"^^xsd:integer')
    assert str(term) == f'"{digits}"^^xsd:integer'
    assert parse_term(str(term)) == term
    assert isinstance(term, Number)
    assert literal_label(term) == digits
    assert sparql_term(term) == str(term)


@pytest.mark.parametrize("digits", LONG)
def test_a_decimal_is_read_written_and_shown_with_all_its_digits(digits: str) -> None:
    term = parse_term(f'"{digits}"^^xsd:decimal')
    assert str(term) == f'"{digits}"^^xsd:decimal'
    assert isinstance(term, Number)
    assert literal_label(term) == digits
    assert parse_term(f'"{digits}000"^^xsd:decimal') == term


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("42", "42.0"),
        ("1e3", "1000"),
        ("708663653625634817", "708663653625634817.0"),
        ("+708663653625634817", "0708663653625634817"),
        ("1E21", "1000000000000000000000"),
        ("0.1", "0.10"),
        ("-0", "0"),
    ],
)
def test_equal_numbers_are_one(one: str, other: str) -> None:
    assert parse_number(one) == parse_number(other)
    assert hash(parse_number(one)) == hash(parse_number(other))
    assert str(parse_number(one)) == str(parse_number(other))


def test_floats_are_floats_however_they_are_written() -> None:
    assert parse_term('"0.1000000000000000055511151231257827"^^xsd:double') == Number(0.1)
    assert parse_term('"1234567890123456.78"^^xsd:float') == Number(1234567890123456.78)


@pytest.mark.parametrize("text", ["9" * 5_000, "1e999999999", "-1e-999999999", "inf", "1_000"])
def test_numbers_beyond_all_measure_do_no_harm(text: str) -> None:
    assert parse_number(text) == parse_number(text)
    assert len(str(parse_number(text))) < 500


def test_numbers_order_by_all_their_digits() -> None:
    numbers = [parse_number(text) for text in LARGE]
    assert [number.digits for number in sorted(numbers)] == sorted(LARGE, key=int)
    first, second, *_ = numbers
    assert meets(first, Operator.LESS, second)
    assert not meets(first, Operator.EQUAL, second)
    assert meets(second, Operator.AT_LEAST, second)
    assert first <= second
    assert second > first


def test_a_graph_tells_them_apart(library: GraphLibrary) -> None:
    triples = [("a", "r.s.id", f'"{digits}"^^xsd:integer') for digits in LARGE]
    library.load(GraphToLoad(triples, "numbers", "Numbers", "made up"))
    store = library.open("numbers")
    reached = {triple.object for triple in store.expand([Entity("a")], Relation("r.s.id"), 100).triples}
    assert {str(term) for term in reached} == {f'"{digits}"^^xsd:integer' for digits in LARGE}
    assert set(store.labels(reached).values()) == set(LARGE)
