"""Two named things are compared by the value of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.options import DecisionState, Stage
from reasoning.core.structure import AbstractStructure
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from reasoning.question.linking import link
from reasoning.question.not_understood import not_understood
from reasoning.run.two_compared import two_compared
from tests.reasoning.films import films
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore

VALUES = RuleScorer(
    ("0 film.film.minutes", "0 film.film.released", "0 people.person.date_of_birth", "0 film.film.directed_by")
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    store = films(tmp_path_factory.mktemp("compared"))
    yield store
    store.close()


def ended(store: GraphStore, question: str, scorer: RuleScorer = VALUES) -> events.Finished:
    *_, last = answer(question, store, scorer)
    assert isinstance(last, events.Finished)
    return last


@pytest.mark.parametrize(
    ("question", "best", "values"),
    [
        ("Which film is longer, Batman Begins or Heat Wave?", "Heat Wave", ["140", "170"]),
        ("Which film is longer, Heat Wave or Batman Begins?", "Heat Wave", ["170", "140"]),
        ("which is shorter: Heat Wave or The Prestige", "The Prestige", ["170", "130"]),
        ("Heat Wave or Batman Begins, which is longer?", "Heat Wave", ["170", "140"]),
        ("Which of Heat Wave and Batman Begins is longer?", "Heat Wave", ["170", "140"]),
        ("Which has more minutes, Batman Begins or The Prestige?", "Batman Begins", ["140", "130"]),
        ("Which has fewer minutes, Batman Begins or The Prestige?", "The Prestige", ["140", "130"]),
        ("Who is older, Christopher Nolan or Michael Mann?", "Michael Mann", ["1970-07-30", "1943-02-05"]),
        ("Who is younger, Christopher Nolan or Michael Mann?", "Christopher Nolan", ["1970-07-30", "1943-02-05"]),
        ("Which was released first, The Prestige or Batman Begins?", "Batman Begins", ["2006-10-20", "2005-06-15"]),
        ("Which was released later, The Prestige or Batman Begins?", "The Prestige", ["2006-10-20", "2005-06-15"]),
    ],
)
def test_which_of_two_it_is(store: GraphStore, question: str, best: str, values: list[str]) -> None:
    last = ended(store, question)
    assert [each.term.label for each in last.answers] == [best]
    assert last.compared is not None
    assert last.compared.holds is None
    assert [each.value.label for each in last.compared.values] == values
    assert (last.partial, last.not_understood, last.unused_words) == (None, None, [])
    assert last.answers[0].path[0].source.label == best


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("Is Heat Wave longer than Batman Begins?", True),
        ("Is Batman Begins longer than Heat Wave?", False),
        ("Is Michael Mann older than Christopher Nolan?", True),
        ("Does Batman Begins have more minutes than The Prestige?", True),
        ("Was The Prestige released before Batman Begins?", False),
        ("Was The Prestige released after Batman Begins?", True),
    ],
)
def test_whether_it_is_so(store: GraphStore, question: str, holds: bool) -> None:
    last = ended(store, question)
    assert last.compared is not None
    assert last.compared.holds is holds
    assert last.claim is None


@pytest.mark.parametrize(
    "question",
    [
        # One of them has no such value.
        "Which was released first, Heat Wave or Batman Begins?",
        # There is no such value at all.
        "Is Christopher Nolan taller than Michael Mann?",
        "Which is heavier, Heat Wave or Batman Begins?",
        # An opinion.
        "Which is better, Heat Wave or Batman Begins?",
        # One of them is not in the graph.
        "Is Heat Wave longer than Casablanca?",
        "Who is older, Christopher Nolan or Michael Caine Smith?",
    ],
)
def test_what_cannot_be_compared_is_not_answered(store: GraphStore, question: str) -> None:
    last = ended(store, question)
    assert (last.verdict, last.answers, last.compared) == ("no_answer_found", [], None)
    assert last.reason in {"two_not_compared", "no_relation"}
    assert [one.what for one in last.not_understood or ()] == ["comparison"]


def test_equal_values_give_both(store: GraphStore) -> None:
    last = ended(store, "Which is longer, Heat Wave or Cold Front?")
    assert {each.term.label for each in last.answers} == {"Heat Wave", "Cold Front"}
    last = ended(store, "Is Heat Wave longer than Cold Front?")
    assert last.compared is not None
    assert last.compared.holds is False
    assert ended(store, "Which is longer, Heat Wave or Heat Wave?").verdict == "no_answer_found"


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Which film is longer, Batman Begins or Heat Wave?", "how long is Batman Begins?"),
        ("Which is heavier, Batman Begins or Heat Wave?", "how heavy is Batman Begins?"),
        ("Which is bigger, Batman Begins or Heat Wave?", "how big is Batman Begins?"),
        ("Is Batman Begins larger than Heat Wave?", "how large is Batman Begins?"),
        ("Which has more minutes, Batman Begins or Heat Wave?", "how many minutes does Batman Begins have?"),
        ("Which has the larger area, Batman Begins or Heat Wave?", "what is the area of Batman Begins?"),
        ("Who is older, Christopher Nolan or Michael Mann?", "when was Christopher Nolan born?"),
        ("Which is older, Batman Begins or Heat Wave?", "when was Batman Begins founded?"),
        ("Was The Prestige released before Batman Begins?", "when Was The Prestige released?"),
        ("Which film was released later, The Prestige or Batman Begins?", "when was released The Prestige?"),
    ],
)
def test_the_scorer_is_asked_for_the_value_of_one(store: GraphStore, question: str, asked: str) -> None:
    linking = link(question, store)
    compared = two_compared(question, linking, not_understood(question, linking))
    assert compared is not None
    topic = compared.first[0]
    assert isinstance(topic.term, Entity)
    state = DecisionState(Stage.SEARCH, question, AbstractStructure.rooted("topic"), topic, linking.targets)
    alone = compared.of_first_alone(state, linking.cards[topic.term].types)
    assert (alone.question, alone.targets) == (asked, ())
    assert alone.topic is not None
    assert question[topic.start : topic.end] == asked[alone.topic.start : alone.topic.end]


def test_a_strategy_without_it_gives_no_answer_to_another_question(store: GraphStore) -> None:
    *_, last = answer("Is Heat Wave longer than Batman Begins?", store, VALUES, strategy="rog")
    assert isinstance(last, events.Finished)
    assert last.verdict == "no_answer_found"


def test_the_derivation_leads_to_the_value_of_the_first(store: GraphStore) -> None:
    trace = Trace()
    list(answer("Is Heat Wave longer than Batman Begins?", store, VALUES, trace=trace))
    assert trace.derivation is not None
    assert [str(step.relation) for step in trace.derivation.steps] == ["film.film.minutes"]
    assert [str(term) for term in trace.answers] == ["heat"]
