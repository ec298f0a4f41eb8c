"""What is shown of a question while it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reasoning.question.recognition import Likeness, recognise

if TYPE_CHECKING:
    from kgstore.store import GraphStore


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "who plays the voice of KITT in Knight Rider?",
            [("KITT", Likeness.NAME, "KITT"), ("Knight Rider", Likeness.NAME, "Knight Rider")],
        ),
        # Other forms of a name count as the name.
        ("what do Jamaican people speak?", [("Jamaican", Likeness.NAME, "Jamaica")]),
        ("who played Hasselhoff?", [("Hasselhoff", Likeness.PART, "David Hasselhoff")]),
        # Linking takes both words for ordinary ones and finds nothing; written with capitals they are a name.
        ("who created Night Rider?", [("Night Rider", Likeness.MISSPELT, "Knight Rider")]),
        ("where was Kevin Lovee born?", [("Kevin Lovee", Likeness.MISSPELT, "Kevin Love")]),
        (
            "who is Xyzzy Foobar of Jamaica?",
            [("Xyzzy Foobar", Likeness.UNKNOWN, ""), ("Jamaica", Likeness.NAME, "Jamaica")],
        ),
        # Ordinary words and the first word are no names, and dates are none of the things one asks about.
        ("What language was spoken in 1985?", []),
        ("", []),
    ],
)
def test_what_a_question_names_is_recognised(
    sample: GraphStore, question: str, expected: list[tuple[str, Likeness, str]]
) -> None:
    shown = [
        (question[each.start : each.end], each.likeness, (each.cards[0].name or "") if each.cards else "")
        for each in recognise(question, sample)
    ]
    assert shown == expected
