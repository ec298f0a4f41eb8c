"""The one interface of exports: how a format is described, and how labels are written in it, one after another.

A new format is one file with its `ExportFormat` and one entry in `reasoning.exports.registry`. It refuses what it would
say otherwise than the label does, with a reason that is counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from reasoning.core.derivation import Derivation
    from reasoning.exports.label import ExportedLabel


class LeftOut(StrEnum):
    """Why a format does not take a label, in words that can be counted; each completes *12 labels*."""

    OF_ROUND = "are of a qualification round"
    NO_DERIVATION = "have no derivation"
    UNANSWERABLE = "say that the graph cannot answer the question"
    AMBIGUOUS = "say that the question has several readings"
    OF_THE_QUESTION = "say something of the question or the benchmark, and no answer"
    NO_TOPIC = "name no topic entity"
    NO_ANSWER_POSITION = "have their answer at the topic entity, which no query asks for"
    NO_FACTS = "have no facts, or facts that the graph does not hold any more"
    ONE_NAME = "name two things of one name"
    NO_S_EXPRESSION = "have a derivation that no s-expression says"
    READ_OTHERWISE = "would be read again as something else"
    UNREADABLE = "could not be read again"


class LeftOutError(ValueError):
    """A format has no words for a label."""

    def __init__(self, reason: LeftOut) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(slots=True)
class ExportTally:
    """What became of the labels of an export."""

    went_in: int = 0
    left_out: Counter[LeftOut] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that labels are exported in."""

    name: str
    """What it is called in commands: ``webqsp``."""
    title: str
    """What people call it."""
    says: str
    """What a file of it holds, and for whom it is; a sentence."""
    cannot_say: tuple[str, ...]
    """What of a label does not stand in it; sentences."""
    ending: str
    """Of the file's name."""
    media_type: str
    entry: Callable[[ExportedLabel], str]
    """A label's part of the file. Raises `LeftOutError`."""
    before: str = ""
    """What the file begins with."""
    between: str = ""
    """What stands between two labels."""
    after: str = ""
    """What it ends with."""
    reads_graph: bool = True
    """Whether it is the fuller for what the graph says: names, and facts."""
    has_people: bool = False
    """Whether it says who made a label."""
    has_moves: bool = False
    """Whether it can hold the log of moves."""
    has_agreement: bool = False
    """Whether it tells how far the labels of a question agree."""
    with_facts: bool = False
    """Whether it holds the gold subgraph of derivations."""


def exported(labels: Iterable[ExportedLabel], format_: ExportFormat, tally: ExportTally) -> Iterator[str]:
    """The parts of a file of labels, in their order, none empty; what came of each is counted in the tally."""
    if format_.before:
        yield format_.before
    for label in labels:
        try:
            entry = format_.entry(label)
        except LeftOutError as error:
            tally.left_out[error.reason] += 1
            continue
        yield f"{format_.between if tally.went_in else ''}{entry}"
        tally.went_in += 1
    if format_.after:
        yield format_.after


def derivation_of(label: ExportedLabel) -> Derivation:
    """The derivation of a label.

    Raises:
        LeftOutError: it has none, or is no label that counts.

    """
    ensure_of_answers(label)
    if label.kind == "unanswerable":
        raise LeftOutError(LeftOut.UNANSWERABLE)
    if label.derivation is None:
        raise LeftOutError(LeftOut.NO_DERIVATION)
    return label.derivation


def ensure_of_answers(label: ExportedLabel) -> None:
    """See that a label says what the answers are, or that there are none.

    Raises:
        LeftOutError: it says something else, or does not count.

    """
    if label.of_round:
        raise LeftOutError(LeftOut.OF_ROUND)
    if label.kind == "ambiguous":
        raise LeftOutError(LeftOut.AMBIGUOUS)
    if label.kind in ("reword", "benchmark"):
        raise LeftOutError(LeftOut.OF_THE_QUESTION)
