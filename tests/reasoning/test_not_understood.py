"""Negation and comparison are parts_of, and names that hold such words are neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from reasoning import events
from reasoning.engine.engine import answer
from reasoning.question.linking import link
from reasoning.question.not_understood import NotUnderstood, not_understood
from reasoning.question.recognition import Likeness, recognise
from tests.reasoning.rules import KITT, KITT_QUESTION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kgstore.store import GraphStore

NEGATION, COMPARISON = NotUnderstood.NEGATION, NotUnderstood.COMPARISON


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    names = {
        "en.never": "Never Let Me Go",
        "en.not": "I'm Not There",
        "en.kazuo": "Kazuo Ishiguro",
        "en.france": "France",
        "en.spain": "Spain",
    }
    triples = [(mid, "type.object.name", f'"{name}"@en') for mid, name in names.items()]
    triples.append(("en.never", "film.film.written_by", "en.kazuo"))
    path: Path = tmp_path_factory.mktemp("films") / "films.sqlite"
    load_graph(triples, path, name="films", title="Films", source="drawn by hand")
    store = SqliteStore(path)
    yield store
    store.close()


def parts_of(question: str, store: GraphStore) -> list[tuple[str, NotUnderstood]]:
    found = not_understood(question, link(question, store))
    return [(question[one.start : one.end], one.kind) for one in found]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("which films did Kazuo Ishiguro not write?", "not"),
        ("who has never been to France?", "never"),
        ("what did kazuo ishiguro write except for novels?", "except for"),
        ("what countries other than Spain border France?", "other than"),
        ("which films weren't written by Kazuo Ishiguro?", "weren't"),
        ("which films werent written by Kazuo Ishiguro?", "werent"),
        ("which films weren\u2019t written by Kazuo Ishiguro?", "weren\u2019t"),
        ("Without Spain, what borders France?", "Without"),
        ("who wrote Never Let Me Go but not the film?", "but not"),
    ],
)
def test_what_leaves_something_out_is_reported(films: GraphStore, question: str, words: str) -> None:
    assert parts_of(question, films) == [(words, NEGATION)]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("is France larger than Spain?", "larger than"),
        ("is france larger than spain?", "larger than"),
        ("does France have more people than Spain?", "more people than"),
        ("what country has a higher population than that of France?", "higher population than"),
        ("is Spain as large as France?", "as large as"),
        ("which is larger, France or Spain?", "larger"),
        ("which is the largest, France or the Spain?", "largest"),
        ("who was born first, Kazuo Ishiguro or Kate Bush?", "first"),
        ("which is older france or spain", "older"),
        ("Which is the heaviest? An Ice Hockey Puck or a Baseball?", "heaviest"),
        ("is the Nile longer than the Amazon?", "longer than"),
    ],
)
def test_a_comparison_of_two_named_things_is_reported(films: GraphStore, question: str, words: str) -> None:
    assert parts_of(question, films) == [(words, COMPARISON)]


@pytest.mark.parametrize(
    "question",
    [
        "who wrote never let me go?",
        "who wrote Never Let Me Go?",
        "who plays in i'm not there",
        # The graph knows none of these, but they are written as names.
        "who starred in Say Never Again?",
        'who sang "never can say goodbye"?',
        "who sang \u201cnever can say goodbye\u201d?",
        "who directed 'no country without cowboys'?",
        # These look like it.
        "who was not only a writer in France?",
        "which country has more than 5 million people?",
        "who is older than 30 in France?",
        "which films came out later than 1990?",
        "what is the largest city of France near Spain called?",
        "does Kazuo Ishiguro live in France or Spain?",
        "who was the first captain from outside France or Spain?",
        "which boxer of the greatest ones was nicknamed Manassa Mauler or Kid Blackie?",
        "who led France as Secretary then as Chairman?",
        "what knot is used in France?",
        "what is it called as well as France",
        # Without an apostrophe or a helping verb it is most likely a title that the graph does not know.
        "who composed dont look down in France?",
        "which musician wrote not such a bad boy?",
        "what notable things are in France?",
        "",
    ],
)
def test_what_only_looks_like_it_is_not_reported(films: GraphStore, question: str) -> None:
    assert parts_of(question, films) == []


def test_a_negation_is_recognised_while_typed_and_a_comparison_may_be_answered(films: GraphStore) -> None:
    question = "is France not larger than Spain?"
    found = [(question[one.start : one.end], one.likeness, len(one.cards)) for one in recognise(question, films)]
    assert found == [
        ("France", Likeness.NAME, 1),
        ("not", Likeness.NEGATION, 0),
        ("Spain", Likeness.NAME, 1),
    ]


def test_an_answer_says_what_was_not_understood(toy: GraphStore) -> None:
    question = "who has never played the voice of KITT in Knight Rider?"
    ended = list(answer(question, toy, KITT))[-1]
    assert isinstance(ended, events.Finished)
    assert (ended.verdict, ended.reason, ended.answers) == ("no_answer_found", "not_left_out", [])
    shown = [(question[one.start : one.end], one.what) for one in ended.not_understood or []]
    assert shown == [("never", "negation")]
    assert ended.unused_words == []


def test_where_all_is_understood_the_log_stays_as_it_was(toy: GraphStore) -> None:
    ended = list(answer(KITT_QUESTION, toy, KITT))[-1]
    assert isinstance(ended, events.Finished)
    assert "not_understood" not in ended.model_dump()


def test_it_is_reported_where_nothing_is_found_too(toy: GraphStore) -> None:
    ended = list(answer("which ideas do not sleep?", toy, KITT))[-1]
    assert isinstance(ended, events.Finished)
    assert (ended.verdict, [one.what for one in ended.not_understood or []]) == ("not_in_graph", ["negation"])


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("who directed Heat and when was it released?", "and when was it released"),
        ("who directed Heat, and when?", "and when"),
        ("who directed Heat and in which year", "and in which year"),
        ("which film did he make and who played in it?", "and who played in it"),
        ("who is the director and what is his name?", "and what is his name"),
        ("who directed Heat and Alien?", None),
        ("which man made Alien and who directed Heat?", None),
        ("Heat and when it was made", None),
    ],
)
def test_a_second_question_is_found(films: GraphStore, question: str, second: str | None) -> None:
    found = not_understood(question, link(question, films))
    said = [question[one.start : one.end] for one in found if one.kind is NotUnderstood.SECOND_QUESTION]
    assert said == ([] if second is None else [second])
