"""The kind that a question asks for decides where it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from reasoning import events
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

NAMES = {
    "anna": "Anna Bell",
    "ulm": "Ulm",
    "land": "Swabia Land",
    "country": "Fredonia",
    "kentucky": "Kentucky",
    "frankfort": "Frankfort",
    "film": "Duck Soup",
    "bridge": "Old Bridge",
}
TYPES = {
    "anna": "people.person",
    "ulm": "location.citytown",
    "frankfort": "location.citytown",
    "land": "location.us_state",
    "kentucky": "location.us_state",
    "country": "location.country",
    "film": "film.film",
    "bridge": "transportation.bridge",
}
FACTS = [
    ("anna", "people.person.place_of_birth", "ulm"),
    ("ulm", "location.location.containedby", "land"),
    ("ulm", "location.location.containedby", "country"),
    ("ulm", "location.location.featured_in", "film"),
    ("kentucky", "location.us_state.capital", "frankfort"),
    ("kentucky", "location.location.contains", "frankfort"),
    ("land", "location.location.contains", "ulm"),
    ("land", "location.location.contains", "bridge"),
    ("kentucky", "location.statistical_region.population", '"4339367"^^xsd:integer'),
    ("frankfort", "location.statistical_region.population", '"28602"^^xsd:integer'),
]
BORN = RuleScorer(("0 people.person.place_of_birth", "answer 1"))
OF_PLACES = RuleScorer(("0 location.location.contains", "1 location.statistical_region.population", "answer 1"))
WITHIN = RuleScorer(("0 location.location.contains", "answer 1"))
CAPITAL = RuleScorer(("0 location.us_state.capital", "answer 1"))


@pytest.fixture
def places(tmp_path: Path) -> Iterator[GraphStore]:
    path = tmp_path / "g.sqlite"
    triples = [*FACTS, *((mid, "type.object.type", kind) for mid, kind in TYPES.items())]
    triples += [(mid, "type.object.name", f'"{name}"@en') for mid, name in NAMES.items()]
    load_graph(triples, path, name="g", title="G", source="drawn by hand")
    store = SqliteStore(path)
    yield store
    store.close()


@pytest.mark.parametrize(
    ("question", "scorer", "answers"),
    [
        ("how many cities are in Swabia Land?", WITHIN, {"ulm"}),
        ("how many places are in Swabia Land?", WITHIN, {"ulm", "bridge"}),
        ("in which country was Anna Bell born?", BORN, {"country"}),
        ("which state was Anna Bell born in?", BORN, {"land"}),
        ("in which city was Anna Bell born?", BORN, {"ulm"}),
        ("where was Anna Bell born?", BORN, {"ulm"}),
        # No region is a film, so the scorer's word stands.
        ("in which film was Anna Bell born?", BORN, {"ulm"}),
        ("what is the state capital of Kentucky?", CAPITAL, {"frankfort"}),
        # A fact of the region, and one of the largest of its places.
        ("what is the population of Kentucky?", OF_PLACES, {'"4339367"^^xsd:integer'}),
        ("how many people live in Kentucky?", OF_PLACES, {'"4339367"^^xsd:integer'}),
        ("which place in Kentucky has the largest population?", OF_PLACES, {"frankfort"}),
    ],
)
def test_the_answer_is_of_the_kind_that_is_asked_for(
    places: GraphStore, question: str, scorer: RuleScorer, answers: set[str]
) -> None:
    trace = Trace()
    *_, finished = answer(question, places, scorer, trace=trace)
    assert isinstance(finished, events.Finished)
    assert {str(term) for term in trace.answers} == answers
