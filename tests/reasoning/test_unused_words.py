"""What a question says beyond what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from reasoning import events
from reasoning.engine.engine import answer
from reasoning.narration.wording import RunWords
from reasoning.question.word_lists import word_list
from tests.reasoning.rules import KITT, KITT_QUESTION, RuleScorer

if TYPE_CHECKING:
    from pathlib import Path

    from kgstore.store import GraphStore

CREATOR_AND_CAST = RuleScorer(("0 tv.tv_program.program_creator", "0 tv.tv_program.regular_cast", "answer 1"))
CAST_ALONE = RuleScorer(("0 tv.tv_program.regular_cast", "1 tv.regular_tv_appearance.actor", "answer 2"))
CAST_WITHOUT_PLACE = RuleScorer(("0 tv.tv_program.regular_cast",))
CHAMPIONS = RuleScorer(
    ("0 sports.sports_championship.events", "1 sports.sports_championship_event.champion", "answer 2")
)
DATES = RuleScorer(
    ("about en.super_bowl", "0 sports.sports_championship.events", "1 time.event.start_date", "answer 2")
)
FIRST_CHAMPION = RuleScorer(
    (
        "0 sports.sports_championship.events",
        "1 sports.sports_championship_event.champion",
        "1 time.event.start_date",
        "3 min",
        "answer 2",
    )
)
CHAMPION_OF_1950 = RuleScorer(
    (
        "0 sports.sports_championship.events",
        "1 sports.sports_championship_event.champion",
        "1 time.event.start_date",
        '3 = "1950"^^xsd:gYear',
        "answer 2",
    )
)


def unused(store: GraphStore, question: str, scorer: RuleScorer) -> list[str]:
    last = list(answer(question, store, scorer))[-1]
    assert isinstance(last, events.Finished)
    return [question[start:end] for start, end in last.unused_words or []]


@pytest.mark.parametrize(
    ("question", "scorer", "words"),
    [
        (KITT_QUESTION, KITT, []),
        (KITT_QUESTION, CAST_ALONE, ["KITT"]),
        ("who plays in Knight Rider in 1984?", CAST_ALONE, ["1984"]),
        ("which actor of Knight Rider wore a rhinestone jacket?", CAST_ALONE, ["rhinestone", "jacket"]),
        ("what was the budget of Knight Rider?", RuleScorer(()), ["budget"]),
        ("who is a regular of Knight Rider's cast?", CAST_ALONE, []),
        ("whose creativity made Knight Rider?", CREATOR_AND_CAST, []),
        ("whose creativity made Knight Rider?", CAST_ALONE, ["creativity"]),
        ("what programme is Knight Rider?", RuleScorer(()), []),
        ("in Knight Rider, who speaks Jamaican English?", RuleScorer(("about en.knight_rider",)), ["Jamaican English"]),
        ("who was the oldest actor of Knight Rider?", CAST_ALONE, ["oldest"]),
        ("how many actors are in Knight Rider?", CAST_ALONE, []),
        # Dates are told, and not counted.
        ("how many dates has the Super Bowl?", DATES, ["how many"]),
        ("who never acted in Knight Rider, Currently?", CAST_ALONE, ["Currently"]),
        ("which character of Knight Rider is the last?", CAST_ALONE, ["character", "last"]),
        ("which actor of Knight Rider is known?", CAST_ALONE, []),
        ("what show is Knight Rider?", CAST_ALONE, []),
        ("who won the first Super Bowl?", CHAMPIONS, ["first"]),
        ("who won the first Super Bowl?", FIRST_CHAMPION, []),
        # Nothing is answered, and the unused words are reported all the same.
        ("which cast and which seasons had Knight Rider?", CAST_WITHOUT_PLACE, ["seasons"]),
        ("who won the televised Super Bowl in 1950?", CHAMPION_OF_1950, ["televised"]),
        ("who acted in \uff2b\uff4e\uff49\uff47\uff48\uff54 Rider 👍?", CAST_ALONE, []),
    ],
)
def test_what_no_decision_used_is_reported(
    toy: GraphStore, question: str, scorer: RuleScorer, words: list[str]
) -> None:
    assert unused(toy, question, scorer) == words


@pytest.mark.parametrize(
    "word",
    [
        word
        for word, accounts in (line.split("\t") for line in word_list("narrowing_words.tsv"))
        if {"extreme", "time"} & set(accounts.split())
    ],
)
def test_a_narrowing_word_that_a_constraint_accounts_for_is_used(toy: GraphStore, word: str) -> None:
    question = f"who won the {word} Super Bowl?"
    assert unused(toy, question, FIRST_CHAMPION) == []
    assert unused(toy, question, CHAMPIONS) == [word]


def test_what_the_answers_are_is_accounted_for(tmp_path: Path) -> None:
    triples = [
        ("en.show", "type.object.name", '"Knight Rider"@en'),
        ("en.show", "tv.tv_program.program_creator", "en.glen"),
        ("en.glen", "type.object.name", '"Glen Larson"@en'),
        ("en.glen", "type.object.type", "music.lutenist"),
    ]
    path = tmp_path / "typed.sqlite"
    load_graph(triples, path, name="typed", title="Typed", source="drawn by hand")
    store = SqliteStore(path)
    creator = RuleScorer(("0 tv.tv_program.program_creator", "answer 1"))
    assert unused(store, "which lutenist made Knight Rider?", creator) == []
    assert unused(store, "which ventriloquist made Knight Rider?", creator) == ["ventriloquist"]
    store.close()


def test_where_nothing_is_named_nothing_is_reported(toy: GraphStore) -> None:
    last = list(answer("colourless green ideas", toy, KITT))[-1]
    assert isinstance(last, events.Finished)
    assert last.unused_words is None


@pytest.mark.parametrize(
    ("question", "scorer", "partial"),
    [
        (KITT_QUESTION, KITT, []),
        (KITT_QUESTION, CAST_ALONE, ["KITT"]),
        ("who plays in Knight Rider in 1984?", CAST_ALONE, ["1984"]),
        ("who was the oldest actor of Knight Rider?", CAST_ALONE, ["oldest"]),
        ("who was the best actor of Knight Rider?", CAST_ALONE, ["best"]),
        ("who are both actors of Knight Rider?", CAST_ALONE, ["both"]),
        ("what are actors of Knight Rider best known for?", CAST_ALONE, []),
        ("who in Knight Rider never acted?", CAST_ALONE, ["never"]),
        ("who acted with Zorro in Knight Rider?", CAST_ALONE, ["Zorro"]),
        ("who acted in Knight Rider and when?", CAST_ALONE, ["and when"]),
        # A word that may be no more than another way to say it.
        ("which actor of Knight Rider wore a rhinestone jacket?", CAST_ALONE, []),
        # Nothing is answered.
        ("what was the budget of Knight Rider in 1984?", RuleScorer(()), []),
    ],
)
def test_an_answer_to_less_than_was_asked_is_partial(
    toy: GraphStore, question: str, scorer: RuleScorer, partial: list[str]
) -> None:
    last = list(answer(question, toy, scorer))[-1]
    assert isinstance(last, events.Finished)
    assert [question[start:end] for start, end in last.partial or ()] == partial
    assert (RunWords().confidence(last) == "") is bool(partial)


def test_a_name_that_all_answers_have_is_used(toy: GraphStore) -> None:
    champions = RuleScorer(("about en.green_bay_packers", "0 ^sports.sports_championship_event.champion", "answer 1"))
    assert unused(toy, "which Super Bowl did the Green Bay Packers win?", champions) == []
    assert unused(toy, "where did the Green Bay Packers win Jamaica?", champions) == ["Jamaica"]


def test_what_is_written_small_among_capitals_narrows_nothing(toy: GraphStore) -> None:
    question = "which jamaican acted in Knight Rider?"
    last = list(answer(question, toy, CAST_ALONE))[-1]
    assert isinstance(last, events.Finished)
    assert [question[start:end] for start, end in last.unused_words or ()] == ["jamaican"]
    assert last.partial is None
