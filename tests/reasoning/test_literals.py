"""The numbers and dates of a question: each is read wherever and however it is written, in its place."""

from __future__ import annotations

import calendar
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgstore.terms import Date, Number, Term
from reasoning.question.literals import Span, literals, overlaps, within_a_date

UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
DECADES = ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"]

Phrase = tuple[str, set[Term]]


def spelt(number: int) -> str:
    """As people write it: *two hundred and one thousand*."""
    for size, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand")):
        if number >= size:
            rest = f" {spelt(number % size)}" if number % size else ""
            return f"{spelt(number // size)} {name}{rest}"
    if number >= 100:
        return f"{UNITS[number // 100]} hundred" + (f" and {spelt(number % 100)}" if number % 100 else "")
    if number >= 20:
        return TENS[number // 10 - 2] + (f"-{UNITS[number % 10]}" if number % 10 else "")
    return UNITS[number]


def ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number not in (11, 12, 13) else "th"
    return f"{number}{ending}"


@st.composite
def dates(draw: st.DrawFn) -> Phrase:
    day = draw(st.dates(min_value=date(1000, 1, 1), max_value=date(2099, 12, 31)))
    month = draw(st.sampled_from((str.lower, str.title, str.upper)))(calendar.month_name[day.month])
    iso = day.isoformat()
    exact = [
        iso,
        f"{month} {day.day}, {day.year}",
        f"{month} {ordinal(day.day)} {day.year}",
        f"{day.day} {month} {day.year}",
        f"{ordinal(day.day)} of {month}, {day.year}",
    ]
    to_the_month = [iso[:7], f"{month} {day.year}", f"{month}, {day.year}", f"{month} of {day.year}"]
    return draw(
        st.one_of(
            st.sampled_from(exact).map(lambda text: (text, {Date(iso)})),
            st.sampled_from(to_the_month).map(lambda text: (text, {Date(iso[:7])})),
            st.just((iso[:4], {Date(iso[:4]), Number(day.year)})),
        )
    )


@st.composite
def spans_of_years(draw: st.DrawFn) -> Phrase:
    tens = draw(st.integers(0, 7))
    century, decade = draw(st.integers(10, 20)), draw(st.integers(1, 9))
    short, full = f"{tens + 2}0s", f"{century}{decade}0s"
    last, first = 1920 + 10 * tens, 100 * century + 10 * decade
    nth = draw(st.integers(1, 21))
    text, begin, end = draw(
        st.sampled_from(
            [
                (DECADES[tens], last, last + 9),
                (DECADES[tens].title(), last, last + 9),
                (f"'{short}", last, last + 9),
                (f"\u2019{short}", last, last + 9),
                (short, last, last + 9),
                (f"{tens + 2}0's", last, last + 9),
                (full, first, first + 9),
                (f"{century}00s", 100 * century, 100 * century + (99 if century < 19 else 9)),
                (f"{ordinal(nth)} century", 100 * nth - 99, 100 * nth),
            ]
        )
    )
    return text, {Date(f"{begin:04}"), Date(f"{end:04}")}


@st.composite
def numbers(draw: st.DrawFn) -> Phrase:
    small, large = draw(st.integers(2, 999)), draw(st.integers(2, 10**12 - 1))
    scale, size = draw(st.sampled_from([("hundred", 100), ("thousand", 1000), ("million", 10**6), ("Billion", 10**9)]))
    text, value = draw(
        st.sampled_from(
            [
                (str(small), small),
                (f"{large:,}" if large >= 1000 else str(large), large),
                (f"{small}.25", small + 0.25),
                (f"1,{small:03}.5", 1000 + small + 0.5),
                (f"{small} {scale}", small * size),
                (f"{small}{scale}", small * size),
                (f"2.5 {scale}", 2.5 * size),
                (spelt(large), large),
                (spelt(small).upper(), small),
                (spelt(large).replace("-", " ").replace(" and ", " "), large),
                (f"a {scale}", size),
                (f"{scale} and {UNITS[small % 19 + 1]}", size + small % 19 + 1),
            ]
        )
    )
    return text, {Number(float(value))}


PHRASES = st.lists(st.one_of(dates(), spans_of_years(), numbers()), min_size=1, max_size=4)


@given(PHRASES, st.data())
def test_what_is_written_is_read_in_its_place_unless_a_name_has_taken_it(
    phrases: list[Phrase], data: st.DataObject
) -> None:
    question, places = "Which of", list[Span]()
    for text, _ in phrases:
        question += " or "
        places.append((len(question), len(question) + len(text)))
        question += text
    free = data.draw(st.lists(st.booleans(), min_size=len(phrases), max_size=len(phrases)))
    expected = {
        (place, term)
        for place, (_, terms), is_free in zip(places, phrases, free, strict=True)
        for term in terms
        if is_free
    }
    taken = [place for place, is_free in zip(places, free, strict=True) if not is_free]
    found = list(literals(f"{question} years?", taken))
    assert {((mention.start, mention.end), mention.term) for mention in found} == expected
    assert len(found) == len(expected)


def test_a_date_that_a_name_has_taken_leaves_the_next_one() -> None:
    found = list(literals("the 2011 Cup or 2012", [(4, 12)]))
    assert [(m.start, m.end, m.term) for m in found] == [(16, 20, Date("2012")), (16, 20, Number(2012))]


@pytest.mark.parametrize(
    ("text", "first", "last"), [("1800s", 1800, 1899), ("1900s", 1900, 1909), ("2000s", 2000, 2009)]
)
def test_the_hundreds_are_centuries_until_people_speak_of_decades(text: str, first: int, last: int) -> None:
    assert [mention.term for mention in literals(f"in the {text}", [])] == [Date(str(first)), Date(str(last))]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # A day that no calendar has is no date; the year and the number are there all the same.
        ("on February 31, 2011", {"31": Number(31), "2011": Date("2011")}),
        ("in 2011-13", {"2011": Date("2011"), "13": Number(13)}),
        # *Which one* counts nothing, and none of these is a year or a number.
        ("which one won", {}),
        ("Zero, one or ONE", {}),
        ("U2 and v1.2.3", {}),
        ("the year 2100", {"2100": Number(2100)}),
        # Words after digits belong to them.
        ("5 hundred", {"5 hundred": Number(500)}),
        ("12 twenty", {"12": Number(12)}),
        ("one hundred", {"one hundred": Number(100)}),
    ],
)
def test_what_is_none(question: str, expected: dict[str, Term]) -> None:
    found = {(question[m.start : m.end], m.term) for m in literals(question, [])}
    years = {(text, Number(float(text))) for text, term in expected.items() if isinstance(term, Date)}
    assert found == set(expected.items()) | years


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("in the 2010-11 season", ("2010", "2011")),
        ("in the 2010\u20132011 NBA season", ("2010", "2011")),
        ("in season 1999/00", ("1999", "2000")),
        ("in 2010/11", ("2010", "2011")),
        ("in the season 2010-11", ("2010", "2011")),
        ("in the 2010 season", ("2010",)),
        ("in season 2010", ("2010",)),
        ("since 1990", ("1990",)),
        ("in 2010-11", ("2010-11",)),
        ("in 2010-13 and 2010/13", ("2010", "2010")),
        ("in 2010/11/12", ("2010",)),
    ],
)
def test_a_season_is_its_first_and_its_last_year(text: str, years: tuple[str, ...]) -> None:
    assert [m.term for m in literals(text, []) if isinstance(m.term, Date)] == list(map(Date, years))


@pytest.mark.parametrize(
    ("part", "is_within"),
    [
        ("July", True),
        ("2009", True),
        ("July 2009", False),
        ("in July", False),
        ("2009 or", False),
        ("in July 2009 or", False),
        ("Easter", False),
        ("March", True),
        ("6", True),
        ("6 March", True),
        ("March 2010", True),
        ("April", False),
    ],
)
def test_parts_of_written_dates_are_distinguished(part: str, is_within: bool) -> None:
    question = "Was Easter in July 2009 or on 6 March 2010 or on April 31 of 20"
    start = question.index(part)
    span = (start, start + len(part))
    assert within_a_date(question, [(0, 3), span]) == ({span} if is_within else set())


@given(*[st.tuples(st.integers(0, 6), st.integers(1, 4)).map(lambda pair: (pair[0], sum(pair)))] * 3)
def test_spans_overlap_where_they_share_a_character(one: Span, other: Span, third: Span) -> None:
    def shares(span: Span) -> bool:
        return not set(range(*one)).isdisjoint(range(*span))

    assert overlaps(one, [other]) == shares(other)
    assert overlaps(one, [other, third]) == (shares(other) or shares(third))
    assert not overlaps(one, [])


def test_there_is_no_century_before_the_first() -> None:
    assert [str(mention.term) for mention in literals("who was born in the 0th century", ())] == []
