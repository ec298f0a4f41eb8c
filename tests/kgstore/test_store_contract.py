"""What every `GraphStore` promises. Each store under test is made by the fixture `make_store`."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kgstore.store import GraphStoreError, Link
from kgstore.store_parts.cursor import CursorError
from kgstore.terms import Date, Direction, Entity, Number, Relation, TermKind, Text, Triple, ordered_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgstore.store import GraphStore
    from tests.kgstore.conftest import MakeStore

KNIGHT_RIDER = Entity("en.knight_rider")
KITT, MICHAEL = Entity("m.kitt"), Entity("m.michael")
DANIELS, HASSELHOFF, BEYONCE = Entity("en.william_daniels"), Entity("en.david_hasselhoff"), Entity("en.beyonce")
UNITED_STATES = Entity("en.united_states")
NATIONALITY = Relation("people.person.nationality")


def found(matches: Sequence[object]) -> list[str]:
    return [match.card.entity.mid for match in matches]  # type: ignore[attr-defined]


def counts(store: GraphStore, *mids: str) -> dict[str, tuple[int, int]]:
    return {str(r.relation): (r.entities, r.triples) for r in store.relations([Entity(mid) for mid in mids])}


def test_info_tells_what_the_graph_is(store: GraphStore) -> None:
    info = store.info()
    assert (info.name, info.title, info.source) == ("small", "Small", "drawn by hand")
    assert (info.entities, info.named) == (12, 10)
    assert info.triples == 38
    assert info.predicates == 15
    assert info.loaded_at.endswith("+00:00")


def test_info_tells_what_the_graph_tells_most_of_and_whom_to_ask_about(store: GraphStore) -> None:
    commonest = store.info().commonest
    shown = {each.predicate: each for each in commonest}
    assert [each.triples for each in commonest] == sorted((each.triples for each in commonest), reverse=True)
    assert commonest[0].predicate == "people.person.nationality"
    assert shown["people.person.nationality"].triples == 3
    assert shown["people.person.nationality"].object == Entity("en.united_states")
    # No question is about a mediator or a number.
    cast, episodes = shown["tv.tv_program.regular_cast"], shown["tv.tv_program.number_of_episodes"]
    assert (cast.object, cast.object_kind) == (None, TermKind.MEDIATOR)
    assert (episodes.object, episodes.object_kind) == (None, TermKind.NUMBER)
    assert cast.subject == episodes.subject == Entity("en.knight_rider")
    assert not {"type.object.name", "type.object.key"} & shown.keys()


# Relations


def test_relations_go_both_ways_with_counts(store: GraphStore) -> None:
    assert counts(store, "m.kitt", "m.michael") == {
        "tv.regular_tv_appearance.actor": (2, 2),
        "tv.regular_tv_appearance.character": (2, 2),
        "tv.regular_tv_appearance.series": (2, 2),
    }
    assert counts(store, "en.united_states") == {
        "location.location.containedby": (1, 1),
        "^people.person.nationality": (1, 3),
        "^tv.tv_program.country_of_origin": (1, 1),
    }


def test_relations_of_a_set_count_entities_and_triples_apart(make_store: MakeStore) -> None:
    store = make_store("a\tr.s.t\tx\na\tr.s.t\ty\nb\tr.s.t\tx\nc\tr.s.u\ta\n")
    assert counts(store, "a", "b", "c") == {"r.s.t": (2, 3), "r.s.u": (1, 1), "^r.s.u": (1, 1)}
    assert counts(store, "a", "a") == {"r.s.t": (1, 2), "^r.s.u": (1, 1)}


def test_relations_are_sorted(store: GraphStore) -> None:
    relations = [r.relation for r in store.relations([KNIGHT_RIDER, UNITED_STATES, DANIELS])]
    assert relations == sorted(relations)
    assert len(relations) > 5


def test_relations_say_what_they_lead_to(store: GraphStore) -> None:
    kinds = {str(r.relation): r.kind for r in store.relations([KNIGHT_RIDER, DANIELS, HASSELHOFF])}
    assert kinds["tv.tv_program.regular_cast"] is TermKind.MEDIATOR
    assert kinds["tv.tv_program.air_date_of_first_episode"] is TermKind.DATE
    assert kinds["tv.tv_program.number_of_episodes"] is TermKind.NUMBER
    assert kinds["tv.tv_program.country_of_origin"] is TermKind.ENTITY
    assert kinds["people.person.quotation"] is TermKind.TEXT
    assert kinds["^tv.regular_tv_appearance.actor"] is TermKind.MEDIATOR


def test_names_types_and_keys_are_never_offered(store: GraphStore) -> None:
    assert not [name for name in counts(store, "en.knight_rider") if "object" in name or "alias" in name]


def test_a_fact_said_both_ways_is_offered_once(store: GraphStore) -> None:
    """`regular_cast` has the reverse `series`, `program_creator` the reverse `programs_created`."""
    offered = counts(store, "en.knight_rider")
    assert "tv.tv_program.regular_cast" in offered
    assert "^tv.regular_tv_appearance.series" not in offered
    assert "tv.tv_program.program_creator" in offered
    assert "^tv.tv_program_creator.programs_created" not in offered
    assert counts(store, "en.glen_larson") == {"tv.tv_program_creator.programs_created": (1, 1)}


def test_a_reverse_reading_stays_where_nothing_else_says_it(make_store: MakeStore) -> None:
    store = make_store("m.cast\ttv.regular_tv_appearance.series\ten.show\n")
    assert counts(store, "en.show") == {"^tv.regular_tv_appearance.series": (1, 1)}


def test_a_relation_has_what_its_reverse_says_among_things_of_freebase(make_store: MakeStore) -> None:
    store = make_store("m.emma\tbook.written_work.author\tm.jane\nm.jane\tbook.author.works_written\tm.persuasion\n")
    assert counts(store, "m.jane") == {"book.author.works_written": (1, 2)}
    assert counts(store, "m.persuasion") == {"book.written_work.author": (1, 1)}
    written = store.expand([Entity("m.jane")], Relation("book.author.works_written"), 10)
    assert {str(fact.object) for fact in written.triples} == {"m.emma", "m.persuasion"}


def test_every_relation_that_may_be_offered_is_known_beforehand(store: GraphStore) -> None:
    offered = store.offered()
    assert list(offered) == sorted(set(offered))
    entities = [KNIGHT_RIDER, KITT, MICHAEL, DANIELS, HASSELHOFF, UNITED_STATES]
    assert {count.relation for count in store.relations(entities)} <= set(offered)
    assert Relation("type.object.name") not in offered


def test_relations_of_each_are_those_of_each_alone(store: GraphStore) -> None:
    glen = Entity("en.glen_larson")
    entities = [KNIGHT_RIDER, KITT, MICHAEL, DANIELS, HASSELHOFF, UNITED_STATES, glen]
    each = store.relations_each(entities)
    assert {entity: list(found) for entity, found in each.items()} == {
        entity: list(store.relations([entity])) for entity in entities
    }
    # Of both together, what one of them has is left out because of the other.
    back = Relation("tv.tv_program_creator.programs_created")
    assert back in {count.relation for count in each[glen]}
    assert not {back.inverse} & {count.relation for count in each[KNIGHT_RIDER]}


def test_unknown_entities_have_no_relations(store: GraphStore) -> None:
    assert counts(store, "en.unknown") == {}
    assert counts(store) == {}
    assert store.relations_each([Entity("en.unknown")]) == {}
    assert store.relations_each([]) == {}


# Expanding


def test_expand_forward_and_backward(store: GraphStore) -> None:
    forward = store.expand([DANIELS, HASSELHOFF], NATIONALITY, 10)
    assert set(forward.triples) == {
        Triple(DANIELS, "people.person.nationality", UNITED_STATES),
        Triple(HASSELHOFF, "people.person.nationality", UNITED_STATES),
    }
    backward = store.expand([UNITED_STATES], NATIONALITY.inverse, 10)
    assert {triple.subject for triple in backward.triples} == {DANIELS, HASSELHOFF, BEYONCE}
    assert {triple.object for triple in backward.triples} == {UNITED_STATES}
    assert (forward.total, backward.total) == (2, 3)


def test_expand_gives_typed_literals(store: GraphStore) -> None:
    def value(entity: Entity, predicate: str) -> object:
        (triple,) = store.expand([entity], Relation(predicate), 10).triples
        return triple.object

    assert value(DANIELS, "people.person.date_of_birth") == Date("1927-03-31")
    assert value(KNIGHT_RIDER, "tv.tv_program.number_of_episodes") == Number(90)
    assert value(HASSELHOFF, "people.person.height_meters") == Number(1.93)
    assert value(HASSELHOFF, "people.person.quotation") == Text('"Don\'t hassle the Hoff"\t— he', "en")


def test_a_code_keeps_its_text_and_its_place_among_numbers(make_store: MakeStore) -> None:
    rows = [("m.c1", '"032"'), ("m.c2", '"392"^^xsd:integer'), ("m.c3", '"818"'), ("m.c4", '"076"@en')]
    code = Relation("location.country.iso_numeric")
    store = make_store("".join(f"{country}\t{code}\t{value}\n" for country, value in rows))
    shown = {t.subject.mid: t.object for t in store.expand([Entity(mid) for mid, _ in rows], code, 10).triples}
    assert shown == {"m.c1": Text("032"), "m.c2": Number(392), "m.c3": Text("818"), "m.c4": Text("076", "en")}
    assert {mid: ordered_as(term) for mid, term in shown.items()} == {
        "m.c1": Number(32),
        "m.c2": Number(392),
        "m.c3": Number(818),
        "m.c4": None,
    }


def test_expand_with_a_limit_gives_some_of_every_entity_first(make_store: MakeStore) -> None:
    lines = [f"hub\tr.s.t\tleaf{i}" for i in range(50)]
    lines += ["small\tr.s.t\tone", "small\tr.s.t\ttwo", "tiny\tr.s.t\tonly"]
    store = make_store("\n".join(lines))
    asked = [Entity("hub"), Entity("small"), Entity("tiny")]
    cut = store.expand(asked, Relation("r.s.t"), 10)
    assert (len(cut.triples), cut.total) == (10, 53)
    assert Counter(triple.subject.mid for triple in cut.triples) == {"hub": 7, "small": 2, "tiny": 1}
    assert {triple.subject.mid for triple in cut.triples[:3]} == {"hub", "small", "tiny"}
    assert len(set(cut.triples)) == 10


def test_expand_is_stable_and_grows_with_its_limit(make_store: MakeStore) -> None:
    store = make_store("\n".join(f"s{i % 7}\tr.s.t\to{i}" for i in range(100)))
    asked = [Entity(f"s{i}") for i in range(7)]
    everything = store.expand(asked, Relation("r.s.t"), 1000).triples
    assert len(everything) == 100
    for limit in (1, 7, 20, 99, 100):
        part = store.expand(list(reversed(asked)), Relation("r.s.t"), limit)
        assert list(part.triples) == list(everything[:limit])
        assert part.total == 100


def test_a_limit_cuts_every_relation_either_way(make_store: MakeStore) -> None:
    predicates = [f"r.s.{letter}" for letter in "abcd"]
    lines = [f"hub\t{predicate}\t{predicate}{i}" for predicate in predicates for i in range(5)]
    lines += [f"{predicate}{i}\t{predicate}\thub" for predicate in predicates for i in range(5, 10)]
    store = make_store("\n".join(lines))
    for predicate in predicates:
        for relation, there in ((Relation(predicate), range(5)), (Relation(predicate).inverse, range(5, 10))):
            cut = store.expand([Entity("hub")], relation, 3)
            ends = {str(t.subject if relation.is_reverse else t.object) for t in cut.triples}
            assert (len(ends), cut.total) == (3, 5)
            assert ends < {f"{predicate}{i}" for i in there}


def test_expand_along_what_is_not_there(store: GraphStore) -> None:
    first, last = Relation("location.location.containedby"), Relation("tv.tv_program.regular_cast")
    for relation in (Relation("no.such.relation"), first, last, last.inverse):
        expansion = store.expand([DANIELS], relation, 10)
        assert (list(expansion.triples), expansion.total) == ([], 0)
    assert store.expand([], NATIONALITY, 10).total == 0


def test_expand_keeps_loops_and_parallel_relations(make_store: MakeStore) -> None:
    store = make_store("a\tr.s.t\ta\na\tr.s.t\tb\na\tr.s.u\tb\n")
    assert {str(t) for t in store.expand([Entity("a")], Relation("r.s.t"), 9).triples} == {
        "a\tr.s.t\ta",
        "a\tr.s.t\tb",
    }
    assert store.expand([Entity("b")], Relation("r.s.u", Direction.REVERSE), 9).total == 1
    assert store.cards([Entity("a")])[Entity("a")].popularity == 3


# The one order, page by page


def in_order(mids: Sequence[str], store: GraphStore) -> list[str]:
    """Entities as every store orders them."""
    cards = store.cards([Entity(mid) for mid in mids])
    return sorted(mids, key=lambda mid: (-cards[Entity(mid)].popularity, cards[Entity(mid)].name is None, mid))


def test_facts_are_best_known_first_then_named_then_by_id(make_store: MakeStore) -> None:
    lines = [f"hub\tr.s.t\t{leaf}" for leaf in ("c", "b", "a", "e", "d", '"z"', '"a"@en')]
    lines += ["e\tr.s.u\tx", 'c\ttype.object.name\t"C"', 'd\ttype.object.name\t"D"']
    store = make_store("\n".join(lines))
    hub, relation = Entity("hub"), Relation("r.s.t")
    expected = ["e", "c", "d", "a", "b", '"a"@en', '"z"']
    assert [str(triple.object) for triple in store.expand([hub], relation, 99).triples] == expected
    assert [str(triple.object) for triple in store.page(hub, relation, 99).triples] == expected
    for limit in range(1, 7):
        assert [str(triple.object) for triple in store.expand([hub], relation, limit).triples] == expected[:limit]


HUB_LEAVES = 20_000


def hub_triples() -> str:
    """A hub of 20,000, in an order that is not that of any store: some leaves are better known, some have names."""
    lines = [f"leaf{i * 7919 % HUB_LEAVES:05d}\tr.s.t\thub" for i in range(HUB_LEAVES)]
    lines += [f"leaf{i:05d}\tr.s.u\tother{i % 7}" for i in range(0, HUB_LEAVES, 13)]
    lines += [f'leaf{i:05d}\ttype.object.name\t"Leaf {i}"' for i in range(0, HUB_LEAVES, 3)]
    return "\n".join([*lines, "second\tr.s.v\thub", *(f"near{i}\tr.s.t\tsmall" for i in range(150))])


@pytest.mark.slow
def test_a_hub_is_cut_in_the_one_order_and_its_pages_give_everything_once(make_store: MakeStore) -> None:
    store = make_store(hub_triples())
    hub, relation = Entity("hub"), Relation("r.s.t", Direction.REVERSE)
    expected = in_order([f"leaf{i:05d}" for i in range(HUB_LEAVES)], store)
    for limit in (1, 20, 5_000, HUB_LEAVES):
        cut = store.expand([hub], relation, limit)
        assert [triple.subject.mid for triple in cut.triples] == expected[:limit]
        assert cut.total == HUB_LEAVES

    seen: list[str] = []
    cursor: str | None = None
    for limit in itertools.cycle((1, 50, 777, 3_000)):
        page = store.page(hub, relation, limit, cursor)
        assert page.total == HUB_LEAVES
        seen += [triple.subject.mid for triple in page.triples]
        cursor = page.next
        if cursor is None:
            break
        assert len(page.triples) == limit
    assert seen == expected

    both = store.expand([hub, Entity("small")], relation, 400).triples
    near = in_order([f"near{i}" for i in range(150)], store)
    turns = [mid for pair in itertools.zip_longest(expected[:250], near) for mid in pair if mid]
    assert [triple.subject.mid for triple in both] == turns


def test_a_cursor_outlives_the_store_and_fits_no_other_version(make_store: MakeStore) -> None:
    triples = "\n".join(f"a\tr.s.t\tx{i}" for i in range(9))
    a, relation = Entity("a"), Relation("r.s.t")
    cursor = make_store(triples).page(a, relation, 4).next
    assert cursor is not None
    again = make_store(triples)
    assert [str(triple.object) for triple in again.page(a, relation, 9, cursor).triples] == [
        f"x{i}" for i in range(4, 9)
    ]
    other = make_store(triples + "\na\tr.s.t\tx9")
    with pytest.raises(CursorError, match="was replaced since"):
        other.page(a, relation, 4, cursor)
    for text in ("", "nonsense", "é", cursor[:-3], "MTIgMTI"):
        with pytest.raises(CursorError, match="Begin again"):
            other.page(a, relation, 4, text)


def test_pages_of_what_is_not_there(store: GraphStore) -> None:
    for entity, relation in ((DANIELS, Relation("no.such.relation")), (Entity("en.unknown"), NATIONALITY)):
        page = store.page(entity, relation, 10)
        assert (list(page.triples), page.total, page.next) == ([], 0, None)
    for limit in (0, -1):
        with pytest.raises(ValueError, match="at least one"):
            store.page(DANIELS, NATIONALITY, limit)
    whole = store.page(UNITED_STATES, NATIONALITY.inverse, 3)
    assert (len(whole.triples), whole.next) == (3, None)


def test_a_loop_is_on_its_page(make_store: MakeStore) -> None:
    store = make_store("a\tr.s.t\ta\na\tr.s.t\tb\n")
    for relation in (Relation("r.s.t"), Relation("r.s.t", Direction.REVERSE)):
        page = store.page(Entity("a"), relation, 1)
        assert (str(page.triples[0]), page.total) == ("a\tr.s.t\ta", 2 - relation.is_reverse)


def test_the_order_of_the_file_changes_nothing(make_store: MakeStore) -> None:
    lines = ['a\tr.s.t\t"2"', "b\tr.s.t\ta", "c\tr.s.t\ta", 'a\tr.s.t\t"1"', 'c\ttype.object.name\t"C"']
    stores = [make_store("\n".join(order)) for order in (lines, lines[::-1])]
    assert stores[0].info().version == stores[1].info().version


# Links


def test_links_name_the_relation_and_its_direction(store: GraphStore) -> None:
    links = store.links([KITT, MICHAEL], [DANIELS, Entity("en.michael_knight"), UNITED_STATES])
    assert set(links) == {
        Link(Relation("tv.regular_tv_appearance.actor"), DANIELS),
        Link(Relation("tv.regular_tv_appearance.character"), Entity("en.michael_knight")),
    }
    assert set(store.links([UNITED_STATES], [BEYONCE])) == {Link(NATIONALITY.inverse, BEYONCE)}
    assert not store.links([BEYONCE], [DANIELS])
    assert not store.links([], [DANIELS])
    assert not store.links([BEYONCE], [Entity("en.unknown")])


def test_links_from_and_to_hubs(make_store: MakeStore) -> None:
    lines = [f"e{i}\tr.s.t\thub" for i in range(300)] + [f"hub\tr.s.u\te{i}" for i in range(300)]
    store = make_store("\n".join([*lines, "e7\tr.s.t\tother"]))
    hub, other = Entity("hub"), Entity("other")
    few, many = [Entity("e1"), Entity("e2")], [Entity(f"e{i}") for i in range(300)]
    to_hub = {Link(Relation("r.s.t"), hub), Link(Relation("r.s.u").inverse, hub)}
    assert set(store.links(few, [hub])) == to_hub
    assert set(store.links(many, [hub, other])) == to_hub | {Link(Relation("r.s.t"), other)}
    assert not store.links(few, [other])
    assert set(store.links([hub], [Entity("e9")])) == {
        Link(Relation("r.s.u"), Entity("e9")),
        Link(Relation("r.s.t").inverse, Entity("e9")),
    }


# Cards and labels


def test_cards_tell_names_types_and_mediators(store: GraphStore) -> None:
    cards = store.cards([KNIGHT_RIDER, KITT, MICHAEL, UNITED_STATES, Entity("en.unknown")])
    assert set(cards) == {KNIGHT_RIDER, KITT, MICHAEL, UNITED_STATES}
    card = cards[KNIGHT_RIDER]
    assert (card.name, card.aliases) == ("Knight Rider", ("K.I.T.T. and Michael",))
    assert card.types == ("tv.tv_program", "common.topic")
    assert card.popularity == 10
    assert not card.is_mediator
    assert cards[UNITED_STATES].aliases == ("USA", "American")
    assert cards[KITT].is_mediator
    assert cards[KITT].name is None
    assert cards[MICHAEL].is_mediator


def test_types_are_read_off_relations_where_none_are_given(store: GraphStore) -> None:
    cards = store.cards([MICHAEL, DANIELS])
    assert cards[MICHAEL].types == ("tv.regular_tv_appearance",)
    assert cards[DANIELS].types == ("people.person", "tv.tv_actor")


def test_labels(store: GraphStore) -> None:
    terms = [KNIGHT_RIDER, KITT, Entity("en.unknown"), Number(90), Number(1.5), Date("1982-09"), Text("Hello", "en")]
    assert store.labels(terms) == {
        KNIGHT_RIDER: "Knight Rider",
        KITT: "m.kitt",
        Entity("en.unknown"): "en.unknown",
        Number(90): "90",
        Number(1.5): "1.5",
        Date("1982-09"): "1982-09",
        Text("Hello", "en"): "Hello",
    }


# Searching


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("kni", "en.knight_rider"),
        ("KNIGHT r", "en.knight_rider"),
        ("hassel", "en.david_hasselhoff"),
        ("david hasselhoff", "en.david_hasselhoff"),
        ("beyonce", "en.beyonce"),
        ("Béyoncé kn", "en.beyonce"),
        ("queen", "en.beyonce"),
        ("usa", "en.united_states"),
        ("k.i.t.t. and", "en.knight_rider"),
    ],
)
def test_search_as_you_type(store: GraphStore, typed: str, first: str) -> None:
    assert found(store.search(typed, 5))[0] == first


def test_search_tells_the_name_that_matched(store: GraphStore) -> None:
    assert [match.matched for match in store.search("american", 5)] == ["American"]
    assert [match.matched for match in store.search("united", 5)] == ["United States"]


def test_search_gives_the_best_known_first_and_each_once(make_store: MakeStore) -> None:
    lines = [f"e{n}\tr.s.t\tx{i}" for n in range(3) for i in range(n + 1)]
    lines += [f'e{n}\ttype.object.name\t"Jam number {n}"' for n in range(3)]
    lines += [f'e{n}\tcommon.topic.alias\t"Jammy jam {n}"' for n in range(3)]
    store = make_store("\n".join(lines))
    assert found(store.search("jam", 5)) == ["e2", "e1", "e0"]
    assert found(store.search("jam", 2)) == ["e2", "e1"]
    assert found(store.search("jam", 0)) == []


def test_search_puts_an_exact_name_before_the_best_known(make_store: MakeStore) -> None:
    store = make_store(
        'it\ttype.object.name\t"It"\nitaly\ttype.object.name\t"Italy"\nitaly\tr.s.t\ta\nitaly\tr.s.t\tb\n'
    )
    assert found(store.search("it", 5)) == ["it", "italy"]
    assert found(store.search("ita", 5)) == ["italy"]


@pytest.mark.parametrize("typed", ["", "   ", "?!", '"', "*", "zzz", "knight AND rider", "NEAR(knight)", "a:b"])
def test_search_for_what_is_not_there(store: GraphStore, typed: str) -> None:
    assert found(store.search(typed, 5)) == []


def test_named_compares_folded_names(store: GraphStore) -> None:
    named = store.named(["knight rider", "Beyonce Knowles", "KNIGHT-RIDER's", "Knight", "usa", "!", ""])
    assert {name: found(matches) for name, matches in named.items()} == {
        "knight rider": ["en.knight_rider"],
        "KNIGHT-RIDER's": ["en.knight_rider"],
        "Beyonce Knowles": ["en.beyonce"],
        "usa": ["en.united_states"],
    }
    assert named["usa"][0].matched == "USA"


def test_named_gives_namesakes_best_known_first(store: GraphStore) -> None:
    assert found(store.named(["william daniels"])["william daniels"]) == [
        "en.william_daniels",
        "en.william_daniels_painter",
    ]


def test_names_in_other_scripts(make_store: MakeStore) -> None:
    store = make_store(
        'm.1\ttype.object.name\t"東京"\nm.2\ttype.object.name\t"Москва"\nm.3\ttype.object.name\t"हिन्दी"\n'
        'm.4\ttype.object.name\t"!!!"\nm.5\ttype.object.name\t"Łódź"\n'
    )
    assert found(store.search("東", 5)) == ["m.1"]
    assert found(store.search("моск", 5)) == ["m.2"]
    assert found(store.search("हिन्", 5)) == ["m.3"]
    assert found(store.named(["!!!"])["!!!"]) == ["m.4"]
    assert found(store.search("lod", 5)) == ["m.5"]


def test_names_of_any_length_and_direction_are_kept_as_they_are(make_store: MakeStore) -> None:
    names = {
        "m.long": "Long " * 2_000 + "end",
        "m.word": "w" * 10_000,
        "m.rtl": "\u202eevil\u202c exe",
        "m.zero": "in\u200bvisible",
        "m.marks": "a\u0300" * 5_000,
        "m.astral": "\U0001f600 smile",
    }
    lines = "".join(f'{mid}\ttype.object.name\t"{name}"\n' for mid, name in names.items())
    store = make_store(lines + "".join(f"{mid}\tr.s.t\tm.other\n" for mid in names))
    cards = store.cards([Entity(mid) for mid in names])
    assert {entity.mid: card.name for entity, card in cards.items()} == names
    assert found(store.named(names.values())[names["m.word"]]) == ["m.word"]
    assert found(store.search("smile", 5)) == ["m.astral"]
    assert not store.similar({names["m.word"], "w" * 50, "x " * 500})


# Parts of names, and names that are misspelt


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("Hasselhoff", ["David Hasselhoff"]),
        ("knight", ["Knight Rider", "Michael Knight"]),
        ("william", ["William Daniels", "William Daniels"]),
        ("kitt", []),
        ("k.t.t.", ["K.I.T.T. and Michael"]),
        ("rider knight", []),
        ("knight rider", []),
        ("hassel", []),
        ("!!!", []),
        ("", []),
    ],
)
def test_names_that_hold_a_part(store: GraphStore, part: str, names: list[str]) -> None:
    assert [match.matched for match in store.containing([part], 5).get(part, ())] == names


def test_a_part_may_leave_out_what_stands_between(make_store: MakeStore) -> None:
    lines = [f'e{n}\ttype.object.name\t"Ann {middle} Lee"' for n, middle in enumerate(["B.", "C. D.", "'E'"])]
    lines += [f"e{n}\tr.s.t\tx{i}" for n in range(3) for i in range(n + 1)]
    store = make_store("\n".join([*lines, 'e2\tcommon.topic.alias\t"Little Ann Lee"']))
    part = "ann lee"
    assert found(store.containing([part], 5)[part]) == ["e2", "e1", "e0"]
    assert found(store.containing([part, "lee ann"], 2)[part]) == ["e2", "e1"]
    assert store.containing(["lee ann"], 5) == {}
    assert store.containing([part], 0) == {}
    assert found(store.containing(["!!!", "", "zzz", part], 5)[part]) == ["e2", "e1", "e0"]
    assert store.containing([], 5) == {}


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("Knigth Rider", ["Knight Rider"]),
        ("night rider", ["Knight Rider"]),
        ("knight ryder", ["Knight Rider"]),
        ("wiliam daniels", ["William Daniels", "William Daniels"]),
        ("david haselhof", ["David Hasselhoff"]),
        ("kngiht ridr", ["Knight Rider"]),
        ("kningt rider", ["Knight Rider"]),
        ("kngiht ridr s", []),
        ("kniht ridrr x", []),
        ("wiliam danils", ["William Daniels", "William Daniels"]),
        ("wilam danils", []),
        ("davd hasslhoff", ["David Hasselhoff"]),
        ("nigth rider", []),
        ("knight rider", []),
        # Both words are some name's, and no name has both.
        ("glen knigth", []),
        ("kittt", ["KITT"]),
        ("kit", []),
        ("usaa", ["USA"]),
        ("us", []),
        ("", []),
        ("?!", []),
    ],
)
def test_names_that_are_spelt_nearly_so(store: GraphStore, typed: str, names: list[str]) -> None:
    assert [match.matched for match in store.similar([typed]).get(typed, ())] == names


def test_of_names_spelt_alike_the_best_known_comes_first(make_store: MakeStore) -> None:
    lines = [f'{mid}\ttype.object.name\t"{name}"' for mid, name in (("a", "Malley"), ("b", "Malfoy"), ("c", "Malloy"))]
    store = make_store("\n".join([*lines, "b\tr.s.t\tx", "b\tr.s.t\ty"]))
    assert {name: found(matches) for name, matches in store.similar(["malloy", "zzzz"]).items()} == {
        "malloy": ["b", "a"]
    }


# Sharing and closing


def test_threads_may_share_a_store(store: GraphStore) -> None:
    alone = (store.relations([KNIGHT_RIDER]), store.expand([UNITED_STATES], NATIONALITY.inverse, 9))
    together: list[object] = []
    start = threading.Barrier(8)

    def read() -> None:
        start.wait()
        together.extend(
            (store.relations([KNIGHT_RIDER]), store.expand([UNITED_STATES], NATIONALITY.inverse, 9)) for _ in range(20)
        )

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(together) == 160
    assert all(seen == alone for seen in together)


def test_a_closed_store_says_so(make_store: MakeStore) -> None:
    store = make_store("a\tr.s.t\tb\n")
    store.close()
    with pytest.raises(GraphStoreError, match="closed"):
        store.relations([Entity("a")])
    store.close()


def test_predicates_may_be_any_text(make_store: MakeStore) -> None:
    names = [
        "It's a `strange` one",
        "a`]-() MATCH (n) DETACH DELETE n //",
        "back\\slash \\u0060",
        "100%41",
        "a.b.c|d.e.f",
        "näme",
        "x" * 300,
    ]
    store = make_store("\n".join(f"a\t{name}\tb" for name in names))
    assert [str(count.relation) for count in store.relations([Entity("a")])] == sorted(names)
    for name in names:
        for asked, way in (("a", Direction.FORWARD), ("b", Direction.REVERSE)):
            (triple,) = store.expand([Entity(asked)], Relation(name, way), 9).triples
            assert str(triple) == f"a\t{name}\tb"
    assert {str(link.relation) for link in store.links([Entity("a")], [Entity("b")])} == set(names)


def test_ids_may_be_any_text(make_store: MakeStore) -> None:
    ids = ["It's a \\ strange; one", "100% & more", "naïve—", "m.1'); DROP TABLE terms;--", "name with  spaces", "[1]"]
    store = make_store("\n".join(f"{mid}\tr.s.t\t{mid}" for mid in ids))
    for mid in ids:
        assert [str(t) for t in store.expand([Entity(mid)], Relation("r.s.t"), 9).triples] == [f"{mid}\tr.s.t\t{mid}"]


# Types as entities

CHEESES = (
    'feta\ttype.object.type\tfood.cheese\nfeta\ttype.object.name\t"Feta"@en\n'
    "comte\ttype.object.type\tfood.cheese\ncomte\ttype.object.type\tcommon.topic\n"
    'edam\ttype.object.type\tfood.cheese\nedam\tfood.food.origin\tnl\nedam\tfood.food.aged\t"3"^^xsd:integer\n'
    "comte\tfood.food.origin\tfr\nnl\ttype.object.type\tlocation.country\nfr\ttype.object.type\tlocation.country\n"
)
CHEESE, COUNTRY = Entity("food.cheese"), Entity("location.country")


def test_types_are_entities_that_lead_to_their_instances(make_store: MakeStore) -> None:
    store = make_store(CHEESES)
    assert store.types() == {CHEESE: 3, COUNTRY: 2}
    card = store.cards([CHEESE, Entity("feta")])[CHEESE]
    assert (card.name, card.types, card.popularity) == ("cheese", ("type.type",), 3)
    assert store.labels([CHEESE, Entity("feta")]) == {CHEESE: "cheese", Entity("feta"): "Feta"}
    [relation] = store.relations([CHEESE])
    assert (str(relation.relation), relation.entities, relation.triples) == ("^type.object.type", 1, 3)
    assert relation.kind is TermKind.ENTITY
    assert store.relations_each([CHEESE, Entity("comte")])[CHEESE] == [relation]
    both = counts(store, "food.cheese", "location.country", "comte")
    assert both == {"^type.object.type": (2, 5), "food.food.origin": (1, 1)}


def test_instances_come_best_known_first_all_at_once_or_in_pages(make_store: MakeStore) -> None:
    store = make_store(CHEESES)
    instances = Relation("type.object.type", Direction.REVERSE)
    expansion = store.expand([CHEESE], instances, 9)
    assert [triple.subject.mid for triple in expansion.triples] == ["edam", "comte", "feta"]
    assert {(triple.predicate, triple.object) for triple in expansion.triples} == {("type.object.type", CHEESE)}
    assert (len(store.expand([CHEESE], instances, 2).triples), store.expand([CHEESE], instances, 2).total) == (2, 3)
    assert store.expand([Entity("feta")], instances, 9).triples == []
    first = store.page(CHEESE, instances, 2)
    rest = store.page(CHEESE, instances, 2, first.next)
    assert [*first.triples, *rest.triples] == list(expansion.triples)
    assert (first.total, rest.next) == (3, None)


def test_a_type_links_to_its_instances_alone(make_store: MakeStore) -> None:
    store = make_store(CHEESES)
    targets = [Entity("feta"), Entity("nl")]
    assert store.links([CHEESE], targets) == {Link(Relation("type.object.type", Direction.REVERSE), Entity("feta"))}
    assert store.links([CHEESE, Entity("edam")], targets) == {
        Link(Relation("type.object.type", Direction.REVERSE), Entity("feta")),
        Link(Relation("food.food.origin"), Entity("nl")),
    }


def test_a_type_that_is_a_node_keeps_what_it_has(make_store: MakeStore) -> None:
    store = make_store(CHEESES + 'food.cheese\ttype.object.name\t"Käse"@en\nfood.cheese\tmade.of\tmilk\n')
    card = store.cards([CHEESE])[CHEESE]
    assert (card.name, card.popularity) == ("Käse", 4)
    assert counts(store, "food.cheese") == {"^type.object.type": (1, 3), "made.of": (1, 1)}


def test_a_type_with_many_instances_gives_all_of_them_in_order(make_store: MakeStore) -> None:
    count = 1_203
    store = make_store("".join(f"thing{i:04}\ttype.object.type\tbig.thing\n" for i in range(count)) + "a\tb.c.d\te\n")
    instances = Relation("type.object.type", Direction.REVERSE)
    found = [triple.subject.mid for triple in store.expand([Entity("big.thing")], instances, 5_000).triples]
    assert found == [f"thing{i:04}" for i in range(count)]
    cursor, read = None, []
    while True:
        page = store.page(Entity("big.thing"), instances, 500, cursor)
        read += [triple.subject.mid for triple in page.triples]
        if (cursor := page.next) is None:
            break
    assert read == found
