"""Several evaluations of the same questions as one table, and how far they agree question by question."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING

from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.cells import cell
from reasoning.evaluation.reporting.intervals import interval
from reasoning.evaluation.reporting.votes import Answered, agreement, degrees, kinds, vote
from webapp.evaluations.comparisons.standings_schemas import (
    AgreementKindOut,
    AnswersAgreementOut,
    DegreeOut,
    MeanOut,
    StandingOut,
    StandingsOut,
    UnlikeOut,
)
from webapp.evaluations.models import EvaluatedQuestion
from webapp.evaluations.selectors import evaluation_out
from webapp.platform.http.heavy_reads import kept_read
from webapp.platform.http.streaming import csv_line

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Mapping, Sequence

    from webapp.evaluations.models import Evaluation

FIGURES = ("right", "f1", "hit", "exact", "recall", "seconds", "calls", "tokens_in", "tokens_out")
"""The means of a standing, in the order of its table."""
_KEPT = 16
"""Number of evaluations whose questions a process caches, as they are polled."""
_COMPARISONS_KEPT = 256
"""The number of comparisons whose figures a process keeps."""
_TABLES_KEPT = 8
"""The number of agreement tables that a process keeps; each is some megabytes at most."""
_ROWS_AT_ONCE = 500
_TOPICS = {"gold": "was given what each question is about", "linked": "had to find what each question is about"}
_LABELS = 10
"""Maximum of answers of a question in a file."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What an evaluation made of a question."""

    text: str
    answered: Answered
    labels: tuple[str, ...]
    """What the first answers are called."""
    figures: Mapping[str, float]
    """Of `FIGURES`, those that are known: of another system neither costs nor seconds are."""


@dataclass(frozen=True, slots=True)
class _Figures:
    """The figures of several evaluations, as in `StandingsOut`."""

    common: int
    reworded: int
    means: Sequence[Mapping[str, MeanOut | None]]
    """Of each evaluation, by `FIGURES`."""
    agreement: AnswersAgreementOut | None


def standings(evaluations: Sequence[Evaluation], *, may_manage: bool) -> StandingsOut:
    """Several evaluations over the questions that all have judged, with 95 % intervals."""
    found = _figures(*(each.judged_key for each in evaluations))
    return StandingsOut(
        common=found.common,
        unlike=[words for each in evaluations[1:] for words in _unlike(evaluations[0], each)],
        reworded=found.reworded,
        standings=[
            StandingOut(evaluation=evaluation_out(evaluation, may_manage=may_manage), **means)
            for evaluation, means in zip(evaluations, found.means, strict=True)
        ],
        agreement=found.agreement,
    )


@kept_read(most=_COMPARISONS_KEPT)
def _figures(*judged_keys: tuple[uuid.UUID, int]) -> _Figures:
    judged = [questions_judged(*each) for each in judged_keys]
    common = common_questions(judged)
    return _Figures(
        common=len(common),
        reworded=len(set[str]().union(*judged).intersection(*judged)) - len(common),
        means=[{name: _mean([held[id_].figures.get(name) for id_ in common]) for name in FIGURES} for held in judged],
        agreement=_agreement([[held[id_].answered for held in judged] for id_ in common]),
    )


def standings_table(table: StandingsOut) -> Iterator[list[str]]:
    """The same as the rows of a table, the first of which is its head."""
    yield [
        *("evaluation", "note", "strategy", "scorer", "dataset", "graph", "topics", "questions"),
        *(f"{name}{part}" for name in FIGURES for part in ("", "_low", "_high")),
    ]
    for each in table.standings:
        one = each.evaluation
        means: list[MeanOut | None] = [getattr(each, name) for name in FIGURES]
        yield [
            *map(cell, (str(one.id), one.note, one.settings.strategy, one.scorer, one.dataset, one.graph_title)),
            *map(cell, (one.settings.topics, table.common)),
            *(cell(value) for m in means for value in ((None,) * 3 if m is None else (m.value, m.low, m.high))),
        ]


def agreement_table(evaluations: Sequence[Evaluation]) -> str:
    """How far several evaluations agree on each question, as CSV."""
    names = tuple(f"{number} {_strategy(each)} {each.scorer}" for number, each in enumerate(evaluations, start=1))
    return _agreement_table(names, *(each.judged_key for each in evaluations))


@kept_read(most=_TABLES_KEPT)
def _agreement_table(names: tuple[str, ...], *judged_keys: tuple[uuid.UUID, int]) -> str:
    judged = [questions_judged(*each) for each in judged_keys]
    return "".join(map(csv_line, _agreement_rows(names, judged)))


def _agreement_rows(names: Sequence[str], judged: Sequence[Mapping[str, Judged]]) -> Iterator[list[str]]:
    """The rows of the table, the first of which is its head."""
    yield [
        *("id", "question", "agreement", "votes", "vote_right"),
        *(f"{name}: {what}" for name in names for what in ("answers", "right")),
    ]
    for id_ in common_questions(judged):
        rows = [held[id_] for held in judged]
        answered = [row.answered for row in rows]
        won = vote(answered)
        yield [
            *map(cell, (id_, rows[0].text, agreement(answered).value, won.agree, won.winner.right)),
            *(cell(value) for row in rows for value in (list(row.labels), row.answered.right)),
        ]


def common_questions(judged: Sequence[Mapping[str, Judged]]) -> list[str]:
    """The ids of the questions that all have judged in the same words, in the order of the first."""
    first, *others = judged
    return [id_ for id_, each in first.items() if all(id_ in held and held[id_].text == each.text for held in others)]


@lru_cache(maxsize=_KEPT)
def questions_judged(evaluation_id: uuid.UUID, _done: int) -> Mapping[str, Judged]:
    """What became of each judged question, by its id in the dataset; read again once more are done."""
    rows = EvaluatedQuestion.objects.filter(evaluation=evaluation_id, judged_at__isnull=False).order_by("position")
    columns = (
        *("question_id", "text", "right", "f1", "outcome__predicted", "outcome__predicted_labels"),
        *("outcome__predicted_total", "outcome__system", "outcome__hit", "outcome__exact", "outcome__recall"),
        *("outcome__seconds", "outcome__calls", "outcome__tokens_in", "outcome__tokens_out"),
    )
    found = {}
    for id_, text, right, f1, shown, labels, total, system, hit, exact, recall, *costs in rows.values_list(
        *columns
    ).iterator(_ROWS_AT_ONCE):
        figures = {"right": right, "f1": f1, "hit": hit, "exact": exact, "recall": recall}
        if not system:
            figures |= dict(zip(("seconds", "calls", "tokens_in", "tokens_out"), costs, strict=True))
        answered = Answered(frozenset(shown or ()), total or 0, right=bool(right), f1=f1 or 0.0)
        known = {name: float(value) for name, value in figures.items() if value is not None}
        found[id_] = Judged(text, answered, tuple(labels or ())[:_LABELS], known)
    return found


def _agreement(questions: Sequence[Sequence[Answered]]) -> AnswersAgreementOut | None:
    """None without questions, or with one evaluation only."""
    if not questions or len(questions[0]) < 2:  # noqa: PLR2004 - agreement needs two
        return None
    votes = [vote(each) for each in questions]
    return AnswersAgreementOut(
        kinds=[AgreementKindOut(kind=kind.value, questions=count) for kind, count in kinds(questions).items()],
        right=_some([float(each.winner.right) for each in votes]),
        f1=_some([each.winner.f1 for each in votes]),
        degrees=[
            DegreeOut(agree=each.agree, questions=len(each.right), right=_some(each.right), f1=_some(each.f1))
            for each in degrees(votes)
        ],
    )


def _unlike(first: Evaluation, other: Evaluation) -> Iterator[UnlikeOut]:
    """What another evaluation asked of something else than the first, in words."""
    if first.fingerprint != other.fingerprint:
        words = f"It asked “{other.dataset}”, and the first one “{first.dataset}”."
        if first.dataset == other.dataset:
            words = f"It asked another version of “{other.dataset}”."
        yield UnlikeOut(evaluation=other.pk, what="dataset", words=words)
    if (first.graph, first.graph_version) != (other.graph, other.graph_version):
        words = f"It asked the graph “{other.graph_title}”, and the first one “{first.graph_title}”."
        if first.graph == other.graph:
            words = f"It asked another version of the graph “{other.graph_title}”."
        yield UnlikeOut(evaluation=other.pk, what="graph", words=words)
    topics, own = (_TOPICS[EvaluationSettings.from_earlier(each.switches).topics] for each in (first, other))
    if topics != own:
        yield UnlikeOut(evaluation=other.pk, what="topics", words=f"It {own}, and the first one {topics}.")


def _strategy(evaluation: Evaluation) -> str:
    return EvaluationSettings.from_earlier(evaluation.switches).strategy


def _mean(values: Sequence[float | None]) -> MeanOut | None:
    """None where one of the values is not known, or there is none."""
    known = [value for value in values if value is not None]
    return _some(known) if known and len(known) == len(values) else None


def _some(values: Sequence[float]) -> MeanOut:
    low, high = interval(values)
    return MeanOut(value=fmean(values), low=low, high=high)
