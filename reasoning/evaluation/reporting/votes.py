"""How far several evaluations of the same questions agree, and how often what most of them say is right.

Answers agree where their sets are the same, in any order. To answer nothing agrees
with answering nothing, but it is no vote.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Agreement(StrEnum):
    """How far all evaluations agree on one question, in words."""

    ALL_RIGHT = "all agree, right"
    ALL_WRONG = "all agree, wrong"
    ALL_BUT_ONE = "all but one agree"
    SOME = "some agree"
    NONE = "all differ"


@dataclass(frozen=True, slots=True)
class Answered:
    """What one evaluation made of a question."""

    answers: frozenset[str]
    """Their ids, as far as they are kept; empty where nothing was answered."""
    total: int
    """How many there are."""
    right: bool
    """Whether the first one is right, or no answer was given where the benchmark has none."""
    f1: float


@dataclass(frozen=True, slots=True)
class Vote:
    """What most evaluations say of one question."""

    agree: int
    """The number of evaluations that gave this answer; 0 where none answered."""
    winner: Answered
    """One of those that do: the first of them."""


def agreement(answered: Sequence[Answered]) -> Agreement:
    """How far several evaluations agree on one question.

    Raises:
        ValueError: there are fewer than two.

    """
    if len(answered) < 2:  # noqa: PLR2004 - agreement needs two
        raise ValueError("agreement needs two evaluations or more")
    largest = max(_groups(answered).values(), key=len)
    if len(largest) == len(answered):
        return Agreement.ALL_RIGHT if any(each.right for each in answered) else Agreement.ALL_WRONG
    if len(largest) == 1:
        return Agreement.NONE
    return Agreement.ALL_BUT_ONE if len(largest) == len(answered) - 1 else Agreement.SOME


def vote(answered: Sequence[Answered]) -> Vote:
    """What most evaluations say of one question; of those with as many votes, the first in the given order wins.

    Raises:
        ValueError: there is none.

    """
    if not answered:
        raise ValueError("there are no evaluations to vote")
    voting = [each for each in answered if each.answers]
    if not voting:
        return Vote(0, answered[0])
    largest = max(_groups(voting).values(), key=len)
    return Vote(len(largest), largest[0])


@dataclass(frozen=True, slots=True)
class Degree:
    """The questions for which exactly this number of evaluations agree."""

    agree: int
    right: tuple[float, ...]
    """Of each of these questions, 1 where the vote is right."""
    f1: tuple[float, ...]


def degrees(votes: Sequence[Vote]) -> list[Degree]:
    """The votes by how many evaluations agree: how far the agreement of strategies tells that an answer is right."""
    by_agreement: defaultdict[int, list[Vote]] = defaultdict(list)
    for each in votes:
        by_agreement[each.agree].append(each)
    return [
        Degree(agree, tuple(float(each.winner.right) for each in held), tuple(each.winner.f1 for each in held))
        for agree, held in sorted(by_agreement.items(), reverse=True)
    ]


def kinds(questions: Sequence[Sequence[Answered]]) -> dict[Agreement, int]:
    """How many questions there are of each kind of agreement."""
    counted = Counter(agreement(each) for each in questions)
    return {kind: counted[kind] for kind in Agreement}


def _groups(answered: Sequence[Answered]) -> dict[tuple[frozenset[str], int], list[Answered]]:
    """Those that say the same, the first one's group first."""
    groups: dict[tuple[frozenset[str], int], list[Answered]] = {}
    for each in answered:
        groups.setdefault((each.answers, each.total), []).append(each)
    return groups
