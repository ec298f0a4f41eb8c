"""How the numbers and dates of a question may compare, by the words next to them."""

from __future__ import annotations

import pytest

from kgstore.terms import Date, Entity, Number, Relation, TermKind
from reasoning.core.derivation import Constraint, Operator
from reasoning.core.options import ConstraintOption, Mention
from reasoning.core.structure import AbstractStructure
from reasoning.facts.pools import prune_pool
from reasoning.question.literals import literals


def offered(question: str, chosen: tuple[Constraint, ...] = ()) -> list[str]:
    """The conditions on the date and the number of an entity's instances, in their order."""
    structure = AbstractStructure.rooted("topic").grow(0, Relation("a.b.c"), TermKind.ENTITY)
    structure = structure.grow(1, Relation("a.b.date"), TermKind.DATE).grow(1, Relation("a.b.n"), TermKind.NUMBER)
    members = [
        frozenset({Entity("m.a")}),
        frozenset({Entity("m.b")}),
        frozenset({Date("1900")}),
        frozenset({Number(1)}),
    ]
    targets: list[Mention] = [*literals(question, ())]
    pool = prune_pool(structure, members, targets, chosen, question=question)
    conditions = [option.constraint for option in pool.options if isinstance(option, ConstraintOption)]
    return [f"{c.position} {c.operator} {getattr(c.target, 'value', c.target)}".split("^^")[0] for c in conditions]


@pytest.mark.parametrize(
    ("question", "operator"),
    [
        ("who won before 1964?", "<"),
        ("who won after the year 1964?", ">"),
        ("who won Since  1964?", ">="),
        ("who won until 1964?", "<="),
        ("who won no later than 1964?", "<="),
        ("who won not before 1964?", ">="),
        ("who lived no longer than 1964?", "<="),
        ("what is not lower than 1964?", ">="),
        ("who won on or after 1964?", ">="),
        ("who won in or before the year 1964?", "<="),
        ("who won in 1964 or later?", ">="),
        ("who won in 1964 or before", "<="),
        ("who won from 1964 on?", ">="),
        ("who won from 1964 onwards?", ">="),
    ],
)
def test_words_next_to_a_date_say_its_operator(question: str, operator: str) -> None:
    assert [condition.split()[:2] for condition in offered(question)] == [["2", operator], ["3", operator]]


@pytest.mark.parametrize(
    ("question", "operator"),
    [
        ("more than 10 people", ">"),
        ("at least 10 people", ">="),
        ("under 10 people", "<"),
        ("up to 10 people", "<="),
        ("10 or more people", ">="),
        ("10 people or fewer", "<="),
    ],
)
def test_words_next_to_a_number_say_its_operator(question: str, operator: str) -> None:
    assert offered(question) == [f"3 {operator} 10.0"]


@pytest.mark.parametrize(
    "question",
    [
        "who won in 1964?",
        "who is older than 1964?",
        "the 1964 games",
        "by 1964",
        "films from 1964",
        "films from 1964 on the moon",
        "who was born in 1964 and later became king?",
    ],
)
def test_without_such_words_all_are_offered(question: str) -> None:
    assert [c.split()[1] for c in offered(question) if c.startswith("2")] == ["=", "<", "<=", ">", ">="]


@pytest.mark.parametrize(
    ("question", "conditions"),
    [
        ("founded in the 1960s", ["2 >= 1960", "2 <= 1969"]),
        ("founded before the 1960s", ["2 < 1960"]),
        ("founded after the sixties", ["2 > 1969"]),
        ("founded since the 19th century", ["2 >= 1801"]),
        ("founded until the 19th century", ["2 <= 1900"]),
        ("founded between 1950 and 1960", ["2 >= 1950", "2 <= 1960", "3 >= 1950.0", "3 <= 1960.0"]),
        ("founded from 1950 to 1960", ["2 >= 1950", "2 <= 1960", "3 >= 1950.0", "3 <= 1960.0"]),
        ("with between 10 and 20 people", ["3 >= 10.0", "3 <= 20.0"]),
    ],
)
def test_a_period_compares_with_its_first_and_its_last_year(question: str, conditions: list[str]) -> None:
    assert sorted(offered(question)) == sorted(conditions)


def test_where_one_end_of_a_period_is_chosen_the_other_follows() -> None:
    first = Constraint(2, Operator.AT_LEAST, Date("1960"))
    assert offered("founded in the 1960s", (first,)) == ["2 <= 1969"]
    assert offered("founded in the 1960s", (first, Constraint(2, Operator.AT_MOST, Date("1969")))) == []
