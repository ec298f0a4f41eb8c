"""What a model said is read strictly: odd replies, and what becomes of each."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoning.writers.said import NamedOptions, Said, all_found, bare, only_found, read_reply

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

ACTORS = ("William Daniels", "David Hasselhoff", "Edward Mulhare", "Paris, Texas", "The Knight Foundation")
LETTERS = "ABCDE"


def lettered(text: str, *, ended: bool = True) -> tuple[Said[int], ...]:
    return read_reply(text, NamedOptions(ACTORS, LETTERS), ended=ended, labelled=True)


def numbered(text: str) -> tuple[Said[int], ...]:
    return read_reply(text, NamedOptions(ACTORS, ("1", "2", "3", "4", "5")), labelled=True)


def names(texts: Collection[str]) -> dict[str, Sequence[str]]:
    known = {bare(name): name for name in ACTORS}
    return {text: (known[bare(text)],) for text in texts if bare(text) in known}


def named(text: str, *, ended: bool = True) -> tuple[Said[str], ...]:
    return read_reply(text, names, ended=ended)


@pytest.mark.parametrize(
    "reply",
    [
        "B",
        "b",
        "(B)",
        "B.",
        "B)",
        "**B**",
        "`B`",
        "Option B",
        "The answer is (B).",
        "The correct answer is: B",
        "Answer: B",
        "Final answer:\n\n(B)",
        "So, the answer is B.",
        "B. David Hasselhoff",
        "(B) David Hasselhoff",
        "(B) because he drove the car.",
        "David Hasselhoff",
        "david hasselhoff.",
        "“David Hasselhoff”",
        '"B"',
        '{"answer": "B"}',
        '```json\n["B"]\n```',
        "<think>A was the voice, C the founder.</think>\nB",
        "B\nB",
    ],
)
def test_a_reply_that_names_one_option_is_read(reply: str) -> None:
    assert only_found(lettered(reply)) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n ",
        "A man who drove the car",
        "B because he drove the car",
        "B. William Daniels",
        "(B) or (C)",
        "A, B",
        "A\nC",
        "F",
        "7",
        "I'm sorry, I cannot answer that.",
        "I don't know.",
        "None of these",
        "It was not David Hasselhoff",
        "La respuesta es B",
        "答えはBです",
        "<think>It must be B, for",
        "Hasselhoff",
        "{",
        '{"answer": {"letter": "B"}}',
    ],
)
def test_a_reply_that_names_none_or_several_is_never_guessed_at(reply: str) -> None:
    assert only_found(lettered(reply)) is None


def test_numbers_are_labels_where_options_were_numbered() -> None:
    assert only_found(numbered("2")) == 1
    assert only_found(numbered("2. David Hasselhoff")) == 1
    assert only_found(numbered("2. William Daniels")) is None
    assert all_found(numbered("[1, 3]")) == (0, 2)
    assert all_found(numbered("1, 3 and 5")) == (0, 2, 4)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("William Daniels", ("William Daniels",)),
        ("1. William Daniels\n2. Edward Mulhare", ("William Daniels", "Edward Mulhare")),
        ("- WILLIAM DANIELS\n- Édward Mulhare", ("William Daniels", "Edward Mulhare")),
        ("William Daniels, David Hasselhoff, and Edward Mulhare", ACTORS[:3]),
        ("William Daniels and David Hasselhoff", ACTORS[:2]),
        ('["William Daniels", "Edward Mulhare"]', ("William Daniels", "Edward Mulhare")),
        ('{"answers": ["William Daniels"]}', ("William Daniels",)),
        ("Knight Foundation", ("The Knight Foundation",)),
        ("Paris, Texas", ("Paris, Texas",)),
        ("The answers are: William Daniels; Edward Mulhare.", ("William Daniels", "Edward Mulhare")),
        ("William Daniels\nWilliam Daniels", ("William Daniels",)),
    ],
)
def test_names_are_read_however_they_are_listed(reply: str, found: tuple[str, ...]) -> None:
    parts = named(reply)
    assert all_found(parts) == found
    assert all(part.found for part in parts)


def test_what_names_nothing_is_reported_with_what_does() -> None:
    parts = named("Of course!\nWilliam Daniels\nMichael Knight, the driver")
    assert parts == (
        Said("Of course!"),
        Said("William Daniels", ("William Daniels",)),
        Said("Michael Knight, the driver"),
    )


def test_a_line_counts_as_a_whole_where_some_of_it_names_nothing() -> None:
    """*Not William Daniels, Edward Mulhare* might mean either."""
    assert named("Not Edward Mulhare, William Daniels") == (Said("Not Edward Mulhare, William Daniels"),)


@pytest.mark.parametrize("reply", ["None", "none.", "Unknown", "N/A", "I don't know.", "The answer is none.", "[]", ""])
def test_who_says_that_nothing_is_named_names_nothing(reply: str) -> None:
    assert all_found(named(reply)) == ()


def test_what_the_limit_cut_is_not_taken_for_a_name() -> None:
    assert named("Edward Mulhare\nWilliam Daniels", ended=False) == (
        Said("Edward Mulhare", ("Edward Mulhare",)),
        Said("William Daniels", is_cut=True),
    )
    assert all_found(named("William Daniels", ended=False)) == ()


@given(st.text(alphabet=string.printable + "éß中\u202e", max_size=60))
def test_whatever_is_said_only_what_was_offered_is_found(reply: str) -> None:
    found = all_found(lettered(reply))
    assert set(found) <= set(range(len(ACTORS)))
    assert set(all_found(named(reply))) <= set(ACTORS)
    # Nothing is found in a reply that holds neither a label by itself nor a name.
    if found:
        spoken = {bare(ACTORS[index]) for index in found}
        words = set(bare(reply).split()) | set(reply.casefold().split())
        assert any(name in bare(reply) for name in spoken) or words & set("abcde") or any(c in reply for c in LETTERS)
