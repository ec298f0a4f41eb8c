"""The reader of whole paths, on graphs that it never saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity, TermKind
from reasoning.core.options import DecisionState, Mention, Stage
from reasoning.core.structure import AbstractStructure
from reasoning.core.switches import EngineSwitches
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.events import Finished, SearchStepTaken
from reasoning.scorers.base import Cost, Distribution
from reasoning.scorers.encoder.learned_relations import knows_relations
from reasoning.scorers.path_reader.coverage import asked_nouns
from reasoning.scorers.path_reader.texts import question_texts
from reasoning.scorers.registry import open_scorer
from tests.reasoning.random_graphs import sqlite_store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kgstore.store import GraphStore
    from reasoning.core.options import OptionPool
    from reasoning.facts.relation_paths import RelationPath
    from reasoning.scorers.base import Ends, Scorer

JOBS = ("Engineer", "Nurse", "Baker", "Pilot")
COMPANIES = ("Nordlicht", "Kestrel Works", "Maple Foods")
PEOPLE = [f"{first} {last}" for first in ("Anna", "Ben", "Clara", "David", "Emma") for last in ("Schmidt", "Vogt")]
CLUBS = {"FC Aurora": "Italy", "Blue Rovers": "Italy", "Sporting Hill": "Norway"}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    triples = []
    for number, person in enumerate(PEOPLE):
        triples.append((person, "works_at", COMPANIES[number % len(COMPANIES)]))
        triples.append((person, "job", JOBS[number % len(JOBS)]))
        triples.append((person, "plays_for", list(CLUBS)[number % len(CLUBS)]))
        triples.append((person, "nationality", CLUBS[list(CLUBS)[number % len(CLUBS)]]))
    named = {term for subject, _, object_ in triples for term in (subject, object_)}
    triples += [(name, "type.object.name", f'"{name}"@en') for name in named]
    store = sqlite_store(triples, tmp_path_factory.mktemp("people"))
    yield store
    store.close()


@pytest.fixture(scope="module")
def reader() -> Scorer:
    return open_scorer("path-reader")


def answers(question: str, store: GraphStore, scorer: Scorer, topic: str) -> set[str]:
    trace = Trace()
    emitted = list(answer(question, store, scorer, topic=Entity(topic), trace=trace))
    assert isinstance(emitted[-1], Finished), emitted[-1]
    return {str(term) for term in trace.answers}


def test_a_place_of_work_is_not_a_job(graph: GraphStore, reader: Scorer) -> None:
    assert answers("Where does Anna Schmidt work?", graph, reader, "Anna Schmidt") == {"Nordlicht"}
    assert answers("What is the job of Anna Schmidt?", graph, reader, "Anna Schmidt") == {"Engineer"}


def test_the_search_does_not_stop_before_what_is_asked_for(graph: GraphStore, reader: Scorer) -> None:
    found = answers("Name a club that has a player from Italy", graph, reader, "Italy")
    assert found == {"FC Aurora", "Blue Rovers"}


def test_a_possessive_stays_in_the_question_that_is_read() -> None:
    text = "What is the job of Anna Schmidt 's mother?"
    end = text.index(" mother")
    topic = Mention(text.index("Anna"), end, Entity("Anna Schmidt"))
    state = DecisionState(Stage.SEARCH, text, AbstractStructure.rooted("Anna Schmidt"), topic)
    assert question_texts(state)[0] == "what is the job of it 's mother"


def test_the_probabilities_of_every_search_decision_sum_to_one(graph: GraphStore, reader: Scorer) -> None:
    steps = [
        event
        for event in answer("Where does Anna Schmidt work?", graph, reader, topic=Entity("Anna Schmidt"))
        if isinstance(event, SearchStepTaken)
    ]
    assert steps
    for event in steps:
        shares = [option.probability or 0.0 for option in event.decision.options]
        assert sum(shares) == pytest.approx(1, abs=1e-3)


def test_the_first_decision_names_the_paths_that_it_and_those_after_it_follow_from(
    graph: GraphStore, reader: Scorer
) -> None:
    first, *later = [
        event.decision
        for event in answer("Name a club that has a player from Italy", graph, reader, topic=Entity("Italy"))
        if isinstance(event, SearchStepTaken)
    ]
    assert first.paths is not None
    shares = [path.probability for path in first.paths.likeliest]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) + first.paths.none <= 1.001
    assert len(shares) <= first.paths.total
    assert 0 < first.paths.extended <= first.paths.extensible
    assert [relation.id for relation in first.paths.likeliest[0].relations] == ["^nationality", "plays_for"]
    assert later
    assert all(decision.paths is None for decision in later)


def test_the_encoder_searches_a_graph_whose_relations_it_learned(graph: GraphStore, sample: GraphStore) -> None:
    question = "who plays the voice of KITT in Knight Rider?"
    decisions = [
        [event.decision for event in answer(question, sample, open_scorer(kind)) if isinstance(event, SearchStepTaken)]
        for kind in ("path-reader", "encoder")
    ]
    assert decisions[0] == decisions[1]
    assert all(decision.paths is None for decision in decisions[0])
    learned = {"works_at", "job", "plays_for"}
    assert not knows_relations(learned, graph)
    assert knows_relations({*learned, "nationality"}, graph)


def test_asked_again_it_says_the_same(graph: GraphStore, reader: Scorer) -> None:
    asked = [answers("Where does Emma Vogt work?", graph, reader, "Emma Vogt") for _ in range(2)]
    assert asked[0] == asked[1]


@pytest.mark.parametrize(
    ("question", "nouns"),
    [
        ("in which country does it live", ("country",)),
        ("which soccer club belongs to it", ("soccer", "soccer club")),
        ("which moons of it did herschel discover", ("moons",)),
        ("who leads it", ("person",)),
        ("list the people who work at it", ("person",)),
        ("when was it born", ("date",)),
        ("what year did it begin", ("year",)),
        ("how many children does it have", ("number", "children")),
        ("how tall is it", ("number",)),
        ("how did it end", ()),
        ("what is it", ()),
        ("what kind of animal does it have", ("animal",)),
        ("it works here", ()),
    ],
)
def test_the_nouns_that_say_what_is_asked_for(question: str, nouns: tuple[str, ...]) -> None:
    assert asked_nouns(question) == nouns


class TypesSeen:
    """A scorer that gives all paths the same log-odds, and keeps what it saw of types."""

    name = "Types seen"

    def __init__(self) -> None:
        self.types: list[object] = []
        self.kinds: set[TermKind] = set()

    def score(self, state: DecisionState, pool: OptionPool, *, best: int | None = None) -> Distribution:
        del best
        self.types += [dict(state.types)] if state.types else []
        return Distribution({index: 1 / len(pool) for index in range(len(pool))}, 0.0, Cost())

    def searches_by_paths(self, store: GraphStore) -> bool:
        del store
        return True

    def path_likenesses(self, state: DecisionState, paths: Sequence[RelationPath]) -> Sequence[float]:
        self.types += [dict(state.types)] if state.types else []
        return [0.0] * len(paths)

    def path_log_odds(
        self, state: DecisionState, paths: Sequence[RelationPath], ends: Ends
    ) -> tuple[Sequence[float], Cost]:
        self.types += [dict(state.types)] if state.types else []
        for end in ends(paths):
            self.types += [each for each in end.types if each]
            self.kinds.add(end.kind)
        return [0.0] * (len(paths) + 1), Cost()


@pytest.mark.parametrize("entity_types", [True, False])
def test_types_are_hidden_where_they_are_switched_off(sample: GraphStore, entity_types: bool) -> None:
    scorer = TypesSeen()
    switches = EngineSwitches(entity_types=entity_types)
    list(answer("who plays the voice of KITT in Knight Rider?", sample, scorer, switches=switches))
    assert bool(scorer.types) is entity_types
    assert (scorer.kinds == {TermKind.ENTITY}) is not entity_types
