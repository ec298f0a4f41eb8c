"""What is read from a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.terms import Date, Entity, Number, Term
from reasoning.core.options import Mention, TopicOption
from reasoning.facts.pools import topic_pool
from reasoning.question.linking import link
from tests.reasoning.named_graph import graph_of_names

if TYPE_CHECKING:
    from collections.abc import Iterator

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


NAMES = {
    "en.us": ("United States of America", 900),
    "en.texas": ("Texas", 60),
    "en.governor_of_texas": ("Governor of Texas", 5),
    "en.denmark": ("Denmark", 40),
    "en.danish_language": ("Danish Language", 8),
    "en.mozart": ("Wolfgang Amadeus Mozart", 500),
    "en.mozart_park": ("Mozart Park", 51),
    "en.kennedy": ("Robert F. Kennedy", 20),
    "en.tolkien": ("J. R. R. Tolkien", 30),
    "en.franklin": ("Benjamin Franklin", 25),
    "en.niccolo": ("Niccolò Machiavelli", 10),
    "en.malfoy": ("Draco Malfoy", 4),
    "en.bieber": ("Justin Bieber", 12),
    "en.lakers": ("Los Angeles Lakers", 33),
    "en.jackson_town": ("Jackson", 7),
    "en.jackson": ("Michael Jackson", 44),
    "en.language": ("Language", 70),
    "en.iceland": ("Iceland", 6),
    "en.play": ("Play It Again", 9),
    "en.speaks": ("Speaks", 3),
    "en.st_lucia": ("Saint Lucia", 2),
    "en.illinois": ("Illinois", 21),
    "en.illinois_state": ("Illinois State University", 22),
    "en.kansas_city": ("Kansas City", 28),
    "en.kansas_state": ("Kansas State University", 26),
    "en.family_guy": ("Family Guy", 11),
    "en.up": ("Up", 13),
    "en.july": ("July", 14),
    "en.it_follows": ("It", 15),
    "en.netherlands": ("Netherlands", 35),
    "en.king_of_netherlands": ("King of the Netherlands", 5),
    "en.duke_of_york": ("Duke of York", 5),
    "en.york": ("York", 41),
    "en.york_ship": ("York", 31),
    "en.york_band": ("York", 23),
    "en.york_barony": ("York", 19),
    "en.friends_of_americans": ("Friends of Americans", 5),
    "en.americans_series": ("Americans", 27),
    "en.americans_song": ("Americans", 24),
    "en.americans_play": ("Americans", 19),
    "en.skywalker_saga": ("The Skywalker Saga", 16),
    "en.skywalker_ranch": ("Ranch of Skywalker Films", 18),
    "en.mayor_of_hague": ("Mayor of The Hague", 5),
    "en.hague": ("The Hague", 36),
    "en.battle_of_somme": ("Battle of the Somme", 17),
    "en.somme_river": ("Somme", 32),
    "en.somme_film": ("The Somme", 29),
    "en.army_of_us": ("Army of the US", 5),
    "en.salem_ma": ("Salem", 38),
    "en.salem_film": ("Salem", 39),
    "en.salem_india": ("Salem", 37),
    "en.salem_college": ("Salem", 36),
    "en.salem_or": ("Salem", 6),
    "en.oregon": ("Oregon", 43),
    "en.south_salem": ("South Salem Oregon Church", 9),
    "en.north": ("North", 6),
    "en.north_bend": ("Great North Oregon", 8),
}

WITHIN = [
    ("en.oregon", "geo.place.contains", "en.salem_or"),
    ("en.north", "geo.place.containedby", "en.oregon"),
    ("en.salem_college", "geo.school.neighbour", "en.oregon"),
]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """Names, each with its fame."""
    with graph_of_names(tmp_path_factory.mktemp("names"), NAMES, WITHIN) as store:
        yield store


def linked(question: str, store: GraphStore) -> list[str]:
    """The entities that may be the topic, the likeliest first."""
    options = topic_pool(link(question, store)).options
    return [str(option.mention.term) for option in options if isinstance(option, TopicOption)]


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("who is the president of the us", "en.us"),
        ("what do Americans eat", "en.us"),
        ("what is the texan capital", "en.texas"),
        ("what money do danes use", "en.denmark"),
        ("which countries speak danish", "en.danish_language"),
        ("what did mozart write", "en.mozart"),
        ("what was Mozart's first opera", "en.mozart"),
        ("where was robert kennedy shot", "en.kennedy"),
        ("where was RFK shot", "en.kennedy"),
        ("what did jrr tolkien write", "en.tolkien"),
        ("what did ben franklin invent", "en.franklin"),
        ("where did niccolo machiavelli live", "en.niccolo"),
        ("where did Machiavelli live", "en.niccolo"),
        ("who did draco malfy marry", "en.malfoy"),
        ("who is justin biebers brother", "en.bieber"),
        ("who is justin bieber s brother", "en.bieber"),
        ("who is Bieber\u2019s brother", "en.bieber"),
        ("who coaches the la lakers", "en.lakers"),
        ("when did the lakers win", "en.lakers"),
        ("what is there in st lucia", "en.st_lucia"),
        ("what language do they speak in iceland", "en.iceland"),
        ("who plays lois in family guy", "en.family_guy"),
    ],
)
def test_names_are_found_however_they_are_written(named: GraphStore, question: str, topic: str) -> None:
    assert linked(question, named)[0] == topic


@pytest.mark.parametrize(("word", "named"), [("jamaika", ["en.jamaica"]), ("kizt", [])])
def test_only_a_long_word_by_itself_is_taken_for_a_misspelt_name(toy: GraphStore, word: str, named: list[str]) -> None:
    assert [str(mention.term) for mention in link(f"what is {word} like", toy).mentions] == named


def test_a_language_is_found_beside_its_country(named: GraphStore) -> None:
    assert linked("which countries use danish", named) == ["en.danish_language", "en.denmark"]


def test_a_better_known_part_of_a_name_stands_beside_a_name(named: GraphStore) -> None:
    assert linked("where is jackson", named) == ["en.jackson", "en.jackson_town"]


def test_a_longer_name_leaves_what_it_ends_with(named: GraphStore) -> None:
    assert linked("who was governor of texas in 2003", named) == ["en.governor_of_texas", "en.texas"]
    found = link("who was governor of texas in 2003", named, Entity("en.texas"))
    assert Entity("en.governor_of_texas") in {mention.term for mention in found.targets}
    found = link("who was governor of texas in 2003", named, Entity("en.governor_of_texas"))
    assert Entity("en.texas") not in {mention.term for mention in found.targets}


def test_what_a_longer_name_ends_with_begins_after_the_article(named: GraphStore) -> None:
    assert linked("who was king of the netherlands", named) == ["en.king_of_netherlands", "en.netherlands"]


def test_what_a_longer_name_ends_with_may_begin_with_an_article_of_its_own(named: GraphStore) -> None:
    assert linked("who was mayor of the hague", named) == ["en.mayor_of_hague", "en.hague"]
    assert set(linked("who won the battle of the somme", named)) == {
        "en.battle_of_somme",
        "en.somme_river",
        "en.somme_film",
    }


def test_what_is_called_so_with_and_without_the_article_is_found_once(named: GraphStore) -> None:
    assert linked("who leads the army of the us", named) == ["en.us", "en.army_of_us"]


def test_a_longer_name_leaves_the_best_known_of_those_that_it_ends_with(named: GraphStore) -> None:
    assert linked("who was duke of york", named) == ["en.duke_of_york", "en.york", "en.york_ship"]
    options = linked("who leads the friends of americans", named)
    assert options == ["en.friends_of_americans", "en.us"]


def test_a_word_stands_for_a_name_that_it_begins_after_the_article(named: GraphStore) -> None:
    assert linked("who filmed skywalker", named) == ["en.skywalker_saga"]


def test_a_part_of_a_name_does_not_hide_a_name(named: GraphStore) -> None:
    assert set(linked("what is the illinois state bird", named)) == {"en.illinois", "en.illinois_state"}


def test_a_part_of_a_name_that_ends_in_an_ordinary_word_hides_no_other_name(named: GraphStore) -> None:
    assert set(linked("what is the kansas state bird", named)) == {"en.kansas_state", "en.kansas_city"}


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "who plays there",
        "what do people speak",
        "who was up first",
        "is it an angle",
        "What does the Angels team wear",
        "what did he write about the lakers' rivals"[:24],
    ],
)
def test_ordinary_words_are_no_names(named: GraphStore, question: str) -> None:
    assert "en.play" not in linked(question, named)
    assert "en.speaks" not in linked(question, named)
    assert "en.up" not in linked(question, named)


@pytest.mark.parametrize("place", ["salem oregon", "Salem, Oregon", "Salem, OR", "salem ore"])
def test_the_region_beside_a_place_says_which_one_is_meant(named: GraphStore, place: str) -> None:
    question = f"what is there to see in {place}"
    linking = link(question, named)
    assert [str(mention.term) for mention in linking.mentions] == ["en.salem_or"]
    assert linking.about(linking.cards[Entity("en.salem_or")]).targets == ()
    assert question[linking.mentions[0].start : linking.mentions[0].end] == place


@pytest.mark.parametrize(
    "question", ["is salem in oregon", "is salem or iceland larger", "is salem, ma, near oregon", "is oregon salem big"]
)
def test_a_region_that_is_not_beside_a_place_is_another_name(named: GraphStore, question: str) -> None:
    assert {"en.salem_film", "en.salem_ma"} <= {*linked(question, named)}


def test_an_ordinary_word_beside_a_region_is_no_place_in_it(named: GraphStore) -> None:
    assert linked("what is the north oregon bird", named) == ["en.oregon", "en.north_bend", "en.north"]


def test_a_month_in_a_date_is_no_name(named: GraphStore) -> None:
    assert linked("who was born in July", named) == ["en.july"]
    assert linked("who was born in July 2009", named) == []
    linking = link("who was born in July 2009", named)
    assert [mention.term for mention in linking.targets] == [Date("2009-07")]


def test_a_capital_makes_a_name_of_any_word(named: GraphStore) -> None:
    assert linked("who voiced Carl in Up", named) == ["en.up"]
    assert linked("who directed It", named) == ["en.it_follows"]


def test_the_capital_at_the_beginning_of_a_question_makes_no_name(named: GraphStore) -> None:
    assert linked("It was directed by whom", named) == []
    assert linked("Up was voiced by whom", named) == []
    assert link("Language of Iceland", named).ordinary == {(0, 8)}
    assert link("which Language of Iceland", named).ordinary == set()


def test_where_names_have_capitals_other_words_are_no_part_of_one(named: GraphStore) -> None:
    assert linked("who in Iceland knows mozart", named) == ["en.iceland", "en.mozart"]
    assert linked("who in iceland knows mozart", named) == ["en.iceland", "en.mozart", "en.mozart_park"]


def test_whether_names_have_capitals_is_not_reported_by_the_beginning_of_a_question(named: GraphStore) -> None:
    assert linked("Who in iceland knows mozart", named) == ["en.iceland", "en.mozart", "en.mozart_park"]
    assert linked("in Iceland who knows mozart", named) == ["en.iceland", "en.mozart"]


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
        ("before 2010", {Date("2010"), Number(2010)}),
        ("in the nineties", {Date("1990"), Date("1999")}),
        ("in the '60s", {Date("1960"), Date("1969")}),
        ("in the 1990s", {Date("1990"), Date("1999")}),
        ("in the 2000s", {Date("2000"), Date("2009")}),
        ("in the 1800s", {Date("1800"), Date("1899")}),
        ("in the 20th century", {Date("1901"), Date("2000")}),
        ("three times", {Number(3)}),
        ("in twenty-one cities", {Number(21)}),
        ("to 5 hundred people", {Number(500)}),
        ("to two hundred and five people", {Number(205)}),
        ("to five million people", {Number(5_000_000)}),
        ("to a hundred thousand people", {Number(100_000)}),
        ("first, and which one came last", set()),
    ],
)
def test_numbers_and_dates_are_read(toy: GraphStore, text: str, expected: set[Term]) -> None:
    question = f"what happened {text}"
    targets = link(question, toy).targets
    assert {mention.term for mention in targets if not mention.is_converted} == expected
    assert all(question[m.start : m.end].strip() for m in targets)


@pytest.mark.parametrize(
    ("question", "is_target"),
    [
        ("what did William Daniels do before he was KITT", False),
        ("where did William Daniels live prior to becoming KITT?", False),
        ("who plays KITT before Michael Knight", True),
        ("what did William Daniels do after he became famous, as KITT", True),
    ],
)
def test_what_is_so_at_another_time_is_no_target(toy: GraphStore, question: str, is_target: bool) -> None:
    targets = {mention.term for mention in link(question, toy).targets}
    assert (Entity("en.kitt") in targets) is is_target


def test_what_the_topic_covers_is_no_target(toy: GraphStore) -> None:
    assert link("who won Super Bowl XLV in 2011", toy, Entity("en.super_bowl_xlv")).targets == (
        Mention(26, 30, Date("2011")),
        Mention(26, 30, Number(2011)),
    )
