"""The candidates of a reader of whole paths, compared with a plain walk over small random graphs."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, TermKind
from reasoning.facts import relation_paths as module
from reasoning.facts.relation_paths import MAX_RELATIONS, MAX_STEPS, relation_paths
from tests.reasoning.random_graphs import random_triples, sqlite_store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from kgstore.terms import Term
    from reasoning.facts.relation_paths import RelationPath

TOPIC = Entity("m.a")


def unranked(paths: Sequence[RelationPath]) -> list[float]:
    return [0.0] * len(paths)


def ends_of(store: GraphStore, topic: Entity, path: RelationPath) -> set[Term]:
    reached: set[Term] = {topic}
    for relation in path:
        entities = [term for term in reached if isinstance(term, Entity)]
        triples = store.expand(entities, relation, 10_000).triples
        reached = {triple.subject if relation.is_reverse else triple.object for triple in triples}
    return reached


def walked(store: GraphStore, topic: Entity) -> set[RelationPath]:
    """Every path that may be a candidate, by its definition."""
    found: set[RelationPath] = set()
    level: list[tuple[RelationPath, int]] = [((), 0)]
    while level:
        further: list[tuple[RelationPath, int]] = []
        for path, steps in level:
            entities = [term for term in ends_of(store, topic, path) if isinstance(term, Entity)]
            for option in store.relations(entities):
                longer = (*path, option.relation)
                if ends_of(store, topic, longer) == {topic} and path:
                    continue
                if option.kind is not TermKind.MEDIATOR:
                    found.add(longer)
                taken = steps + (option.kind is not TermKind.MEDIATOR)
                leads_on = option.kind in {TermKind.ENTITY, TermKind.MEDIATOR} and len(longer) < MAX_RELATIONS
                if leads_on and taken < MAX_STEPS:
                    further.append((longer, taken))
        level = further
    return found


@pytest.mark.parametrize("seed", range(25))
def test_every_path_of_three_steps_is_a_candidate_and_nothing_else(seed: int, tmp_path: Path) -> None:
    store = sqlite_store(random_triples(random.Random(seed)), tmp_path)
    found = relation_paths(store, TOPIC, unranked)
    assert set(found.paths) == walked(store, TOPIC)
    assert found.extended == found.extensible
    store.close()


@pytest.mark.parametrize("seed", range(5))
def test_what_stands_at_the_end_is_told(seed: int, tmp_path: Path) -> None:
    store = sqlite_store(random_triples(random.Random(seed)), tmp_path)
    found = relation_paths(store, TOPIC, unranked)
    for path, end in zip(found.paths, found.ends(store, found.paths), strict=True):
        reached = ends_of(store, TOPIC, path)
        assert end.kind is found.kinds[path]
        assert set(end.names) <= {store.labels([term])[term] for term in reached}
        assert end.names
    store.close()


def test_only_the_paths_most_like_the_question_are_extended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EXTENDED", 1)
    triples = [("m.a", "a.b.first", "m.x"), ("m.a", "a.b.second", "m.y")]
    triples += [("m.x", "a.b.of_x", "m.z"), ("m.y", "a.b.of_y", "m.z")]
    store = sqlite_store([(*triple,) for triple in triples], tmp_path)

    def second_first(paths: Sequence[RelationPath]) -> list[float]:
        return [float(path[-1].predicate == "a.b.second") for path in paths]

    found = relation_paths(store, TOPIC, second_first)
    names = [[relation.predicate for relation in path] for path in found.paths]
    assert ["a.b.second", "a.b.of_y"] in names
    assert ["a.b.first", "a.b.of_x"] not in names
    assert found.extended < found.extensible
    store.close()
