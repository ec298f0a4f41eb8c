"""Which questions of a benchmark are asked, and which are left out and why."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from reasoning.datasets.errors import DatasetError
from reasoning.datasets.question import ANSWERS, UNKNOWN, RefusedQuestion
from reasoning.evaluation.judging.gold_from_graph import with_answers_from
from reasoning.evaluation.judging.judging import is_judged
from reasoning.evaluation.metrics.structure_size import structure_size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kgstore.store import GraphStore
    from reasoning.datasets.question import BenchmarkQuestion
    from reasoning.evaluation.judging.settings import EvaluationSettings

Part: TypeAlias = Literal["train", "validation", "all"]

REFUSED_KEPT = 1_000
"""Maximum of questions that cannot be asked that are kept by name. All of them are counted."""
UNKNOWN_ANSWERS = "the file does not say the answers"
NONE_FROM_GRAPH = "the gold query gives nothing on this graph"
NOT_SCORED = "not scored by the benchmark's rule"
FEWER_BRANCHES = "fewer branches, or no gold structure"


@dataclass(frozen=True, slots=True)
class Selection:
    """The questions to be asked, in the file's order."""

    questions: tuple[BenchmarkQuestion, ...]
    left_out: Mapping[str, int]
    """By reason, those of the part that cannot be judged or are too simple, and those of the file that were refused."""
    refused: tuple[RefusedQuestion, ...] = ()
    """The first `REFUSED_KEPT` of the last."""
    wordings: Mapping[str, str] = field(default_factory=dict)
    """The text of every question of the file by its id, asked or not, in the file's order."""


def select(
    questions: Iterable[BenchmarkQuestion | RefusedQuestion],
    settings: EvaluationSettings,
    *,
    store: GraphStore | None = None,
    part: Part = "all",
    ids: Collection[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> Selection:
    """Choose by split, by id, by branches; of what is left ``limit``, drawn by chance that the seed fixes.

    ``store`` is the graph that is asked; None where each question has its own.

    Raises:
        DatasetError: the benchmark has no question of one of the ids; gold answers are to come from the graph, and
            there is no one graph; or the file itself is wrong.
        GraphStoreError: the graph cannot be read.

    """
    if settings.gold == "from-graph" and store is None:
        raise DatasetError("Gold answers can come from a graph only where all questions are asked of one. Name it.")
    left_out: Counter[str] = Counter()
    chosen = []
    refused: list[RefusedQuestion] = []
    wordings: dict[str, str] = {}
    for question in of_part(_noted(questions, wordings), part, ids):
        if isinstance(question, RefusedQuestion):
            left_out[question.reason] += 1
            if len(refused) < REFUSED_KEPT:
                refused.append(question)
            continue
        asked = question if store is None or settings.gold == "given" else with_answers_from(store, question)
        if reason := _why_not(asked, settings):
            left_out[reason] += 1
        else:
            chosen.append(asked)
    if limit is not None and limit < len(chosen):
        drawn = random.Random(seed).sample(range(len(chosen)), limit)  # noqa: S311 - no secret
        chosen = [chosen[index] for index in sorted(drawn)]
    return Selection(tuple(chosen), dict(left_out), tuple(refused), wordings)


def _noted(
    questions: Iterable[BenchmarkQuestion | RefusedQuestion], wordings: dict[str, str]
) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions; the text of each is noted as it passes."""
    for question in questions:
        if not isinstance(question, RefusedQuestion):
            wordings[question.id] = question.text
        yield question


def of_part(
    questions: Iterable[BenchmarkQuestion | RefusedQuestion], part: Part, ids: Collection[str] | None
) -> Iterator[BenchmarkQuestion | RefusedQuestion]:
    """The questions of a part, and of some ids where they are named; those that were refused come along.

    Raises:
        DatasetError: at the end, where there is no question of one of the ids; or the file itself is wrong.

    """
    missing = set(ids or ())
    for question in questions:
        if isinstance(question, RefusedQuestion):
            yield question
            continue
        missing.discard(question.id)
        if part in ("all", question.split) and (ids is None or question.id in ids):
            yield question
    if missing:
        raise DatasetError(f"There is no question {', '.join(sorted(missing)[:5])} in the dataset.")


def questions_hash(questions: Iterable[BenchmarkQuestion]) -> str:
    """What tells whether the same questions were asked in the same words: a hash of ids and texts, in hexadecimal."""
    asked = "\n".join(f"{question.id}\t{question.text}" for question in questions)
    return hashlib.sha256(asked.encode()).hexdigest()


def check_topics(questions: Iterable[BenchmarkQuestion], store: GraphStore) -> None:
    """Make sure that a graph can be the one that questions with given topics are about.

    Raises:
        DatasetError: it holds none of their topic entities.
        GraphStoreError: it cannot be read.

    """
    topics = {question.topic for question in questions if question.topic is not None}
    if topics and not store.cards(topics):
        raise DatasetError(
            f"The graph “{store.info().title}” holds none of the {len(topics):,} topic entities of these questions, "
            f"such as {min(topics)}. Choose the graph that they are about, or let topics be linked."
        )


def _why_not(question: BenchmarkQuestion, settings: EvaluationSettings) -> str:
    if question.labels.get(ANSWERS) == UNKNOWN:
        decomposed = any(parse.derivation is not None for parse in question.parses)
        return NONE_FROM_GRAPH if settings.gold == "from-graph" and decomposed else UNKNOWN_ANSWERS
    if not is_judged(question):
        return NOT_SCORED
    if settings.gold_branches_from > 1:
        first = next((parse.derivation for parse in question.parses if parse.derivation is not None), None)
        if first is None or structure_size(first).branches < settings.gold_branches_from:
            return FEWER_BRANCHES
    return ""
