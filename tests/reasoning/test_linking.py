"""What is read from a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Date, Entity, Number, Term
from reasoning.linking import link
from reasoning.options import Mention, TopicOption
from reasoning.pools import topic_pool

if TYPE_CHECKING:
    from kgstore.store import GraphStore


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("who created Knight Rider?", "en.knight_rider"),
        ("who created knight rider", "en.knight_rider"),
        ("when did Knight Rider's run begin", "en.knight_rider"),
        ("what do Jamaicans speak", "en.jamaica"),
        ("who won Super Bowl XLV", "en.super_bowl_xlv"),
        ("who won the super bowl in 2011", "en.super_bowl"),
    ],
)
def test_the_longest_name_comes_first(toy: GraphStore, question: str, topic: str) -> None:
    first = topic_pool(link(question, toy)).options[0]
    assert isinstance(first, TopicOption)
    assert first.mention.term == Entity(topic)


def test_the_asker_may_choose_another_topic(toy: GraphStore) -> None:
    found = link("who plays KITT in Knight Rider", toy, Entity("en.kitt"))
    assert found.topic is not None
    assert found.topic.name == "KITT"
    assert found.chosen_by_asker
    assert [mention.term for mention in found.targets] == [Entity("en.knight_rider")]


def test_a_chosen_topic_need_not_be_named(toy: GraphStore) -> None:
    found = link("which languages do they speak", toy, Entity("en.jamaica"))
    assert found.mention is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in 2011", {Date("2011"), Number(2011)}),
        ("on 2011-02-06", {Date("2011-02-06")}),
        ("on February 6, 2011", {Date("2011-02-06")}),
        ("on the 6th of February 2011", {Date("2011-02-06")}),
        ("in february 2011", {Date("2011-02")}),
        ("more than 5 million people", {Number(5_000_000)}),
        ("over 1,250 metres", {Number(1250)}),
        ("above 2.5", {Number(2.5)}),
        ("on February 31, 2011", {Date("2011"), Number(2011), Number(31)}),
        ("in the nineties", set()),
    ],
)
def test_numbers_and_dates_are_read(toy: GraphStore, text: str, expected: set[Term]) -> None:
    question = f"what happened {text}"
    targets = link(question, toy).targets
    assert {mention.term for mention in targets} == expected
    assert all(question[m.start : m.end].strip() for m in targets)


def test_what_the_topic_covers_is_no_target(toy: GraphStore) -> None:
    assert link("who won Super Bowl XLV in 2011", toy, Entity("en.super_bowl_xlv")).targets == (
        Mention(26, 30, Date("2011")),
        Mention(26, 30, Number(2011)),
    )
