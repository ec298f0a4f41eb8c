"""What is true of both names that a question joins with *and*."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Entity
from reasoning import events
from reasoning.core.derivation import Constraint, Operator
from reasoning.core.trace import Trace
from reasoning.engine.engine import answer
from tests.reasoning.films import films
from tests.reasoning.rules import RuleScorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore

WITH_BALE = RuleScorer(("about bale", "0 ^film.film.actors", "answer 1"))
DIRECTOR = RuleScorer(("about batman", "0 film.film.directed_by", "answer 1"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    store = films(tmp_path_factory.mktemp("both"))
    yield store
    store.close()


@pytest.mark.parametrize(
    ("question", "scorer", "answers", "partial"),
    [
        ("Which films have both Christian Bale and Al Pacino?", WITH_BALE, {"heat"}, None),
        ("films with Christian Bale & Michael Caine", WITH_BALE, {"batman", "prestige"}, None),
        ("films with Michael Caine and Christian Bale", WITH_BALE, {"batman", "prestige"}, None),
        ("Who directed Batman Begins and The Prestige?", DIRECTOR, {"nolan"}, None),
        # Nothing is true of both.
        ("Who directed Batman Begins and Heat Wave?", DIRECTOR, {"nolan"}, ["Heat Wave"]),
        ("films with both Christian Bale and Christopher Nolan", WITH_BALE, {"batman", "prestige", "heat"}, 2),
        # Not joined.
        ("Which films have Christian Bale with Al Pacino?", WITH_BALE, {"batman", "prestige", "heat"}, ["Al Pacino"]),
    ],
)
def test_what_is_true_of_both_is_the_answer(
    store: GraphStore, question: str, scorer: RuleScorer, answers: set[str], partial: list[str] | int | None
) -> None:
    trace = Trace()
    *_, last = answer(question, store, scorer, trace=trace)
    assert isinstance(last, events.Finished)
    assert {str(term) for term in trace.answers} == answers
    left_out = [question[start:end] for start, end in last.partial or ()]
    assert left_out == (partial or []) if not isinstance(partial, int) else len(left_out) == partial


def test_the_other_name_is_a_condition_of_the_derivation(store: GraphStore) -> None:
    trace = Trace()
    list(answer("Which films have both Christian Bale and Al Pacino?", store, WITH_BALE, trace=trace))
    assert trace.derivation is not None
    assert [str(step.relation) for step in trace.derivation.steps] == ["^film.film.actors", "film.film.actors"]
    assert trace.derivation.constraints == (Constraint(2, Operator.EQUAL, Entity("pacino")),)
    assert trace.derivation.answer_position == 1
