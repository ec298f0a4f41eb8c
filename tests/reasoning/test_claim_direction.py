"""A yes-no question about a relation between things of one kind says its direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from reasoning import events
from reasoning.engine.engine import answer
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore

FACTS = [
    ("anna", "work.employee.manager", "carla"),
    ("anna", "work.employee.teaches", "carla"),
    ("anna", "work.employee.hired_by", "carla"),
    ("dora", "work.employee.part_of", "carla"),
    ("anna", "work.employee.friend", "carla"),
    ("carla", "work.employee.lives_near", "dora"),
    ("dora", "work.employee.manager", "anna"),
    ("anna", "work.employee.children", "dora"),
    ("dora", "work.employee.hometown", "ulm"),
]
NAMES = {"anna": "Anna Berg", "carla": "Carla Rossi", "dora": "Dora Novak", "ulm": "Ulm"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    path = tmp_path_factory.mktemp("direction") / "g.sqlite"
    triples = [*FACTS, ("ulm", "type.object.type", "location.citytown")]
    triples += [(who, "type.object.type", "work.employee") for who in ("anna", "carla", "dora")]
    triples += [(mid, "type.object.name", f'"{name}"@en') for mid, name in NAMES.items()]
    load_graph(triples, path, name="g", title="G", source="drawn by hand")
    store = SqliteStore(path)
    yield store
    store.close()


def asked(store: GraphStore, question: str, relation: str) -> events.Finished:
    wishes = (f"0 work.employee.{relation}", f"0 ^work.employee.{relation}", "answer 1")
    *_, last = answer(question, store, RuleScorer(wishes))
    assert isinstance(last, events.Finished)
    return last


@pytest.mark.parametrize(
    ("question", "relation"),
    [
        ("Is Carla Rossi Anna Berg's manager?", "manager"),
        ("Is Carla Rossi the manager of Anna Berg?", "manager"),
        ("Is Anna Berg's manager Carla Rossi?", "manager"),
        ("Does Carla Rossi manage Anna Berg?", "manager"),
        ("Is Anna Berg managed by Carla Rossi?", "manager"),
        ("Does Anna Berg teach Carla Rossi?", "teaches"),
        ("Is Anna Berg the teacher of Carla Rossi?", "teaches"),
        ("Did Carla Rossi hire Anna Berg?", "hired_by"),
        ("Was Anna Berg hired by Carla Rossi?", "hired_by"),
        ("Is Dora Novak part of Carla Rossi?", "part_of"),
        ("Is Dora Novak the child of Anna Berg?", "children"),
        ("Is Carla Rossi a friend of Anna Berg?", "friend"),
        ("Is Anna Berg a friend of Carla Rossi?", "friend"),
    ],
)
def test_what_is_claimed_in_its_direction_is_so(store: GraphStore, question: str, relation: str) -> None:
    last = asked(store, question, relation)
    assert last.claim is not None, last.reason
    assert last.claim.holds


@pytest.mark.parametrize(
    ("question", "relation"),
    [
        ("Is Anna Berg Carla Rossi's manager?", "manager"),
        ("Is Anna Berg the manager of Carla Rossi?", "manager"),
        ("Is Carla Rossi's manager Anna Berg?", "manager"),
        ("Does Anna Berg manage Carla Rossi?", "manager"),
        ("Is Carla Rossi managed by Anna Berg?", "manager"),
        ("Does Carla Rossi teach Anna Berg?", "teaches"),
        ("Is Carla Rossi the teacher of Anna Berg?", "teaches"),
        ("Did Anna Berg hire Carla Rossi?", "hired_by"),
        ("Was Carla Rossi hired by Anna Berg?", "hired_by"),
        ("Is Carla Rossi part of Dora Novak?", "part_of"),
        ("Is Anna Berg the child of Dora Novak?", "children"),
    ],
)
def test_what_holds_the_other_way_round_is_not_so(store: GraphStore, question: str, relation: str) -> None:
    last = asked(store, question, relation)
    assert (last.verdict, last.reason, last.claim) == ("no_answer_found", "claim_reversed", None)


def test_between_things_of_two_kinds_there_is_one_direction(store: GraphStore) -> None:
    last = asked(store, "Is Ulm the hometown of Dora Novak?", "hometown")
    assert last.claim is not None
    assert last.claim.holds


def test_a_first_step_that_leads_to_what_is_claimed_and_is_called_so_is_taken(store: GraphStore) -> None:
    last = asked(store, "Does Carla Rossi live near Dora Novak?", "manager")
    assert last.claim is not None
    assert last.claim.holds
