"""Which case comes next for a reviewer who judges one after the other."""

from __future__ import annotations

import pytest

from webapp.review.queue import QueuedCase, next_open

CASES = [QueuedCase(str(place), place, "wrong", says="agree" if place in (2, 4) else "") for place in range(1, 6)]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("1", "3"),
        ("3", "5"),
        # At the end it goes on with what was passed over at the beginning.
        ("5", "1"),
        # One that the filter does not list any more is followed by the first open one.
        ("9", "1"),
    ],
)
def test_the_next_open_case_follows_in_the_order_of_the_list(key: str, expected: str) -> None:
    assert next_open(CASES, key) == expected


def test_there_is_none_where_every_other_case_was_judged() -> None:
    assert next_open(CASES[:2], "1") is None
    assert next_open(CASES[:2], "2") == "1"
    assert next_open([], "1") is None
