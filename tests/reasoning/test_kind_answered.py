"""What was found is of the kind that the question asks for, or the run says that it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Relation
from reasoning import events
from reasoning.core.derivation import SearchStep
from reasoning.core.options import Stage
from reasoning.engine.engine import answer
from tests.reasoning.films import ended, films
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore

DIRECTED = ("about nolan", "0 ^film.film.directed_by", "answer 1")
DIRECTOR = ("about batman", "0 film.film.directed_by", "answer 1")
ACTORS = ("about batman", "0 film.film.actors", "answer 1")
RELEASED = ("about batman", "0 film.film.released", "answer 1")
MINUTES = ("about batman", "0 film.film.minutes", "answer 1")
BORN = ("about nolan", "0 people.person.date_of_birth", "answer 1")
BORN_IN = ("about nolan", "0 people.person.place_of_birth", "answer 1")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    store = films(tmp_path_factory.mktemp("kinds"))
    yield store
    store.close()


@pytest.mark.parametrize(
    ("question", "wishes"),
    [
        ("Who worked with Christopher Nolan?", DIRECTED),
        ("By whom was Batman Begins shown?", RELEASED),
        ("When did Batman Begins begin?", DIRECTOR),
        ("When was Christopher Nolan born?", BORN_IN),
        ("Where was Christopher Nolan born?", BORN),
        ("Where was Batman Begins filmed?", DIRECTOR),
        ("How did Christopher Nolan die?", BORN),
        ("Why was Batman Begins made?", RELEASED),
        ("How long is Batman Begins?", DIRECTOR),
        ("How far does Christopher Nolan live from his films?", DIRECTED),
    ],
)
def test_what_cannot_answer_the_word_that_asks_is_no_answer(
    store: GraphStore, question: str, wishes: tuple[str, ...]
) -> None:
    last = ended(store, question, wishes)
    assert (last.verdict, last.reason, last.answers) == ("no_answer_found", "another_kind", [])
    assert (last.confidence, last.calibrated) == (None, None)


@pytest.mark.parametrize(
    ("question", "wishes"),
    [
        ("Who directed Batman Begins?", DIRECTOR),
        ("When was Christopher Nolan born?", BORN),
        ("When was Batman Begins released?", RELEASED),
        ("Where was Christopher Nolan born?", BORN_IN),
        ("How long is Batman Begins?", MINUTES),
        ("How many films did Christopher Nolan direct?", DIRECTED),
        ("Which films did Christopher Nolan direct?", DIRECTED),
        ("Which person directed Batman Begins?", DIRECTOR),
        ("Which city was Christopher Nolan born in?", BORN_IN),
        ("Which day was Christopher Nolan born?", BORN),
    ],
)
def test_what_may_answer_it_is_an_answer(store: GraphStore, question: str, wishes: tuple[str, ...]) -> None:
    last = ended(store, question, wishes)
    assert last.reason != "another_kind"
    assert not last.partial


@pytest.mark.parametrize(
    ("question", "wishes", "noun"),
    [
        ("Which film is led by those in Batman Begins?", ACTORS, "film"),
        ("What city has Batman Begins?", DIRECTOR, "city"),
        ("Which countries does Batman Begins show?", ACTORS, "countries"),
        ("In which film was Christopher Nolan born?", BORN_IN, "film"),
    ],
)
def test_an_answer_of_another_kind_than_the_noun_says_is_partial(
    store: GraphStore, question: str, wishes: tuple[str, ...], noun: str
) -> None:
    last = ended(store, question, wishes)
    assert last.answers
    assert noun in [question[start:end] for start, end in last.partial or []]
    assert last.calibrated is None


@pytest.mark.parametrize(
    "question",
    [
        "Tell me about Christopher Nolan.",
        "tell me something about christopher nolan",
        "Describe Christopher Nolan",
        "What do you know about Christopher Nolan?",
        "Give me information on Christopher Nolan",
    ],
)
def test_a_question_for_no_single_fact_has_no_answer(store: GraphStore, question: str) -> None:
    for wishes in (BORN, ("about nolan",)):
        last = ended(store, question, wishes)
        assert (last.verdict, last.reason, last.answers) == ("no_answer_found", "described", [])


@pytest.mark.parametrize(
    "question", ["Tell me about the films of Christopher Nolan", "Name films by Christopher Nolan"]
)
def test_a_question_for_a_fact_about_something_is_answered(store: GraphStore, question: str) -> None:
    assert ended(store, question, DIRECTED).reason == "answered"


def test_what_a_person_chose_is_shown_though_it_is_of_another_kind(store: GraphStore) -> None:
    question = "How did Christopher Nolan die?"
    assert ended(store, question, BORN).reason == "another_kind"
    given = {(Stage.SEARCH, 0): SearchStep(0, Relation("people.person.date_of_birth"))}
    *_, last = answer(question, store, RuleScorer(BORN), given=given)
    assert isinstance(last, events.Finished)
    assert last.answers
