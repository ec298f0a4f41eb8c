from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.names import fold_name, literal_label
from kgstore.terms import Date, Number, Text


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Knight Rider", "knight rider"),
        ("  KNIGHT   rider ", "knight rider"),
        ("Beyoncé", "beyonce"),
        ("Mark Attanasio's", "mark attanasio"),
        ("Mark Attanasio\u2019s team", "mark attanasio team"),
        ("St. Mary's, Jamaica", "st mary jamaica"),
        ("Super Bowl XLV", "super bowl xlv"),
        ("AC/DC", "ac dc"),
        ("O'Brien", "o brien"),
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("Ørsted", "orsted"),
        ("İstanbul", "istanbul"),
        ("\uff21\uff50\uff50\uff4c\uff45", "apple"),
        ("हिन्दी", "हिन्दी"),
        ("東京", "東京"),
        ("snake_case", "snake case"),
        ("!!!", "!!!"),
        ("", ""),
    ],
)
def test_fold_name(name: str, folded: str) -> None:
    assert fold_name(name) == folded


@given(st.text())
def test_folding_twice_changes_nothing(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@given(st.text())
def test_case_and_spaces_around_do_not_matter(name: str) -> None:
    assert fold_name(f"  {name} ") == fold_name(name)


def test_literals_have_labels() -> None:
    assert literal_label(Number(5_000_000)) == "5000000"
    assert literal_label(Number(-1.25)) == "-1.25"
    assert literal_label(Number(float("inf"))) == "inf"
    assert literal_label(Date("2011-02")) == "2011-02"
    assert literal_label(Text("Hello", "en")) == "Hello"
