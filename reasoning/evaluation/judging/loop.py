"""The evaluation loop: questions are asked one by one, and each outcome is kept before the next question is asked."""

from __future__ import annotations

from contextlib import nullcontext
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from reasoning.evaluation.judging.judging import ask
from reasoning.evaluation.judging.rows import RowGraphs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.outcome import Outcome
    from reasoning.evaluation.judging.settings import EvaluationSettings
    from reasoning.scorers.base import Scorer
    from reasoning.writers.base import Writer


class OpenQuestions(Protocol):
    """The questions of an evaluation that are not judged yet, and the place where their outcomes are kept."""

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        """The questions; the outcome of one is kept before the next is taken. Ends where the caller is to stop."""

    def watch(self) -> None:
        """Called after each event of the question in hand, and while a model writes. What it raises ends the loop."""

    def keep(self, outcome: Outcome) -> None:
        """Keep the outcome of the question in hand."""


def judge_all(
    questions: OpenQuestions,
    graph: GraphStore | Path,
    scorer: Scorer,
    settings: EvaluationSettings,
    *,
    longest: float = inf,
    writer: Writer | None = None,
) -> None:
    """Ask open questions and keep their outcomes.

    All are asked of one graph, or each of its own where ``graph`` is the benchmark's file that holds a graph a row.
    A question takes ``longest`` seconds at most. ``writer`` is for strategies that need one.

    Raises:
        DatasetError: the file of the graphs cannot be read, or lacks a question's row.
        GraphLoadError, GraphStoreError, ScorerUnavailableError, ValueError: see `ask`; this question is not judged.

    """
    with RowGraphs(graph) if isinstance(graph, Path) else nullcontext(graph) as graphs:
        for question in questions:
            questions.keep(
                ask(question, graphs, scorer, settings, longest=longest, watch=questions.watch, writer=writer)
            )
