"""Asking an evaluation's questions: of its graph, by its scorer, in its way."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from reasoning.evaluation.judging import ask, ask_of_own_graph
from reasoning.evaluation.rows import RowGraphs
from reasoning.evaluation.settings import EvaluationSettings
from webapp import engine
from webapp.datasets.files import dataset_path
from webapp.runs.services import LONGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.outcome import Outcome
    from webapp.evaluations.models import Evaluation


@contextmanager
def asking(evaluation: Evaluation) -> Iterator[Callable[[BenchmarkQuestion, Callable[[], None]], Outcome]]:
    """What asks a question and tells what became of it, calling something after each event; see `ask`.

    Raises:
        DatasetError: the file that holds each question's own graph is gone, or changed.
        GraphLoadError: a question's own graph cannot be written.
        GraphStoreError: the graph cannot be read.
        ScorerUnavailableError: the scorer cannot be loaded, or not be asked.

    """
    settings = EvaluationSettings.from_json(evaluation.switches)
    longest = LONGEST.total_seconds()
    with engine.scorer(evaluation.scorer) as scorer:
        if evaluation.graph:
            store = engine.graph(evaluation.graph)
            yield lambda question, watch: ask(question, store, scorer, settings, longest=longest, watch=watch)
            return
        with RowGraphs(dataset_path(evaluation.dataset)) as rows:
            yield lambda question, watch: ask_of_own_graph(
                question, rows, scorer, settings, longest=longest, watch=watch
            )
