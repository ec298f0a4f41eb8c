"""Which entities a question may be about: candidates side by side, their order, and how the order is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kgstore.terms import Entity, Number
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.question.linking import link, topic_choice
from reasoning.question.topics.name_matches import Likeness
from reasoning.question.topics.ranking import MAX_BEHIND, MAX_TOPICS, TopicRanking, bundled_ranking
from reasoning.training.topic_ranking import topic_examples, train_topic_ranking
from tests.reasoning.named_graph import graph_of_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

NAMES = {
    "romney": ("Mitt Romney", 300),
    "romney_family": ("Romney family", 3),
    "campaign": ("Mitt Romney presidential campaign, 2012", 12),
    "lincoln": ("Abraham Lincoln", 400),
    "lincoln_episode": ("Abe Lincoln", 2),
    "onassis": ("Jacqueline Kennedy Onassis", 120),
    "elizabeth": ("Elizabeth I of England", 150),
    "elizabeth_town": ("Elizabeth", 20),
    "francis": ("Francis of Assisi", 60),
    "francis_film": ("Francis Ford Coppola", 200),
    "quake": ("2010 Chile earthquake", 25),
    "chile": ("Chile", 500),
    "mets": ("New York Mets", 90),
    "met": ("Met", 40),
    "iraq": ("Iraq", 450),
    "iraqis": ("Iraqi people", 6),
}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """Entities with confusable names, each with a number of facts."""
    with graph_of_names(tmp_path_factory.mktemp("known"), NAMES) as store:
        yield store


@pytest.mark.parametrize(
    ("question", "topic", "likeness"),
    [
        ("who is in mitt romney's family?", "romney", Likeness.EXACT),
        ("when was abe lincoln born?", "lincoln", Likeness.REWRITTEN),
        ("where did jackie kennedy go to college?", "onassis", Likeness.REWRITTEN_PART),
        ("who were queen elizabeth 1 parents?", "elizabeth", Likeness.TITLED),
        ("who were the parents of queen elizabeth the first?", "elizabeth", Likeness.TITLED),
        ("what is st francis patron saint of?", "francis", Likeness.TITLED),
        ("where was the earthquake in chile 2010?", "quake", Likeness.SCATTERED),
        ("when did the mets win the pennant?", "mets", Likeness.PLURAL),
        ("what language do iraqi people speak?", "iraq", Likeness.CUSTOM),
    ],
)
def test_a_longer_or_exact_name_hides_no_entity(
    question: str, topic: str, likeness: Likeness, known: GraphStore
) -> None:
    found = {ranked.card.entity: ranked for ranked in link(question, known).topics}
    assert found[Entity(topic)].likeness is likeness


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("what did mitt romney do?", "romney"),
        ("when was abe lincoln born?", "lincoln"),
        ("when did the mets win the pennant?", "mets"),
    ],
)
def test_the_well_known_entity_comes_before_an_obscure_one(question: str, topic: str, known: GraphStore) -> None:
    assert link(question, known).topics[0].card.entity == Entity(topic)


def test_topics_are_few_and_ordered_and_each_is_one(known: GraphStore) -> None:
    topics = link("was mitt romney or abe lincoln in chile, iraq or assisi with elizabeth and francis?", known).topics
    odds = [ranked.log_odds for ranked in topics]
    assert odds == sorted(odds, reverse=True)
    assert odds[0] - odds[-1] <= MAX_BEHIND
    assert len({ranked.card.entity for ranked in topics}) == len(topics) <= MAX_TOPICS


def test_what_overlaps_the_topic_is_no_target(known: GraphStore) -> None:
    linking = link("what language do iraqi people speak?", known)
    assert Entity("iraqis") in {mention.term for mention in linking.targets}
    about = linking.about(linking.cards[Entity("iraq")])
    assert not {mention.term for mention in about.targets} & {Entity("iraq"), Entity("iraqis")}


def _question(text: str, topic: str) -> BenchmarkQuestion:
    return BenchmarkQuestion(text, text, (GoldParse(Entity(topic), frozenset(), None),))


def test_an_order_is_learned_from_questions_with_known_topics(known: GraphStore) -> None:
    # What the bundled order would not say: the obscure entity is meant.
    questions = [
        _question("when was abe lincoln made?", "lincoln_episode"),
        _question("who are the romney family?", "romney_family"),
        _question("what is elizabeth like?", "elizabeth_town"),
    ]
    examples = topic_examples(questions, known)
    learned = train_topic_ranking([examples])
    odds = learned.log_odds(examples.names, examples.features)
    for number in range(len(questions)):
        here = examples.question == number
        assert examples.gold[here][np.argmax(odds[here])]
    again = TopicRanking.from_json(learned.to_json())
    assert again.log_odds(examples.names, examples.features) == pytest.approx(odds, abs=0.01)
    assert train_topic_ranking([examples]).to_json() == learned.to_json()


def test_questions_without_a_topic_in_the_graph_teach_nothing(known: GraphStore) -> None:
    with pytest.raises(ValueError, match="graph fits"):
        topic_examples([_question("when was abe lincoln made?", "nobody")], known)
    with pytest.raises(ValueError, match="at least one"):
        train_topic_ranking([])


def test_other_features_than_those_learned_are_refused(known: GraphStore) -> None:
    names, features = topic_choice("where is chile?", known).features()
    with pytest.raises(ValueError, match="other features"):
        bundled_ranking().log_odds([*names[1:], "new"], features)


NUMBERS = {
    "f300": ("300", 5),
    "f1408": ("1408", 5),
    "f2012": ("2012", 5),
    "f10": ("10", 5),
    "bowl": ("Super Bowl", 9),
    "f1994": ("1994", 9),
    "came": ("Came", 3),
}


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("who directed 300?", "f300"),
        ("where was 1408 filmed?", "f1408"),
        ("who directed 2012", "f2012"),
        ("who won the Super Bowl 2012?", "bowl"),
        ("which cheese is aged for more than 10 months?", None),
        ("what came out in 1994?", "came"),
        ("300 people live where?", None),
        ("300 was filmed where?", "f300"),
        ("who has 300 friends?", None),
    ],
)
def test_a_number_is_a_name_where_it_counts_nothing(tmp_path: Path, question: str, topic: str | None) -> None:
    with graph_of_names(tmp_path, NUMBERS) as store:
        linking = link(question, store)
        first = linking.topics[0].card.entity.mid if linking.topics else None
        assert first == topic
        assert any(isinstance(mention.term, Number) for mention in linking.mentions)


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("who created Kngiht Ridr?", "rider"),
        ("who created Kningt Rider?", "rider"),
        ("who plays Schwarzeneger?", "arnold"),
        ("who plays Schwarznegge?", "arnold"),
        ("which beer is brewed?", None),
    ],
)
def test_names_with_two_typing_errors_are_found(tmp_path: Path, question: str, topic: str | None) -> None:
    names = {"rider": ("Knight Rider", 5), "arnold": ("Schwarzenegger", 9), "bremen": ("Bremen", 9)}
    with graph_of_names(tmp_path, names) as store:
        topics = link(question, store).topics
        assert (topics[0].card.entity.mid if topics else None) == topic
