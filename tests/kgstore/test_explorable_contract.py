"""What every `ExplorableStore` promises. Each store under test is made by the fixture `make_store`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from kgstore.exploring.graph_schema import KindCount, RelationUse
from kgstore.store_parts.cursor import CursorError
from kgstore.terms import Entity, TermKind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.terms import Triple
    from tests.kgstore.conftest import MakeStore

KNIGHT_RIDER, LARSON = Entity("en.knight_rider"), Entity("en.glen_larson")
KITT, DANIELS, UNITED_STATES = Entity("m.kitt"), Entity("en.william_daniels"), Entity("en.united_states")
MOST = 10_000


def texts(triples: Sequence[Triple]) -> list[str]:
    return [str(triple).replace("\t", " ") for triple in triples]


def entities(*mids: str) -> list[Entity]:
    return [Entity(mid) for mid in mids]


# Triples between two sets


def test_triples_between_two_sets_are_found_whichever_end_each_stands_at(store: ExplorableStore) -> None:
    expected = {
        "en.knight_rider tv.tv_program.program_creator en.glen_larson",
        "en.knight_rider tv.tv_program.country_of_origin en.united_states",
        "en.glen_larson tv.tv_program_creator.programs_created en.knight_rider",
    }
    others = [LARSON, UNITED_STATES, Entity("en.unknown")]
    for one, other in (([KNIGHT_RIDER], others), (others, [KNIGHT_RIDER])):
        found = store.joining(one, other, MOST)
        assert set(texts(found.triples)) == expected
        assert found.is_complete
    among = store.joining([KITT, DANIELS, KNIGHT_RIDER], [DANIELS, KITT, KNIGHT_RIDER], MOST)
    assert set(texts(among.triples)) == {
        "en.knight_rider tv.tv_program.regular_cast m.kitt",
        "m.kitt tv.regular_tv_appearance.series en.knight_rider",
        "m.kitt tv.regular_tv_appearance.actor en.william_daniels",
    }
    assert not store.joining([DANIELS], [LARSON], MOST).triples
    assert not store.joining([], [LARSON], MOST).triples
    assert not store.joining([LARSON], [], MOST).triples
    assert not store.joining([], [], MOST).triples


def test_sets_may_overlap_and_loops_count_once(make_store: MakeStore) -> None:
    store = make_store("a\tr.s.t\ta\na\tr.s.t\tb\nb\tr.s.u\ta\nb\tr.s.t\tc\nc\ttype.object.key\ta\n")
    assert set(texts(store.joining(entities("a"), entities("a"), MOST).triples)) == {"a r.s.t a"}
    overlapping = store.joining(entities("a", "b"), entities("b", "c"), MOST)
    assert sorted(texts(overlapping.triples)) == ["a r.s.t b", "b r.s.t c", "b r.s.u a"]
    assert sorted(texts(store.joining(entities("a", "b"), entities("a", "b", "c"), MOST).triples)) == [
        "a r.s.t a",
        "a r.s.t b",
        "b r.s.t c",
        "b r.s.u a",
    ]


def test_between_a_hub_and_few_others_the_hub_is_not_read(make_store: MakeStore) -> None:
    lines = [f"e{i}\tr.s.t\thub" for i in range(3_000)] + [f"hub\tr.s.u\te{i}" for i in range(2_000)]
    store = make_store("\n".join([*lines, "other\tr.s.t\thub", "hub\tr.s.v\tother"]))
    few = entities("e5", "e2500", "other")
    expected = {"e5 r.s.t hub", "hub r.s.u e5", "e2500 r.s.t hub", "other r.s.t hub", "hub r.s.v other"}
    for one, others in ((entities("hub"), few), (few, entities("hub"))):
        found = store.joining(one, others, MOST)
        assert set(texts(found.triples)) == expected
        assert found.is_complete
        assert found.looked_at <= 10
    every = entities(*(f"e{i}" for i in range(3_000)))
    assert len(store.joining(every, entities("hub"), MOST).triples) == 5_000


def test_hubs_are_asked_for_each_other(make_store: MakeStore) -> None:
    lines = [f"{hub}\tr.s.t\te{i}" for hub in ("hub", "centre") for i in range(500)]
    store = make_store("\n".join([*lines, "hub\tr.s.t\tcentre", "x\tr.s.t\thub", "x\tr.s.t\tcentre"]))
    found = store.joining(entities("hub", "x"), entities("centre"), MOST)
    assert sorted(texts(found.triples)) == ["hub r.s.t centre", "x r.s.t centre"]
    assert found.looked_at <= 3


def test_what_costs_too_much_is_left_out_and_that_is_said(make_store: MakeStore) -> None:
    lines = [f"a{i}\tr.s.many\tb{i % 7}" for i in range(40)] + ["a1\tr.s.few\tb1", "b2\tr.s.few\ta2"]
    store = make_store("\n".join(lines))
    one, other = entities(*(f"a{i}" for i in range(40))), entities(*(f"b{i}" for i in range(7)))
    part = store.joining(one, other, 5)
    assert not part.is_complete
    assert {triple.predicate for triple in part.triples} == {"r.s.few"}
    assert part.looked_at <= 5
    whole = store.joining(one, other, 100)
    assert (len(whole.triples), whole.is_complete) == (42, True)


# Neighbourhoods


def test_the_neighbourhood_of_some_entities(store: ExplorableStore) -> None:
    assert texts(store.neighbourhood([KITT])) == [
        "en.knight_rider tv.tv_program.regular_cast m.kitt",
        "m.kitt tv.regular_tv_appearance.actor en.william_daniels",
        "m.kitt tv.regular_tv_appearance.character en.kitt",
        "m.kitt tv.regular_tv_appearance.series en.knight_rider",
    ]
    both = texts(store.neighbourhood([KITT, DANIELS]))
    assert len(both) == len(set(both)) == 6
    assert 'en.william_daniels people.person.date_of_birth "1927-03-31"^^xsd:date' in both
    assert store.neighbourhood([]) == store.neighbourhood([Entity("en.unknown")]) == []
    # Names, types and keys are no facts that anybody is offered.
    assert not [text for text in texts(store.neighbourhood([KNIGHT_RIDER])) if "type.object" in text]


def test_a_loop_is_in_a_neighbourhood_once(make_store: MakeStore) -> None:
    store = make_store("a\tr.s.t\ta\na\tr.s.t\tb\n")
    assert texts(store.neighbourhood(entities("a", "b"))) == ["a r.s.t a", "a r.s.t b"]


# Facts of one relation


def pages(store: ExplorableStore, predicate: str, limits: Collection[int]) -> list[str]:
    seen: list[str] = []
    cursor: str | None = None
    for limit in itertools.cycle(limits):
        page = store.facts_of(predicate, limit, cursor)
        seen += texts(page.triples)
        cursor = page.next
        if cursor is None:
            assert page.total == len(seen)
            return seen
        assert len(page.triples) == limit
    raise AssertionError("a cycle never ends")


def test_facts_of_a_relation_come_page_by_page_each_once(make_store: MakeStore) -> None:
    lines = [f"hub\tr.s.t\tleaf{i:04d}" for i in range(1_200)]
    lines += [f"leaf{i:04d}\tr.s.t\thub" for i in range(0, 1_200, 3)]
    lines += [f'leaf{i:04d}\tr.s.t\t"{i}"^^xsd:integer' for i in range(0, 1_200, 2)]
    lines += [f"leaf{i:04d}\tr.s.u\tx" for i in range(0, 1_200, 5)]
    store = make_store("\n".join(lines))
    whole = pages(store, "r.s.t", [5_000])
    assert len(whole) == len(set(whole)) == 1_200 + 400 + 600
    assert set(whole) == {line.replace("\t", " ") for line in lines if "r.s.t" in line}
    # By subject, the best known first.
    assert [text.partition(" ")[0] for text in whole[:1_201]] == ["hub"] * 1_200 + ["leaf0000"]
    assert pages(store, "r.s.t", [1, 7, 300]) == whole
    assert pages(store, "r.s.t", [500]) == whole
    assert pages(store, "r.s.u", [100]) == pages(store, "r.s.u", [1_000])


def test_facts_of_what_is_no_relation_of_the_graph(store: ExplorableStore) -> None:
    for name in ("no.such.relation", "type.object.key", "", "type.object.name"):
        page = store.facts_of(name, 10)
        assert (list(page.triples), page.total, page.next) == ([], 0, None)
    with pytest.raises(ValueError, match="at least one"):
        store.facts_of("people.person.nationality", 0)
    cursor = store.page(UNITED_STATES, next(r.relation for r in store.relations([UNITED_STATES])), 1).next
    for bad in ("", "nonsense", "MTIgMTI", *([cursor] if cursor else [])):
        with pytest.raises(CursorError, match="Begin again"):
            store.facts_of("people.person.nationality", 1, bad)
    first = store.facts_of("people.person.nationality", 1).next
    assert first is not None
    with pytest.raises(CursorError, match="Begin again"):
        store.page(DANIELS, next(r.relation for r in store.relations([DANIELS])), 1, first)


# What there is


def test_the_best_known_entities(store: ExplorableStore) -> None:
    best = store.best_known(3)
    assert best[0].entity == KNIGHT_RIDER
    assert [card.popularity for card in best] == sorted((card.popularity for card in best), reverse=True)
    assert store.cards([best[0].entity])[best[0].entity] == best[0]
    assert len(store.best_known(1_000)) == store.info().entities
    assert list(store.best_known(0)) == []
    assert [*store.best_known(2), *store.best_known(1_000, 2)] == list(store.best_known(1_000))
    assert list(store.best_known(5, 1_000)) == []


def test_the_schema_counts_kinds_and_relations(store: ExplorableStore) -> None:
    schema = store.schema()
    assert schema is not None
    kinds = {kind.name: kind for kind in schema.kinds}
    assert kinds["tv.tv_program"] == KindCount("tv.tv_program", 1, (KNIGHT_RIDER,))
    assert kinds["tv.regular_tv_appearance"].entities == 2
    assert schema.kinds_total == len(schema.kinds)
    assert [kind.entities for kind in schema.kinds] == sorted((k.entities for k in schema.kinds), reverse=True)
    uses = {use.predicate: use for use in schema.relations}
    nationality = uses["people.person.nationality"]
    assert (nationality.triples, nationality.subject_kind) == (3, "people.person")
    assert uses["tv.tv_program.regular_cast"] == RelationUse(
        "tv.tv_program.regular_cast", 2, "tv.tv_program", "tv.regular_tv_appearance", TermKind.MEDIATOR
    )
    assert uses["people.person.date_of_birth"].object_kind is None
    assert uses["people.person.date_of_birth"].leads_to is TermKind.DATE
    assert not {"type.object.key", "type.object.name"} & uses.keys()
    assert sum(use.triples for use in schema.relations) == sum(store.facts_of(name, 100).total for name in uses)


def test_kinds_of_another_vocabulary_are_the_most_frequent_at_either_end(make_store: MakeStore) -> None:
    lines = [f"p{i}\thttp://x.org/knows\tp{(i + 1) % 4}" for i in range(4)]
    lines += [f"p{i}\ttype.object.type\thttp://x.org/Person" for i in range(3)]
    store = make_store("\n".join([*lines, "p3\ttype.object.type\thttp://x.org/Robot", "q\thttp://x.org/has\tr"]))
    schema = store.schema()
    assert schema is not None
    uses = {use.predicate: (use.subject_kind, use.object_kind) for use in schema.relations}
    assert uses == {
        "http://x.org/knows": ("http://x.org/Person", "http://x.org/Person"),
        "http://x.org/has": (None, None),
    }
    assert schema.kinds_unknown == 2
