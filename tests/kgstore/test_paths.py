"""Shortest paths and common neighbours, compared with an exhaustive search."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgstore.exploring.common_neighbours import common_neighbours
from kgstore.exploring.paths import Ending, shortest_paths
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from kgstore.terms import Entity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgstore.exploring.explorable import ExplorableStore
    from kgstore.exploring.paths import Step
    from kgstore.library import GraphLibrary
    from tests.kgstore.conftest import MakeStore

Fact = tuple[str, str, str]
ENTITIES = "abcdefgh"
PREDICATES = ("r.s.t", "r.s.u", "tv.tv_program.regular_cast", "tv.regular_tv_appearance.series", "type.object.key")
OBJECTS = (*ENTITIES, '"1"^^xsd:integer', '"x"@en')
FACTS = st.lists(
    st.tuples(st.sampled_from(ENTITIES), st.sampled_from(PREDICATES), st.sampled_from(OBJECTS)), min_size=1, max_size=24
)


def entities_of(path: Sequence[Step], source: str) -> list[str]:
    """The entities of a path; fails where its facts do not follow one another."""
    passed = [source]
    for step in path:
        ends = [str(step.triple.subject), str(step.triple.object)]
        near, far = reversed(ends) if step.is_reverse else ends
        assert near == passed[-1]
        passed.append(far)
    return passed


def plain_paths(facts: Iterable[Fact], source: str, target: str, longest: int) -> set[str]:
    """All shortest paths as the entities on them, by looking at everything."""
    joined = {(s, o) for s, p, o in facts if p != "type.object.key" and not o.startswith('"')}
    joined |= {(o, s) for s, o in joined}
    walks = [source]
    for _ in range(longest):
        walks = [walk + far for walk in walks for near, far in joined if near == walk[-1] and far not in walk]
        if found := {walk for walk in walks if walk[-1] == target}:
            return found
    return set()


def load(library: GraphLibrary, facts: Sequence[Fact]) -> ExplorableStore:
    # Every entity is there, whatever the facts are.
    named = [(each, "type.object.name", f'"{each}"@en') for each in ENTITIES]
    library.load(GraphToLoad([*facts, *named], "drawn", "Drawn", "drawn by chance"))
    return library.open("drawn")


def check(store: ExplorableStore, facts: Sequence[Fact], most: int) -> None:
    for source, target, longest in itertools.product("ab", "bc", (1, 3, 6)):
        expected = plain_paths(facts, source, target, longest)
        shown = shortest_paths(store, Entity(source), Entity(target), longest=longest, limit=1_000, most=most)
        assert shown.looked_at <= most
        found = ["".join(entities_of(path, source)) for path in shown.paths]
        assert len(found) == len(set(found))
        if source == target:
            assert (found, shown.ending) == ([], Ending.ONE_ENTITY)
        elif shown.is_complete:
            assert set(found) == expected
            assert (shown.ending is Ending.FOUND) == bool(expected)
            if shown.ending is Ending.UNLINKED:
                assert not plain_paths(facts, source, target, len(ENTITIES))
        else:
            assert shown.ending in (Ending.FOUND, Ending.STOPPED)
            assert all(walk[0] == source and walk[-1] == target and len(walk) <= longest + 1 for walk in found)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> SqliteLibrary:
    return SqliteLibrary(tmp_path_factory.mktemp("drawn"))


@pytest.mark.slow
@settings(max_examples=60)
@given(facts=FACTS, most=st.sampled_from([10_000, 10_000, 30, 6]))
def test_shortest_paths_are_those_of_a_search_that_looks_at_everything(
    files: SqliteLibrary, facts: list[Fact], most: int
) -> None:
    store = load(files, facts)
    assert most < 10_000 or shortest_paths(store, Entity("a"), Entity("b"), longest=9, limit=1).is_complete
    check(store, facts, most)


@pytest.mark.slow
@settings(max_examples=60)
@given(facts=FACTS)
def test_common_neighbours_are_those_of_a_search_that_looks_at_everything(
    files: SqliteLibrary, facts: list[Fact]
) -> None:
    store = load(files, facts)
    joined = {frozenset((s, o)) for s, p, o in facts if p != "type.object.key" and not o.startswith('"')}
    expected = {each for each in ENTITIES[2:] if {frozenset(("a", each)), frozenset(("b", each))} <= joined}
    for one, other in ("ab", "ba"):
        shown = common_neighbours(store, Entity(one), Entity(other), limit=99)
        assert shown.is_complete
        assert {each.entity.mid for each in shown.neighbours} == expected
        assert shown.found == len(expected)
        for each in shown.neighbours:
            for end, facts_of in ((one, each.with_one), (other, each.with_other)):
                ends = {frozenset((str(fact.subject), str(fact.object))) for fact in facts_of}
                assert ends == {frozenset((end, each.entity.mid))}


def test_paths_are_the_same_in_every_store(library: GraphLibrary) -> None:
    chosen = random.Random(7)
    for size in (6, 14, 24):
        facts = [(chosen.choice(ENTITIES), chosen.choice(PREDICATES), chosen.choice(OBJECTS)) for _ in range(size)]
        store = load(library, facts)
        check(store, facts, 10_000)
        check(store, facts, 12)


def test_a_path_goes_through_hubs_without_reading_them(make_store: MakeStore) -> None:
    lines = [f"p{i}\tr.s.nationality\tcountry" for i in range(3_000)]
    store = make_store("\n".join([*lines, "p1\tr.s.knows\tx", "x\tr.s.knows\tp2"]))
    short = shortest_paths(store, Entity("p1"), Entity("p2"), longest=4, limit=10, most=100)
    # The less known entity first.
    assert [entities_of(path, "p1") for path in short.paths] == [["p1", "x", "p2"], ["p1", "country", "p2"]]
    assert short.is_complete
    assert short.looked_at < 20
    assert [step.relation.is_reverse for step in short.paths[1]] == [False, True]
    one = shortest_paths(store, Entity("p1"), Entity("p2"), longest=4, limit=1, most=100)
    assert one.paths == short.paths[:1]


def test_where_too_much_would_be_looked_at_the_search_stops_and_says_so(make_store: MakeStore) -> None:
    lines = [f"p{i}\tr.s.in\tone" for i in range(300)] + [f"p{i}\tr.s.of\ttwo" for i in range(299, 600)]
    store = make_store("\n".join([*lines, "alone\tr.s.in\tnothing"]))
    stopped = shortest_paths(store, Entity("p1"), Entity("p599"), longest=6, limit=10, most=50)
    assert (list(stopped.paths), stopped.ending, stopped.is_complete) == ([], Ending.STOPPED, False)
    assert stopped.looked_at <= 50
    whole = shortest_paths(store, Entity("p1"), Entity("p599"), longest=6, limit=10, most=5_000)
    assert [entities_of(path, "p1") for path in whole.paths] == [["p1", "one", "p299", "two", "p599"]]
    far = shortest_paths(store, Entity("p1"), Entity("p599"), longest=3, limit=10, most=5_000)
    assert (list(far.paths), far.ending) == ([], Ending.TOO_FAR)
    unlinked = shortest_paths(store, Entity("alone"), Entity("p599"), longest=6, limit=10, most=5_000)
    assert (list(unlinked.paths), unlinked.ending) == ([], Ending.UNLINKED)


def test_of_two_hubs_only_a_part_is_compared_and_that_is_said(make_store: MakeStore) -> None:
    lines = [f"e{i}\tr.s.in\t{hub}" for hub in ("one", "two") for i in range(400)]
    store = make_store("\n".join([*lines, "one\tr.s.capital\tx", "two\tr.s.near\tx"]))
    whole = common_neighbours(store, Entity("one"), Entity("two"), limit=5)
    assert (len(whole.neighbours), whole.found, whole.is_complete) == (5, 401, True)
    part = common_neighbours(store, Entity("one"), Entity("two"), limit=5, most=100)
    assert not part.is_complete
    assert "x" in {each.entity.mid for each in part.neighbours} or part.found <= 100
