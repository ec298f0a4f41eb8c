"""The packed relations of entities: codes, counts, and what is offered."""

from __future__ import annotations

import numpy as np
import pytest

from kgstore.store import RelationCount
from kgstore.store_parts.relation_codes import COUNT_TYPE, Predicate, Predicates, count_of, unpack
from kgstore.terms import Direction, Relation, TermKind

ENTITY, DATE, MEDIATOR = TermKind.ENTITY, TermKind.DATE, TermKind.MEDIATOR
KNOWN = [
    Predicate("born", is_offered=True, reverse=None, subject_kind=ENTITY, object_kind=DATE),
    Predicate("child", is_offered=True, reverse=3, subject_kind=ENTITY, object_kind=ENTITY),
    Predicate("key", is_offered=False, reverse=None, subject_kind=ENTITY, object_kind=ENTITY),
    Predicate("parent", is_offered=True, reverse=1, subject_kind=MEDIATOR, object_kind=ENTITY),
]
CODES = {
    0: Relation("born"),
    1: Relation("born", Direction.REVERSE),
    2: Relation("child"),
    3: Relation("child", Direction.REVERSE),
    4: Relation("key"),
    5: Relation("key", Direction.REVERSE),
    6: Relation("parent"),
    7: Relation("parent", Direction.REVERSE),
}


def packed(*pairs: tuple[int, int]) -> bytes:
    """The (relation code, triples) pairs of one entity."""
    return np.array(pairs, COUNT_TYPE).tobytes()


def counted(*entities: bytes) -> list[tuple[str, int, int]]:
    return [(str(each.relation), each.entities, each.triples) for each in Predicates(KNOWN).counts(entities)]


@pytest.mark.parametrize(("code", "relation"), CODES.items())
def test_every_relation_has_one_code(code: int, relation: Relation) -> None:
    predicates = Predicates(KNOWN)
    assert predicates.code(relation) == code
    assert predicates.relation(code) == predicates.relation(code) == relation
    assert predicates.is_offered(code) is (relation.predicate != "key")


def test_a_predicate_that_is_not_there_has_no_code() -> None:
    assert Predicates(KNOWN).code(Relation("married")) is None


def test_what_is_never_offered_is_not_listed() -> None:
    assert Predicates(KNOWN).offered() == [relation for relation in CODES.values() if relation.predicate != "key"]


def test_entities_and_triples_are_counted_apart_in_the_order_of_the_codes() -> None:
    counts = Predicates(KNOWN).counts([packed((6, 2), (0, 1)), packed((0, 3), (4, 9))])
    assert counts == [
        RelationCount(Relation("born"), 2, 4, DATE),
        RelationCount(Relation("parent"), 1, 2, ENTITY),
    ]
    assert {type(number) for each in counts for number in (each.entities, each.triples)} == {int}


def test_a_relation_leads_to_what_stands_at_its_far_end() -> None:
    counts = Predicates(KNOWN).counts([packed(*((code, 1) for code in (0, 1, 7)))])
    assert [each.kind for each in counts] == [DATE, ENTITY, MEDIATOR]


def test_a_reverse_reading_goes_where_another_relation_says_the_same_and_a_forward_one_never() -> None:
    assert counted(packed((3, 1))) == [("^child", 1, 1)]
    assert counted(packed((3, 1), (6, 1))) == [("parent", 1, 1)]
    assert counted(packed((2, 1), (7, 1))) == [("child", 1, 1)]
    assert counted(packed((2, 1), (6, 1))) == [("child", 1, 1), ("parent", 1, 1)]


def test_nothing_is_counted_of_nothing() -> None:
    assert counted() == []
    assert counted(b"") == []
    assert Predicates([]).counts([]) == []
    assert Predicates([]).offered() == []


@pytest.mark.parametrize("code", [8, 9, 10, 2**32 - 1])
def test_a_code_of_no_relation_says_that_the_graph_is_damaged(code: int) -> None:
    with pytest.raises(ValueError, match=f"^a relation has the code {code}, and there are 8$"):
        Predicates(KNOWN).counts([packed((0, 1), (code, 1))])


def test_pairs_are_unpacked_one_a_row() -> None:
    pairs = unpack(packed((0, 1), (7, 2**32 - 1)))
    assert pairs.tolist() == [[0, 1], [7, 2**32 - 1]]
    assert pairs.dtype == np.int64
    assert unpack(b"").shape == (0, 2)


@pytest.mark.parametrize(("code", "count"), [(0, 4), (3, 5), (6, 6), (1, 0), (4, 0), (7, 0)])
def test_the_triples_along_one_relation(code: int, count: int) -> None:
    assert count_of(packed((0, 4), (3, 5), (6, 6)), code) == count
    assert count_of(b"", code) == 0
