"""What is given of many edges under a limit."""

from __future__ import annotations

import pytest

from kgstore.store_parts.truncation import fair_shares, in_turns, page_of, rows_for_page, triple_of
from kgstore.terms import Direction, Entity, Number, Relation, Triple

HUB = Entity("hub")
FORWARD, BACKWARD = Relation("r.s.t"), Relation("r.s.t", Direction.REVERSE)


@pytest.mark.parametrize(
    ("counts", "limit", "shares"),
    [
        ({1: 5, 2: 5}, 10, {1: 5, 2: 5}),
        ({1: 5, 2: 5}, 99, {1: 5, 2: 5}),
        ({1: 5, 2: 5}, 4, {1: 2, 2: 2}),
        ({1: 50, 2: 2, 3: 1}, 10, {1: 7, 2: 2, 3: 1}),
        ({1: 3, 2: 3, 3: 3}, 9, {1: 3, 2: 3, 3: 3}),
        # The rest goes to the best known, which have the lowest numbers.
        ({3: 5, 1: 5, 2: 5}, 7, {1: 3, 2: 2, 3: 2}),
        ({3: 5, 1: 5, 2: 5}, 8, {1: 3, 2: 3, 3: 2}),
        ({3: 5, 1: 5, 2: 5}, 2, {1: 1, 2: 1}),
        ({2: 1, 1: 1, 3: 9}, 1, {1: 1}),
        ({1: 5, 2: 0}, 3, {1: 3}),
        ({1: 5, 2: 5}, 1, {1: 1}),
        ({1: 5, 2: 5}, 0, {}),
        ({1: 5, 2: 5}, -3, {}),
        ({}, 3, {}),
    ],
)
def test_entities_share_a_limit_as_equally_as_can_be(
    counts: dict[int, int], limit: int, shares: dict[int, int]
) -> None:
    assert fair_shares(counts, limit) == shares


def test_every_entity_has_its_first_turn_before_any_has_its_second() -> None:
    pairs = [(2, "b1"), (2, "b2"), (1, "a1"), (3, "c1"), (1, "a2"), (2, "b3"), (3, "c2")]
    turns = ["a1", "b1", "c1", "a2", "b2", "c2", "b3"]
    assert [reached for _, reached in in_turns(pairs)] == turns
    assert [entity for entity, _ in in_turns(pairs)] == [1, 2, 3, 1, 2, 3, 2]


def test_what_an_entity_leads_to_keeps_its_order_and_need_not_be_comparable() -> None:
    assert in_turns([(1, {}), (1, []), (1, {})]) == [(1, {}), (1, []), (1, {})]


@pytest.mark.parametrize("limit", [1, 2, 500])
def test_a_page_reads_one_row_more_than_it_gives(limit: int) -> None:
    assert rows_for_page(limit) == limit + 1


@pytest.mark.parametrize("limit", [0, -1])
def test_a_page_of_nothing_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match=f"^a page holds at least one fact, not {limit}$"):
        rows_for_page(limit)


@pytest.mark.parametrize(
    ("limit", "given", "after"), [(1, ["a"], "@10"), (2, ["a", "b"], "@20"), (3, ["a", "b", "c"], None)]
)
def test_a_page_knows_whether_another_follows_and_where_it_begins(
    limit: int, given: list[str], after: str | None
) -> None:
    rows = [(10, "a"), (20, "b"), (30, "c")][: rows_for_page(limit)]
    page = page_of(HUB, FORWARD, rows, limit, 7, "@{}".format)
    assert [str(triple) for triple in page.triples] == [f"hub\tr.s.t\t{mid}" for mid in given]
    assert (page.total, page.next) == (7, after)


def test_an_empty_page_is_the_last() -> None:
    page = page_of(HUB, FORWARD, [], 5, 0, str)
    assert (list(page.triples), page.total, page.next) == ([], 0, None)


def test_a_triple_is_said_from_subject_to_object_whichever_way_it_was_followed() -> None:
    assert triple_of(HUB, FORWARD, Number(3)) == Triple(HUB, "r.s.t", Number(3))
    assert triple_of(HUB, BACKWARD, Entity("a")) == Triple(Entity("a"), "r.s.t", HUB)
    with pytest.raises(TypeError, match=r'^"3"\^\^xsd:integer is the subject of a triple and no entity$'):
        triple_of(HUB, BACKWARD, Number(3))
