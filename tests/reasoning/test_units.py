"""Numbers with a unit compare with numbers of the graph in its unit."""

from __future__ import annotations

import pytest

from kgstore.terms import Entity, Number, Relation, TermKind
from reasoning.core.options import ConstraintOption
from reasoning.core.structure import AbstractStructure
from reasoning.facts.pools import prune_pool
from reasoning.question.literals import literals
from reasoning.question.units import in_every_unit

RUNTIME, LENGTH, AREA, UNKNOWN = (
    "film.film_cut.runtime",
    "geography.river.length",
    "location.location.area",
    "http://example.org/runtime",
)


def compared(question: str, relation: str) -> list[str]:
    """The conditions that a number of the question may be of one relation."""
    structure = AbstractStructure.rooted("topic").grow(0, Relation("a.b.c"), TermKind.ENTITY)
    structure = structure.grow(1, Relation(relation), TermKind.NUMBER)
    members = [frozenset({Entity("m.a")}), frozenset({Entity("m.b")}), frozenset({Number(1)})]
    targets = [each for literal in literals(question, ()) for each in in_every_unit(literal, question)]
    pool = prune_pool(structure, members, targets, (), question=question)
    found = (option.constraint for option in pool.options if isinstance(option, ConstraintOption))
    return [f"{each.operator} {each.target.value:g}" for each in found if isinstance(each.target, Number)]


@pytest.mark.parametrize(
    ("question", "relation", "conditions"),
    [
        ("films longer than 2 hours", RUNTIME, ["> 120"]),
        ("films of at least 2-hour length", RUNTIME, [">= 120"]),
        ("films under 90 minutes", RUNTIME, ["< 90"]),
        ("films longer than 2 hours", UNKNOWN, ["> 2"]),
        ("films longer than 2 hours", "http://example.org/runtimeMinutes", ["> 120"]),
        ("films longer than 150 minutes", "length_hours", ["> 2.5"]),
        ("films longer than 2", RUNTIME, ["> 2"]),
        ("rivers longer than 2 hours", LENGTH, []),
        ("rivers longer than 1,000 miles", LENGTH, ["> 1609.34"]),
        ("rivers over 5000 km", LENGTH, ["> 5000"]),
        ("countries with more than 10 thousand square miles", AREA, ["> 25899.9"]),
        ("countries with 500 hectares or less", AREA, ["<= 5"]),
        ("films between 1 and 2 hours", RUNTIME, [">= 60", "<= 120"]),
        ("films of 2 men", RUNTIME, ["= 2", "< 2", "<= 2", "> 2", ">= 2"]),
    ],
)
def test_a_number_is_compared_in_the_unit_of_the_relation(question: str, relation: str, conditions: list[str]) -> None:
    assert compared(question, relation) == conditions
