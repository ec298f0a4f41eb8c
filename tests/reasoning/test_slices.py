"""Slices of an evaluation, relations that were confused, and differences of the same questions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgstore.terms import Direction, Entity, Relation
from reasoning.core.derivation import Derivation, PartialDerivation, SearchStep
from reasoning.evaluation.reporting.intervals import difference_interval, interval, paired_interval
from reasoning.evaluation.reporting.relation_confusion import NOTHING_MORE, Confused, first_confused
from reasoning.evaluation.reporting.slices import FEWEST, slices, traits_of, words_of
from tests.reasoning.outcomes import outcome

TOPIC = Entity("m.0")


def steps(*taken: tuple[int, str]) -> tuple[SearchStep, ...]:
    return tuple(SearchStep(at, Relation.parse(name)) for at, name in taken)


def gold(*taken: tuple[int, str]) -> Derivation:
    return Derivation(TOPIC, steps(*taken), (), 1)


def made(*taken: tuple[int, str]) -> PartialDerivation:
    return PartialDerivation(TOPIC, steps(*taken), (), None)


FORK = gold((0, "a.b.one"), (1, "a.b.two"), (1, "a.b.three"))


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ([(0, "a.b.one"), (1, "a.b.two"), (1, "a.b.three")], None),
        ([(0, "a.b.one"), (1, "a.b.three"), (1, "a.b.two")], None),
        ([(0, "a.b.x")], ("a.b.one", "a.b.x")),
        ([(0, "a.b.one"), (1, "a.b.x")], ("a.b.two", "a.b.x")),
        ([(0, "a.b.one"), (1, "a.b.two"), (2, "a.b.x")], ("a.b.three", "a.b.x")),
        ([(0, "a.b.one"), (1, "a.b.two")], ("a.b.three", NOTHING_MORE)),
        ([], ("a.b.one", NOTHING_MORE)),
        ([(0, "a.b.one"), (1, "a.b.two"), (1, "a.b.three"), (0, "a.b.x")], (NOTHING_MORE, "a.b.x")),
        ([(0, "^a.b.one")], ("a.b.one", "^a.b.one")),
    ],
    ids=["same", "other order", "first", "second", "from another node", "too early", "nothing", "too far", "reversed"],
)
def test_the_first_relation_that_differs(taken: list[tuple[int, str]], expected: tuple[str, str] | None) -> None:
    found = first_confused(made(*taken), FORK)
    assert found == (None if expected is None else Confused(*expected))
    assert found is None or Confused.parse(str(found)) == found


def test_a_joined_relation_is_its_two_parts() -> None:
    joined = gold((0, "tv.program.cast|tv.appearance.actor"))
    assert first_confused(made((0, "tv.program.cast"), (1, "tv.appearance.actor")), joined) is None
    wrong = first_confused(made((0, "tv.program.cast"), (1, "tv.appearance.role")), joined)
    assert wrong == Confused("tv.appearance.actor", "tv.appearance.role")
    assert Relation("x", Direction.REVERSE) != Relation("x")


def test_of_another_topic_no_relation_is_confused() -> None:
    elsewhere = PartialDerivation(Entity("m.9"), steps((0, "a.b.x")), (), None)
    assert first_confused(elsewhere, FORK) is None
    assert first_confused(None, FORK) is None


def test_traits_of_a_question() -> None:
    asked = replace(
        outcome(),
        question="Who played Zorro in the film?",
        gold_derivation=FORK,
        derivation=made((0, "a.b.x")),
        leaves=3,
        hops=2,
        topic_right=False,
    )
    shown = traits_of(asked)
    assert shown.relations == {"a.b.one", "a.b.two", "a.b.three"}
    assert (shown.domains, shown.shape, shown.linking) == ({"a"}, (3, 2), False)
    assert {"zorro", "film"} <= shown.words
    assert not {"the", "in"} & shown.words
    assert ("linking", "wrong") in set(shown.slices)
    assert ("shape", "3-2") in set(shown.slices)
    assert words_of("") == frozenset()


def test_the_worst_slices_come_first_and_small_ones_stand_apart() -> None:
    right = replace(outcome(), gold_derivation=gold((0, "good.b.c")), question="alpha")
    wrong = replace(right, gold_derivation=gold((0, "bad.b.c")), question="beta", hit_first=False, f1=0.0)
    few = replace(wrong, gold_derivation=gold((0, "rare.b.c")), question="gamma")
    gap = replace(wrong, graph_gap=True)
    shown = slices([right] * 40 + [wrong] * FEWEST + [few] * (FEWEST - 1) + [gap] * 9)
    assert shown["questions"] == 40 + FEWEST + FEWEST - 1, "the scorer is not to blame for what the graph lacks"
    assert {(one["kind"], one["value"]) for one in shown["worst"]} == {
        ("relation", "bad.b.c"),
        ("domain", "bad"),
        ("word", "beta"),
    }
    assert [one["questions"] for one in shown["worst"]] == [FEWEST] * 3, "what is better than all is not bad"
    assert {one["value"] for one in shown["small"]} == {"rare.b.c", "rare", "gamma"}
    assert (shown["worst_of"], shown["small_of"]) == (6, 3)
    assert shown["worst"][0]["hits_at_1_interval"] == {"low": 0, "high": 0}


def test_what_is_the_same_of_all_questions_is_no_slice() -> None:
    shown = slices([replace(outcome(), gold_derivation=gold((0, "a.b.c")))] * 50)
    assert (shown["worst"], shown["worst_of"]) == ([], 0)


def test_confused_relations_are_counted_the_most_frequent_first() -> None:
    one = replace(outcome(), gold_derivation=FORK, derivation=made((0, "a.b.x")))
    two = replace(outcome(), gold_derivation=FORK, derivation=made())
    shown = slices([one, two, one, outcome()])
    assert shown["confused"] == [
        {"gold": "a.b.one", "chosen": "a.b.x", "questions": 2},
        {"gold": "a.b.one", "chosen": NOTHING_MORE, "questions": 1},
    ]
    assert (shown["confused_of"], shown["confused_questions"]) == (2, 3)


def test_pairs_of_the_same_questions_are_surer_than_questions_apart() -> None:
    before = [float(number % 2) for number in range(400)]
    after = [1.0 if number % 20 == 0 else value for number, value in enumerate(before)]
    low, high = paired_interval(before, after)
    assert 0 < low < 0.05 < high
    apart = difference_interval(before, after)
    assert high - low < apart[1] - apart[0]
    assert paired_interval(before, before) == (0, 0)
    with pytest.raises(ValueError, match="shorter"):
        paired_interval([1.0, 0.0], [1.0])


def test_an_interval_of_many_values_is_drawn_in_parts() -> None:
    low, high = interval([float(number % 2) for number in range(30_000)])
    assert 0.49 < low < 0.5 < high < 0.51
