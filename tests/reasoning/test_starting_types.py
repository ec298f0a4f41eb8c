"""Questions that name nothing start from a type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.terms import Entity
from reasoning.core.trace import Trace
from reasoning.engine.derivation_faults import derivation_faults
from reasoning.engine.engine import answer
from reasoning.events import Finished
from reasoning.question.linking import link
from reasoning.question.measures import measure_stems
from reasoning.question.words import content_stems
from reasoning.scorers.path_reader.scorer import PathReaderScorer
from tests.reasoning.cheeses import cheese_triples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from reasoning.scorers.base import Scorer


@pytest.fixture(scope="module")
def cheeses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    path = tmp_path_factory.mktemp("cheeses") / "cheeses.sqlite"
    load_graph(cheese_triples(), path, name="cheeses", title="Cheeses", source="drawn by hand")
    store = SqliteStore(path)
    yield store
    store.close()


@pytest.fixture(scope="module")
def reader() -> Scorer:
    return PathReaderScorer.open()


@pytest.mark.parametrize(
    ("question", "topics"),
    [
        ("which cheese is aged the longest?", ["food.cheese"]),
        ("What is the oldest dairy?", ["food.dairy"]),
        ("list all cheeses", ["food.cheese"]),
        ("show all cheeses", ["food.cheese"]),
        ("which dairies were founded in the 19th century?", ["food.dairy"]),
        ("how many dairies are there?", ["food.dairy"]),
        ("what is the population of the smallest country?", ["location.country"]),
        ("which dairy makes the oldest cheese?", ["food.cheese", "food.dairy"]),
        ("which dairies were founded in 1906 or later?", ["food.dairy"]),
        ("what has the largest population?", ["location.country"]),
    ],
)
def test_a_question_without_a_name_is_about_a_type(cheeses: GraphStore, question: str, topics: list[str]) -> None:
    assert [topic.card.entity.mid for topic in link(question, cheeses).topics] == topics


@pytest.mark.parametrize(
    "question",
    [
        "which cheese do they make?",
        "what language is spoken in the oldest Zanzibarland?",
        "which cheese is good?",
        "which cheeses are longest in zanzibarland?",
        "how old is the queen?",
        "what has the largest temper?",
        "who is the oldest?",
        "how many cheeses have a king?",
        "list all cheeses of the best dairy",
    ],
)
def test_what_may_name_something_that_is_not_there_is_about_nothing(cheeses: GraphStore, question: str) -> None:
    assert link(question, cheeses).topics == ()


def test_a_name_comes_before_a_type(cheeses: GraphStore) -> None:
    topics = link("which cheese is made by Papillon since 1906?", cheeses).topics
    assert [topic.card.entity.mid for topic in topics] == ["Papillon"]


def answered(question: str, store: GraphStore, scorer: Scorer) -> tuple[set[str], Finished, Trace]:
    trace = Trace()
    finished = [*answer(question, store, scorer, trace=trace)][-1]
    assert isinstance(finished, Finished), finished
    return {str(term) for term in trace.answers}, finished, trace


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which cheese is aged the longest?", {"Parmigiano Reggiano"}),
        ("which cheese is aged the second longest?", {"Comté"}),
        ("which cheeses are aged for more than 10 months?", {"Comté", "Parmigiano Reggiano"}),
        ("what is the oldest dairy?", {"Papillon"}),
        ("which dairies were founded before 1964?", {"Papillon", "Dodoni"}),
        ("name all dairies that were founded in the 1960s", {"Fort", "Dodoni"}),
        ("which dairies were founded after the 1960s?", {"Henri", "La Casota"}),
        ("which country has the largest population?", {"France"}),
        ("what is the smallest country by population?", {"Greece"}),
        ("which country is the most populous?", {"France"}),
        ("list all countries", {"France", "Greece", "Netherlands", "Spain"}),
        ("which country has the oldest dairy?", {"France"}),
    ],
)
@pytest.mark.slow
def test_the_instances_that_are_meant_are_found(
    cheeses: GraphStore, reader: Scorer, question: str, answers: set[str]
) -> None:
    found, finished, trace = answered(question, cheeses, reader)
    assert found == answers
    assert finished.unused_words in (None, [])
    derivation = trace.derivation
    assert derivation is not None
    assert derivation_faults(derivation, cheeses) == []


@pytest.mark.parametrize(
    ("question", "kind", "stems"),
    [
        ("which country has the smallest population?", "country", "population inhabitants residents"),
        ("what is the largest country by area?", "country", "area"),
        ("what is the largest country in the world?", "country", ""),
        ("which country is the most populous?", "country", "population inhabitants residents"),
        ("which mountain has the greatest height?", "mountain", "height tall stature elevation altitude"),
        ("which film has the longest running time?", "film", "running length runtime duration distance minutes hours"),
        ("what is the most expensive film?", "film", "price cost budget"),
        ("who was the tallest president?", "president", "height tall stature elevation altitude"),
        ("which dairy was founded in the last century?", "dairy", ""),
        ("which film came out most recently?", "film", ""),
        ("which player has the most goals in 1994?", "player", "goals"),
        ("which book was written by Verne?", "book", ""),
    ],
)
def test_a_question_may_say_by_what_it_compares(question: str, kind: str, stems: str) -> None:
    start = question.index(kind)
    assert measure_stems(question, [(start, start + len(kind))]) == content_stems(stems)


@pytest.mark.slow
def test_how_many_instances_there_are_is_counted(cheeses: GraphStore, reader: Scorer) -> None:
    found, finished, _ = answered("how many cheeses are there?", cheeses, reader)
    assert (len(found), finished.count, finished.count_at_least) == (6, 6, None)


@pytest.mark.parametrize(
    "question",
    [
        "which country was founded first?",
        "which country has the largest area?",
        "what is the largest country by area?",
        "what is the cheapest cheese?",
        "what is the smallest dairy?",
        "what is the largest cheese made in 1950?",
        "what is the population of the largest country?",
        "which dairy makes the oldest cheese?",
    ],
)
@pytest.mark.slow
def test_where_no_fact_says_which_instances_are_meant_there_is_no_answer(
    cheeses: GraphStore, reader: Scorer, question: str
) -> None:
    found, finished, trace = answered(question, cheeses, reader)
    assert found == set(), trace.derivation
    assert (finished.verdict, finished.reason) == ("no_answer_found", "nothing_compared")


def test_a_type_may_be_chosen_by_the_asker(cheeses: GraphStore) -> None:
    linking = link("which one is the best?", cheeses, Entity("food.cheese"))
    assert linking.topic is not None
    assert (linking.topic.name, linking.starts_from_type) == ("cheese", True)


def test_strategies_without_conditions_start_from_no_type(cheeses: GraphStore, reader: Scorer) -> None:
    for strategy in ("rog", "etd", "eperm"):
        *_, finished = answer("which cheese is aged the longest?", cheeses, reader, strategy=strategy)
        assert isinstance(finished, Finished)
        assert finished.reason == "no_topic"


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what is the highest mountain in the world?", {"Mount Everest"}),
        ("what is the second highest mountain?", {"K2"}),
        ("which country has the largest area?", {"Russia"}),
        ("what films came out in 1994?", {"Forrest Gump", "Pulp Fiction", "True Lies", "The Shawshank Redemption"}),
        ("which rivers are longer than 5000 km?", {"Nile", "Amazon River", "Yangtze", "Yellow River"}),
        ("who directed the first film?", {"Orson Welles"}),
        ("what is the capital of the largest country?", {"Moscow"}),
        ("which country has the smallest population?", {"Barbados"}),
        ("which mountain has the greatest height?", {"Mount Everest"}),
        ("which film has the longest runtime?", {"The Godfather Part II"}),
        ("which country is the smallest by area?", {"Vatican City"}),
        ("who was the second oldest astronaut?", {"Wally Schirra"}),
        ("which space missions started in 1969?", {"Apollo 9", "Apollo 10", "Apollo 11", "Apollo 12"}),
    ],
)
@pytest.mark.slow
def test_the_sample_is_asked_without_names(
    sample: GraphStore, reader: Scorer, question: str, answers: set[str]
) -> None:
    trace = Trace()
    *_, finished = answer(question, sample, reader, trace=trace)
    assert isinstance(finished, Finished)
    assert {*sample.labels(trace.answers).values()} == answers
