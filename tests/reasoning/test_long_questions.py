"""Long questions and long words: what they cost is bounded, and what is too long is refused with a reason."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from kgstore.names import MAX_RESPELT_LENGTH, respelt
from reasoning.core.errors import QuestionTextError
from reasoning.engine.engine import answer
from reasoning.question.linking import MAX_QUESTION_LENGTH, link
from reasoning.scorers.lexical import LexicalScorer

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgstore.store import GraphStore

MEGABYTE = 1 << 20


def peak_of(work: Callable[[], object]) -> int:
    """The most memory that Python held at a time while it worked, in bytes, beyond what it held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("length", [MAX_RESPELT_LENGTH + 1, 2_000, 100_000])
def test_a_word_that_nobody_types_has_no_other_spellings(length: int) -> None:
    word = "ab" * (length // 2) + "a" * (length % 2)
    found: list[frozenset[str]] = []
    assert peak_of(lambda: found.append(respelt(word))) < MEGABYTE
    assert found == [frozenset({word})]


def test_the_longest_word_with_other_spellings_has_a_few_thousand() -> None:
    word = "".join(chr(ord("a") + place % 26) for place in range(MAX_RESPELT_LENGTH))
    ways = respelt(word)
    assert word[:-1] in ways
    assert len(ways) < 3_100
    assert all(abs(len(way) - len(word)) <= 1 for way in ways)


PARTS = {
    "one word": "x",
    "unknown": "zqxj ",
    "short": "a b ",
    "names": "knight rider ",
    "years": "2011 1990s ",
    "digits": "1,000,000,",
    "in words": "two hundred and ",
    "marks": "a'",
    "other times": "before he was ",
    "ligature": "\ufdfa",
}


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_the_longest_question_takes_little_memory(toy: GraphStore, part: str) -> None:
    question = (part * MAX_QUESTION_LENGTH)[:MAX_QUESTION_LENGTH]
    assert peak_of(lambda: link(question, toy)) < 40 * MEGABYTE


def test_a_longer_question_is_refused_before_it_is_looked_at(toy: GraphStore) -> None:
    with pytest.raises(QuestionTextError, match=r"2,001 characters; 2,000 are read\. Make it shorter"):
        link("x" * (MAX_QUESTION_LENGTH + 1), toy)
    question = "zqxj " * 20_000
    last = [*answer(question, toy, LexicalScorer())][-1]
    assert last.kind == "failed"
    assert (last.code, last.retryable) == ("question_unreadable", False)


@pytest.mark.parametrize("character", ["\x00", "\ud800"], ids=["NUL", "surrogate"])
def test_a_question_with_half_a_character_or_nul_is_refused(toy: GraphStore, character: str) -> None:
    with pytest.raises(QuestionTextError, match="holds"):
        link(f"who is {character}", toy)
