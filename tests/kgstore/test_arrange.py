"""From triples as texts to the columns that every store is written from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.freebase.knowledge import load_knowledge
from kgstore.loading.arrange import ArrangedGraph, Node, RawGraph, arrange
from kgstore.loading.edges import Edges
from kgstore.loading.errors import NoTriplesError

NAME, TYPE = "type.object.name", "type.object.type"


def arranged(
    *triples: tuple[str, str, str], names: list[tuple[str, str]] | None = None, names_from_ids: bool = False
) -> ArrangedGraph:
    raw = RawGraph(triples, lambda _: None)
    return arrange(raw, names or [], load_knowledge(), names_from_ids=names_from_ids)


def nodes(graph: ArrangedGraph) -> dict[str, Node]:
    return {node.mid: node for node in graph.nodes}


def distinct(triples: list[tuple[int, int, int]]) -> list[tuple[int, ...]]:
    columns = np.array(triples, np.int64).reshape(-1, 3).T
    edges = Edges.distinct(*columns)
    return list(zip(edges.subject.tolist(), edges.predicate.tolist(), edges.object.tolist(), strict=True))


# Small numbers make one key of three; with the large ones that key would not fit into 64 bits.
NUMBER = st.integers(0, 3) | st.sampled_from([2**20, 2**31, 2**40, 2**62])


@given(st.lists(st.tuples(NUMBER, NUMBER, NUMBER), max_size=12))
def test_distinct_triples_are_in_order_however_large_their_numbers(triples: list[tuple[int, int, int]]) -> None:
    assert distinct(triples) == sorted(set(triples))


@pytest.mark.parametrize("subject", [2**31 - 1, 2**31, 2**31 + 1])
def test_a_key_that_just_fits_and_one_that_just_does_not(subject: int) -> None:
    triples = [(subject, 0, 2**32 - 1), (0, 0, 0), (subject, 0, 2**32 - 1), (subject - 1, 0, 5), (subject, 0, 0)]
    assert distinct(triples) == sorted(set(triples))


def test_triples_that_differ_in_one_place_are_different_however_large_their_numbers() -> None:
    huge = 2**62
    triples = [(huge, huge, huge), (huge, huge, 1), (huge, 1, huge), (1, huge, huge), (huge, huge, huge)]
    assert distinct(triples) == sorted(set(triples))


def test_no_triples_are_refused() -> None:
    with pytest.raises(NoTriplesError, match=r"^There are no triples to load\.$"):
        RawGraph([], lambda _: None)


def test_ids_name_nothing_unless_that_is_asked_for() -> None:
    raw = RawGraph([("Ada_Byron", "knows", "Mary")], lambda _: None)
    assert [node.name for node in arrange(raw, [], load_knowledge()).nodes] == [None, None]


def test_ids_name_what_has_no_name_and_stands_in_a_triple() -> None:
    graph = arranged(
        ("Ada_Byron", "knows", "A"),
        ("A", "knows", '""'),
        ("A", "knows", '"Ada"'),
        ("m.1", NAME, '"Charles"'),
        ("m.1", "knows", "Ada_Byron"),
        names_from_ids=True,
    )
    named = {mid: (node.name, list(node.aliases)) for mid, node in nodes(graph).items()}
    assert named == {"Ada_Byron": ("Ada Byron", []), "A": ("A", []), "m.1": ("Charles", [])}
    assert set(graph.literals) == {'""', '"Ada"'}


def test_a_literal_is_no_name_from_an_id_so_that_without_names_nothing_is_a_mediator() -> None:
    graph = arranged(("m.1", "r.s.t", "m.2"), ("m.2", "r.s.t", "m.3"), ("m.3", "r.s.u", '"Ada"'), names_from_ids=True)
    assert [(node.name, node.is_mediator) for node in graph.nodes] == [(None, False)] * 3


@pytest.mark.parametrize("in_triples", ['"Adah"@en', '"Adah"', '"Adah"@de'])
def test_a_names_file_comes_before_names_in_the_triples(in_triples: str) -> None:
    graph = arranged(
        ("m.1", "type.object.name", in_triples),
        ("m.1", "r.s.t", "m.2"),
        names=[("m.1", "Ada"), ("m.1", "Countess"), ("m.2", "Bea"), ("m.1", "Ada")],
    )
    (ada,) = (node for node in graph.nodes if node.mid == "m.1")
    assert ada.name == "Ada"
    assert set(ada.aliases) == ({"Countess"} if in_triples.endswith("@de") else {"Adah", "Countess"})


def test_names_for_what_only_a_name_or_a_type_speaks_of_and_for_relations_are_used_and_all_others_are_counted() -> None:
    graph = arranged(
        ("a", "knows", "b"),
        ("named", NAME, '"First"'),
        ("typed", TYPE, "people.person"),
        names=[("a", "Ada"), ("named", "Second"), ("typed", "Tim"), ("knows", "k"), ("people.person", "p"), ("x", "X")],
    )
    named = {mid: (node.name, list(node.aliases)) for mid, node in nodes(graph).items()}
    assert named == {"a": ("Ada", []), "b": (None, []), "named": ("Second", ["First"]), "typed": ("Tim", [])}
    assert [predicate.label for predicate in graph.predicates] == ["k"]
    assert graph.names_unused == 2


def test_entities_are_in_the_order_best_known_then_named_then_by_id_and_literals_follow() -> None:
    graph = arranged(
        ("c", "knows", "b"), ("c", "knows", "a"), ("c", "age", '"2"'), ("a", "age", '"1"'), ("b", "age", '"2"'),
        names=[("b", "Bea")],
    )  # fmt: skip
    assert [node.mid for node in graph.nodes] == ["c", "b", "a"]
    assert [node.popularity for node in graph.nodes] == [3, 2, 2]
    assert graph.literals == ['"1"', '"2"']
    assert [predicate.name for predicate in graph.predicates] == ["age", "knows"]
    ends = zip(graph.edges.subject.tolist(), graph.edges.predicate.tolist(), graph.edges.object.tolist(), strict=True)
    assert list(ends) == [(1, 0, 5), (1, 1, 2), (1, 1, 3), (2, 0, 5), (3, 0, 4)]


def test_at_most_three_types_are_read_off_the_relations_the_most_frequent_first() -> None:
    graph = arranged(
        ("m.1", "film.actor.film", "m.2"),
        ("m.1", "people.person.parents", "m.3"),
        ("m.1", "people.person.gender", "m.4"),
        ("m.1", "music.artist.album", "m.5"),
        ("m.1", "book.author.works_written", "m.6"),
        ("m.7", TYPE, "sports.pro_athlete"),
        ("m.7", "people.person.gender", "m.4"),
    )
    types = nodes(graph)["m.1"].types
    assert len(types) == 3
    assert types[0] == "people.person"
    assert set(types) < {"people.person", "film.actor", "music.artist", "book.author"}
    assert nodes(graph)["m.7"].types == ["sports.pro_athlete"]


def test_mediators_are_of_a_mediator_type_or_nameless_links_or_blank_nodes() -> None:
    performance = min(load_knowledge().mediator_types)
    graph = arranged(
        ("m.named", NAME, '"An actor"'),
        ("m.cvt", NAME, '"Has a name all the same"'),
        ("m.cvt", TYPE, performance),
        ("m.named", "r.s.t", "m.link"),
        ("m.link", "r.s.t", "m.end"),
        ("m.named", "r.s.t", "m.cvt"),
        ("m.named", "r.s.t", "_:leaf"),
        ("m.named", "r.s.t", "_:called"),
        ("_:called", NAME, '"Called"'),
    )
    mediators = {node.mid for node in graph.nodes if node.is_mediator}
    assert mediators == {"m.cvt", "m.link", "_:leaf"}


def facts(graph: ArrangedGraph) -> set[tuple[str, str, str]]:
    """The edges of a graph without literals, in words."""
    mid, name = [node.mid for node in graph.nodes], [predicate.name for predicate in graph.predicates]
    ends = zip(graph.edges.subject.tolist(), graph.edges.predicate.tolist(), graph.edges.object.tolist(), strict=True)
    return {(mid[subject - 1], name[predicate], mid[obj - 1]) for subject, predicate, obj in ends}


def test_what_a_relation_says_its_reverse_says_too_where_a_graph_has_both() -> None:
    given = {
        ("m.emma", "book.written_work.author", "m.austen"),
        ("m.austen", "book.author.works_written", "m.persuasion"),
        ("m.emma", "book.book.genre", "m.novel"),
    }
    graph = arranged(*given)
    assert facts(graph) == given | {
        ("m.persuasion", "book.written_work.author", "m.austen"),
        ("m.austen", "book.author.works_written", "m.emma"),
    }
    assert (graph.triples, graph.completed) == (3, 2)
    # What an entity has is counted with them; how well known it is, by what was given.
    assert {node.mid: node.popularity for node in graph.nodes} == {
        "m.emma": 2,
        "m.austen": 2,
        "m.persuasion": 1,
        "m.novel": 1,
    }
    assert arranged(*facts(graph)).completed == 0


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({("m.emma", "book.written_work.author", "m.austen")}, id="one of the two alone"),
        pytest.param(
            {
                ("Emma", "book.written_work.author", "Austen"),
                ("Austen", "book.author.works_written", "Persuasion"),
            },
            id="ids that are names",
        ),
        pytest.param(
            {
                ("m.ada", "people.person.spouse_s", "m.marriage"),
                ("m.marriage", "people.marriage.spouse", "m.william"),
                ("m.ada", NAME, '"Ada"'),
                ("m.william", NAME, '"William"'),
            },
            id="mediators",
        ),
    ],
)
def test_elsewhere_nothing_is_added(given: set[tuple[str, str, str]]) -> None:
    graph = arranged(*given)
    assert graph.completed == 0
    assert facts(graph) == {fact for fact in given if fact[1] != NAME}
