"""How far evaluations agree, and what most of them say, over a miniature worked out by hand."""

from __future__ import annotations

import pytest

from reasoning.evaluation.reporting.votes import Agreement, Answered, Vote, agreement, degrees, kinds, vote

A = Answered(frozenset({"a"}), 1, right=True, f1=1.0)
AB = Answered(frozenset({"a", "b"}), 2, right=True, f1=0.5)
B = Answered(frozenset({"b"}), 1, right=False, f1=0.0)
C = Answered(frozenset({"c"}), 1, right=False, f1=0.0)
D = Answered(frozenset({"d"}), 1, right=False, f1=0.0)
NOTHING = Answered(frozenset(), 0, right=False, f1=0.0)

QUESTIONS = (
    (A, A, A, A),
    (B, B, B, B),
    (A, A, B, A),
    (B, B, A, A),
    (C, C, A, B),
    (A, B, C, D),
    (NOTHING, A, NOTHING, A),
)


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        (QUESTIONS[0], Agreement.ALL_RIGHT),
        (QUESTIONS[1], Agreement.ALL_WRONG),
        (QUESTIONS[2], Agreement.ALL_BUT_ONE),
        (QUESTIONS[3], Agreement.SOME),
        (QUESTIONS[4], Agreement.SOME),
        (QUESTIONS[5], Agreement.NONE),
        ((A, A, B), Agreement.ALL_BUT_ONE),
        ((A, B), Agreement.NONE),
        ((A, AB), Agreement.NONE),
        ((NOTHING, NOTHING), Agreement.ALL_WRONG),
    ],
)
def test_agreement_is_that_of_whole_sets_of_answers(answered: tuple[Answered, ...], expected: Agreement) -> None:
    assert agreement(answered) is expected


def test_sets_of_which_only_a_part_is_kept_agree_where_their_sizes_do() -> None:
    part = frozenset({"a"})
    assert (
        agreement([Answered(part, 300, right=True, f1=1.0), Answered(part, 301, right=True, f1=1.0)]) is Agreement.NONE
    )


def test_one_alone_agrees_with_nobody_and_nobody_votes() -> None:
    with pytest.raises(ValueError, match="needs two evaluations"):
        agreement([A])
    with pytest.raises(ValueError, match="no evaluations to vote"):
        vote([])


def test_the_most_win_and_of_as_many_the_first() -> None:
    assert vote(QUESTIONS[2]) == Vote(3, A)
    assert vote(QUESTIONS[3]) == Vote(2, B)
    assert vote((A, A, B, B)) == Vote(2, A)
    assert vote(QUESTIONS[5]) == Vote(1, A)


def test_who_answers_nothing_does_not_vote() -> None:
    assert vote((NOTHING, NOTHING, NOTHING, B)) == Vote(1, B)
    assert vote((NOTHING, NOTHING)) == Vote(0, NOTHING)


def test_the_vote_is_reported_by_how_many_agree() -> None:
    """Of the seven: two with four votes, one right; one with three, right; three with two, one right; one with one."""
    shown = degrees([vote(each) for each in QUESTIONS])
    assert [(each.agree, each.right) for each in shown] == [
        (4, (1.0, 0.0)),
        (3, (1.0,)),
        (2, (0.0, 0.0, 1.0)),
        (1, (1.0,)),
    ]
    assert [each.f1 for each in shown] == [each.right for each in shown]


def test_questions_are_counted_by_their_agreement() -> None:
    assert kinds(QUESTIONS) == {
        Agreement.ALL_RIGHT: 1,
        Agreement.ALL_WRONG: 1,
        Agreement.ALL_BUT_ONE: 1,
        Agreement.SOME: 3,
        Agreement.NONE: 1,
    }
