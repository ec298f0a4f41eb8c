"""Questions that a graph cannot answer, made of those that it can."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Direction, Entity, Relation
from reasoning.scorers.lexical import LexicalScorer
from reasoning.training.encoder.unanswerable import Asked, Pair, WithoutRelation, pairs, trade
from reasoning.training.lessons.sources import Sources
from reasoning.training.recipe.recipe import Recipe
from tests.reasoning.test_recipes import FILMS

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore

SHOW = Entity("en.knight_rider")
CAST = Relation("tv.tv_program.regular_cast")


def test_a_relation_that_was_taken_out_is_offered_in_neither_direction(toy: GraphStore) -> None:
    lacking = WithoutRelation(toy, CAST)
    back = Relation(CAST.predicate, Direction.REVERSE)
    assert {CAST, back} <= set(toy.offered())
    assert set(lacking.offered()) == set(toy.offered()) - {CAST, back}
    offered = {count.relation for count in toy.relations([SHOW])}
    assert {count.relation for count in lacking.relations([SHOW])} == offered - {CAST}
    members = [Entity("m.cast_kitt")]
    assert {link.relation for link in toy.links([SHOW], members)} == {CAST}
    assert not lacking.links([SHOW], members)


@pytest.fixture
def films(tmp_path: Path) -> Recipe:
    (tmp_path / "kb.txt").write_text(FILMS, encoding="utf-8")
    (tmp_path / "1-hop").mkdir()
    lines = [f"who directed [{film}] {n}\tRidley Scott" for n in range(8) for film in ("Alien", "Gladiator")]
    (tmp_path / "1-hop" / "dev.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "1-hop" / "qa_dev_qtype.txt").write_text("\n".join(["movie_to_director"] * len(lines)))
    source = {"name": "films", "dataset": "1-hop/dev.txt", "format": "metaqa", "graph": "kb.txt"}
    more = {"graph_format": "metaqa", "topics": "given", "orders": 0}
    return Recipe.from_document("films", {"sources": [{**source, **more}]})


def test_a_question_is_asked_with_its_relation_and_without(films: Recipe, tmp_path: Path) -> None:
    found = list(pairs(films.sources[0], Sources(films, tmp_path), LexicalScorer()))
    assert found
    for pair in found:
        assert (pair.whole.unanswered, pair.whole.hit_first) == (False, True)
        assert pair.whole.margin < 0
        assert not pair.lacking.hit_first
        assert pair.lacking.unanswered == (pair.lacking.margin > 0)


def pair(whole: float, lacking: float) -> Pair:
    return Pair(
        Asked(whole > 0, whole, 0.0 if whole > 0 else 0.9, hit_first=whole <= 0),
        Asked(lacking > 0, lacking, 0.0 if lacking > 0 else 0.5, hit_first=False),
    )


def test_the_trade_tells_both_shares_at_each_bias() -> None:
    found = trade([pair(-4, 2), pair(-3, 1), pair(-2, -1), pair(0.5, inf)], -1.5, [-1.5, 0.0, -4.0])
    assert found["as_asked"] == {"unanswered": 0.25, "recognised": 0.75, "hits_at_1": 0.75}
    shares = [(each["unanswered"], each["recognised"]) for each in found["at"]]
    assert shares == [(0.25, 0.75), (0.25, 1.0), (0.0, 0.25)]
    assert found["few_unanswered"]["unanswered"] == 0.0
    assert found["few_unanswered"]["recognised"] == 0.75
    assert found["most_recognised"]["unanswered"] == 0.25
    assert found["told_apart"]["by_none"] == 15 / 16


def test_what_a_later_none_turned_away_stays_so() -> None:
    later = Pair(Asked(True, -5, 0.0, hit_first=False), Asked(False, -5, 0.4, hit_first=False))
    found = trade([later], 0.0, [-9.0])
    assert found["at"] == [{"bias": -9.0, "unanswered": 1.0, "recognised": 0.0}]


def test_no_pair_tells_nothing() -> None:
    found = trade([], 0.0, [0.0])
    assert (found["pairs"], found["few_unanswered"], found["told_apart"]["by_none"]) == (0, None, None)
