"""The outcomes of an evaluation under corrections of the benchmark's labels. Nothing is asked again.

What was answered is kept; only what it is compared with changes. So outcomes without an overlay are those that were
kept, and under one every outcome that it does not correct is the very same.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from reasoning.datasets.overlay import CorrectionKind
from reasoning.evaluation.judging.judging import judged_again
from reasoning.evaluation.judging.outcome import Outcome
from reasoning.evaluation.judging.rows import graph_of
from reasoning.evaluation.reporting.report import figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kgstore.store import GraphStore
    from reasoning.datasets.overlay import Overlay, SignedOverlay
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.rows import RowGraphs
    from reasoning.evaluation.judging.settings import EvaluationSettings


class NotApplied(StrEnum):
    """Why a correction changes no figure, in words that can be counted."""

    REWORDED = "reworded: it was asked in its old words, and counts as it did"
    OTHER_LABEL = "the benchmark says something else than what was corrected"
    TOO_MANY_ANSWERS = "not all of its answers were kept"
    NOT_ASKED = "the question was not asked"


@dataclass(slots=True)
class Overlaid:
    """Outcomes under an overlay."""

    outcomes: list[Outcome]
    """Without those whose right answers are not known any more."""
    applied: Counter[CorrectionKind] = field(default_factory=Counter)
    not_applied: Counter[NotApplied] = field(default_factory=Counter)
    left_out: int = 0
    """The number of questions that are not judged: their labels are wrong and have no correction."""
    of_question: dict[str, Outcome | NotApplied | None] = field(default_factory=dict)
    """What each correction of a question that was asked came to, by the question's id: its outcome under it, why there
    is none, or None where it is not judged."""

    def report(self, signed: SignedOverlay, settings: EvaluationSettings, graph: str) -> dict[str, Any]:
        """The figures under the overlay, what of it was applied, and whose it is, as one JSON document.

        ``graph`` is what the figures call the graph.
        """
        overlay = signed.overlay
        return {
            "dataset": overlay.dataset,
            "identity": overlay.identity,
            "signer": overlay.signer,
            "key": signed.key,
            "made_at": overlay.made_at,
            "corrections": len(overlay.corrections),
            "applied": {str(kind): count for kind, count in sorted(self.applied.items())},
            "not_applied": {str(why): count for why, count in self.not_applied.items()},
            "not_judged": self.left_out,
            "figures": self._figures(settings, graph),
        }

    def _figures(self, settings: EvaluationSettings, graph: str) -> dict[str, Any]:
        found = figures(self.outcomes, topics=settings.topics, graph=graph)
        again = (each for each in self.of_question.values() if isinstance(each, Outcome))
        if settings.has_error_classes and any(each.dog is None and not each.is_right for each in again):
            # A count that leaves out what is not known would say too little.
            found["dog"] = None
        return found


def under_overlay(
    outcomes: Iterable[Outcome],
    questions: Mapping[str, BenchmarkQuestion],
    overlay: Overlay,
    graph: GraphStore | RowGraphs,
    settings: EvaluationSettings,
) -> Overlaid:
    """Outcomes as they are under an overlay, over the graph that the questions were asked of.

    Raises:
        DatasetError, GraphLoadError, GraphStoreError: the graph cannot be read.

    """
    waiting = dict(overlay.by_question())
    found = Overlaid([])
    for outcome in outcomes:
        correction = waiting.pop(outcome.id, None)
        if correction is None:
            found.outcomes.append(outcome)
            continue
        question = questions[outcome.id]
        fault = None
        if correction.kind is CorrectionKind.REWORDED:
            fault = NotApplied.REWORDED
        elif not correction.is_of(question):
            fault = NotApplied.OTHER_LABEL
        corrected = None if fault else correction.corrected(question)
        if fault is None and corrected is None:
            found.applied[correction.kind] += 1
            found.left_out += 1
            found.of_question[outcome.id] = None
            continue
        store = graph_of(question, graph)
        again = None if corrected is None else judged_again(outcome, corrected, store, settings)
        if again is None:
            why = fault or NotApplied.TOO_MANY_ANSWERS
            found.not_applied[why] += 1
            found.of_question[outcome.id] = why
        else:
            found.applied[correction.kind] += 1
            found.of_question[outcome.id] = again
        found.outcomes.append(again or outcome)
    if waiting:
        found.not_applied[NotApplied.NOT_ASKED] = len(waiting)
    return found
