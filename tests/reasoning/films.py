"""A graph of films drawn by hand, for questions that name several things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from reasoning.engine.engine import answer
from reasoning.events import Finished
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore

NAMES = {
    "nolan": "Christopher Nolan",
    "mann": "Michael Mann",
    "bale": "Christian Bale",
    "caine": "Michael Caine",
    "pacino": "Al Pacino",
    "batman": "Batman Begins",
    "prestige": "The Prestige",
    "heat": "Heat Wave",
    "front": "Cold Front",
    "london": "London",
    "england": "England",
    "wales": "Wales",
    "haverfordwest": "Haverfordwest",
}
TYPES = {
    **dict.fromkeys(("nolan", "mann", "bale", "caine", "pacino"), "people.person"),
    **dict.fromkeys(("batman", "prestige", "heat", "front"), "film.film"),
    "london": "location.citytown",
    "haverfordwest": "location.citytown",
    "england": "location.country",
    "wales": "location.country",
}
FACTS = [
    ("batman", "film.film.directed_by", "nolan"),
    ("prestige", "film.film.directed_by", "nolan"),
    ("heat", "film.film.directed_by", "mann"),
    ("batman", "film.film.actors", "bale"),
    ("batman", "film.film.actors", "caine"),
    ("prestige", "film.film.actors", "bale"),
    ("prestige", "film.film.actors", "caine"),
    ("heat", "film.film.actors", "pacino"),
    ("heat", "film.film.actors", "bale"),
    ("batman", "film.film.released", '"2005-06-15"^^xsd:date'),
    ("prestige", "film.film.released", '"2006-10-20"^^xsd:date'),
    ("batman", "film.film.minutes", '"140"^^xsd:integer'),
    ("prestige", "film.film.minutes", '"130"^^xsd:integer'),
    ("heat", "film.film.minutes", '"170"^^xsd:integer'),
    ("batman", "film.film.number_of_awards", '"5"^^xsd:integer'),
    ("front", "film.film.minutes", '"170"^^xsd:integer'),
    ("nolan", "people.person.date_of_birth", '"1970-07-30"^^xsd:date'),
    ("mann", "people.person.date_of_birth", '"1943-02-05"^^xsd:date'),
    ("bale", "people.person.place_of_birth", "haverfordwest"),
    ("nolan", "people.person.place_of_birth", "london"),
    ("haverfordwest", "location.location.containedby", "wales"),
    ("london", "location.location.containedby", "england"),
]


def films(folder: Path) -> SqliteStore:
    """The graph, loaded into a folder."""
    path = folder / "films.sqlite"
    triples = [*FACTS, *((mid, "type.object.type", kind) for mid, kind in TYPES.items())]
    triples += [(mid, "type.object.name", f'"{name}"@en') for mid, name in NAMES.items()]
    load_graph(triples, path, name="films", title="Films", source="drawn by hand")
    return SqliteStore(path)


def ended(store: GraphStore, question: str, wishes: tuple[str, ...]) -> Finished:
    """How a run ends that chooses the first of some wishes, wherever it can."""
    *_, last = answer(question, store, RuleScorer(wishes))
    assert isinstance(last, Finished)
    return last
