"""What a graph is said to tell most of, and whom people are offered to ask about."""

from __future__ import annotations

from kgstore.commonest import CommonPredicate
from kgstore.freebase.knowledge import load_knowledge
from kgstore.loading.arrange import RawGraph, arrange
from kgstore.loading.commonest import KEPT, commonest_predicates
from kgstore.terms import Entity, TermKind

NAMES = [("m.ann", "Ann"), ("m.ben", "Ben"), ("m.cat", "Cat"), ("m.film", "A Film"), ("m.town", "Town")]


def commonest(*triples: tuple[str, str, str]) -> tuple[CommonPredicate, ...]:
    return commonest_predicates(arrange(RawGraph(triples, lambda _: None), NAMES, load_knowledge()))


def test_a_predicate_is_reported_with_the_best_known_things_that_it_joins() -> None:
    shown = commonest(
        ("m.film", "r.s.cast", "m.ann"),
        ("m.film", "r.s.cast", "m.ben"),
        ("m.town", "r.s.cast", "m.ben"),
        ("m.cat", "r.s.home", "m.ben"),
        ("m.cat", "r.s.home", "m.film"),
        ("m.film", "r.s.year", '"1982"^^xsd:gYear'),
    )
    assert shown == (
        CommonPredicate("r.s.cast", 3, Entity("m.film"), Entity("m.ben"), TermKind.ENTITY, TermKind.ENTITY),
        CommonPredicate("r.s.home", 2, Entity("m.cat"), Entity("m.film"), TermKind.ENTITY, TermKind.ENTITY),
        CommonPredicate("r.s.year", 1, Entity("m.film"), None, TermKind.ENTITY, TermKind.DATE),
    )


def test_nobody_asks_about_what_has_no_name_nor_about_a_mediator() -> None:
    text = commonest(
        ("m.nameless", "r.s.cast", "m.nameless.too"),
        ("m.nameless", "r.s.cast", "m.cat"),
        ("m.ann", "r.s.cast", "m.nameless"),
        ("m.ann", "r.s.part", "_:part"),
        ("_:part", "r.s.part_of", "m.film"),
        ("_:part", "r.s.part_of", "m.town"),
        ("m.ann", "r.s.award", "m.leaf"),
        ("m.ben", "r.s.award", "m.leaf"),
        ("m.film", "r.s.award", "m.leaf"),
        ("m.ben", "r.s.award", "m.cat"),
    )
    joined = {each.predicate: (each.subject, each.object) for each in text}
    assert joined == {
        "r.s.award": (Entity("m.ann"), Entity("m.cat")),
        "r.s.cast": (Entity("m.ann"), Entity("m.cat")),
        "r.s.part": (Entity("m.ann"), None),
        "r.s.part_of": (None, Entity("m.film")),
    }


def test_of_many_predicates_the_commonest_are_kept_the_first_by_name_where_they_are_as_common() -> None:
    many = [("m.ann", f"r.s.p{number:02}", "m.ben") for number in range(KEPT + 3)]
    shown = [each.predicate for each in commonest(*many, ("m.ann", "r.s.p32", "m.cat"), ("m.ann", "r.s.p07", "m.cat"))]
    rest = [predicate for _, predicate, _ in many if predicate not in ("r.s.p07", "r.s.p32")]
    assert shown == ["r.s.p07", "r.s.p32", *rest[: KEPT - 2]]


def test_what_people_are_not_offered_is_not_reported() -> None:
    shown = commonest(("m.ann", "type.object.key", "m.ben"), ("m.ann", "r.s.t", "m.ben"))
    assert [each.predicate for each in shown] == ["r.s.t"]
