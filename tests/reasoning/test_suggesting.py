"""What a model decides for a question, as a derivation that is suggested to those who label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from kgstore.loading.formats.tsv import TripleReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from kgstore.store import GraphStoreError
from reasoning.core.derivation import Derivation
from reasoning.core.errors import ModelServerAwayError, UndecidedError
from reasoning.labels.suggesting import Suggested, suggest
from tests.reasoning.conftest import TOY_GRAPH
from tests.reasoning.rules import KITT, KITT_GOLD, KITT_QUESTION, RuleScorer

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore


@dataclass(frozen=True)
class Broken:
    """Fails where others decide."""

    error: Exception
    name: str = "broken"

    def score(self, *_: Any, **__: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("strategy", ["reads", "beam"])
def test_it_is_the_way_to_the_answer_with_the_topic_that_the_model_found(toy: GraphStore, strategy: str) -> None:
    suggested = suggest(KITT_QUESTION, toy, KITT, strategy=strategy)
    assert (suggested.derivation, suggested.reason) == (Derivation.from_json(KITT_GOLD), "answered")
    assert suggested.doubt == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("question", "scorer", "reason", "doubt"),
    [
        ("who painted the Mona Lisa?", KITT, "not_in_graph", None),
        (KITT_QUESTION, RuleScorer(("about en.knight_rider", "none")), "no_answer_found", pytest.approx(0.2)),
        (KITT_QUESTION, Broken(UndecidedError("it picked nothing")), "undecided", None),
        (KITT_QUESTION, Broken(ZeroDivisionError()), "unforeseen ZeroDivisionError", None),
    ],
)
def test_a_question_that_comes_to_no_answer_or_breaks_is_reported_with_the_reason(
    toy: GraphStore, question: str, scorer: Any, reason: str, doubt: Any
) -> None:
    assert suggest(question, toy, scorer) == Suggested(None, reason, doubt)


def test_a_question_that_takes_too_long_comes_to_nothing(toy: GraphStore) -> None:
    assert suggest(KITT_QUESTION, toy, KITT, longest=0.0) == Suggested(None, "timeout")


def test_a_model_that_cannot_be_asked_is_about_more_than_a_question(toy: GraphStore) -> None:
    with pytest.raises(ModelServerAwayError):
        suggest(KITT_QUESTION, toy, Broken(ModelServerAwayError("it is away")))


def test_a_graph_that_goes_away_is_too(tmp_path: Path) -> None:
    load_graph(TripleReader(TOY_GRAPH), tmp_path / "toy.sqlite", name="toy", title="Toy", source="drawn by hand")
    store = SqliteStore(tmp_path / "toy.sqlite")

    class Closing(RuleScorer):
        def score(self, *args: Any, **more: Any) -> Any:
            store.close()
            return super().score(*args, **more)

    with pytest.raises(GraphStoreError):
        suggest(KITT_QUESTION, store, Closing(KITT.wishes))


def test_what_watches_a_question_may_end_it(toy: GraphStore) -> None:
    seen: list[None] = []

    def watch() -> None:
        seen.append(None)
        if len(seen) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        suggest(KITT_QUESTION, toy, KITT, watch=watch)
    assert len(seen) == 3
