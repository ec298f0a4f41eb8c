"""The agreement of all labels of a project: over questions, between every two people, stage by stage."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

from reasoning.agreement.alpha import krippendorff_alpha
from reasoning.agreement.figures import AgreementFigure, coefficient_figure, mean_figure
from reasoning.agreement.kappa import cohen_kappa
from reasoning.agreement.pairs import STAGES, StageName
from reasoning.agreement.questions import QuestionAgreement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reasoning.agreement.pairs import PairAgreement
    from reasoning.agreement.questions import LabelSaid

SINGLE = "No question has two labels yet."
_SILENT = "There are no two labels of a question that both say what its answers are."
_NO_TWO = "There are no two labels of a question that are both derivations."
_NO_FACTS = "There are no two labels of a question whose facts are known on this graph."
_ALL_THE_SAME = "All labels say the same, so that no disagreement is to be expected by chance either."
_NO_PEOPLE = "No two people have labelled the same question."
_ONE_LABEL = "questions with one label"
_SAYS_NONE = "pairs of labels of which one says nothing of answers"
_NO_DERIVATION = "pairs of labels of which one is no derivation"
_NO_DISTANCE = "pairs of labels of which one is no derivation, or too large to be compared"
_SILENT_LABELS = "labels that say nothing of answers, or are the only one of their question that does"
_NO_TOPICS = "There are no two labels of a question that both name a topic."
_FACTS_UNKNOWN = "pairs of labels of which one has no known facts"
_TOPICLESS = "pairs of labels of which one names no topic"
_GONE = "pairs of labels of which one is of a deleted account"
_NO_KAPPA = "pairs of people for whom it is not defined"


@dataclass(frozen=True, slots=True)
class AgreementMeasures:
    """The measures over the same questions. Each question counts once, with the mean of its pairs of labels."""

    answers: AgreementFigure
    """F1 of the answers."""
    same_derivation: AgreementFigure
    """Share of pairs of derivations that decide the same."""
    facts: AgreementFigure
    """F1 of the gold subgraphs."""
    distance: AgreementFigure
    """Graph edit distance, 0 being best."""
    alpha: AgreementFigure
    """Krippendorff's alpha of the answers, by MASI."""
    kappa_kind: AgreementFigure
    """Cohen's κ of the kind of label; of more than two people the mean over every two (Light 1971)."""
    kappa_topic: AgreementFigure
    """The same of the topic."""


@dataclass(frozen=True, slots=True)
class PeopleAgreement:
    """Two people over the questions that both labelled."""

    first: int
    second: int
    questions: int
    measures: AgreementMeasures


@dataclass(frozen=True, slots=True)
class StageAgreement:
    """The decisions of a stage, over pairs of derivations."""

    stage: StageName
    alike: AgreementFigure
    """F1 of the decisions, of topic and answer 1 or 0."""
    parted: int
    """The number of pairs that first differ in this stage."""


@dataclass(frozen=True, slots=True)
class ProjectAgreement:
    """All figures of a project."""

    questions: int
    """With a label at least."""
    compared: int
    """With two at least."""
    labels: int
    agreed: int
    """The number of compared questions whose labels agree in everything: kind, answers, and every decision."""
    measures: AgreementMeasures
    people: dict[int, int]
    """Everybody who labelled, with how many questions."""
    pairs: tuple[PeopleAgreement, ...]
    """Every two people who share a question, in the order of their numbers."""
    pairs_of_derivations: int
    stages: tuple[StageAgreement, ...]


def summarise(questions: Sequence[QuestionAgreement]) -> ProjectAgreement:
    """All figures of questions whose labels were compared; they do not depend on the order of questions or labels."""
    compared = [question for question in questions if question.pairs]
    shared = _shared(compared)
    derivations = [pair for question in compared for pair in question.pairs if pair.stages is not None]
    parted = Counter(pair.parted for pair in derivations)
    said_by = Counter(said.who for question in questions for said in question.labels if said.who is not None)
    return ProjectAgreement(
        questions=len(questions),
        compared=len(compared),
        labels=sum(len(question.labels) for question in questions),
        agreed=sum(question.agreed for question in compared),
        measures=_measures(
            compared,
            _light(shared, _kind, compared),
            _light(shared, _topic, compared),
            single=len(questions) - len(compared),
            drawn=True,
        ),
        people=dict(sorted(said_by.items())),
        pairs=tuple(
            PeopleAgreement(one, other, len(both), _measures(both, _cohen(both, _kind), _cohen(both, _topic)))
            for (one, other), both in sorted(shared.items())
        ),
        pairs_of_derivations=len(derivations),
        stages=tuple(
            StageAgreement(stage, _mean(compared, _stage(stage), _NO_TWO, {}, drawn=True), parted[stage])
            for stage in STAGES
        ),
    )


def _shared(compared: Sequence[QuestionAgreement]) -> dict[tuple[int, int], list[QuestionAgreement]]:
    """The questions of every two people, each with the labels of these two alone."""
    shared: defaultdict[tuple[int, int], list[QuestionAgreement]] = defaultdict(list)
    for question in compared:
        for (first, second), pair in zip(combinations(question.labels, 2), question.pairs, strict=True):
            if first.who is not None and second.who is not None:
                one, other = (first, second) if first.who <= second.who else (second, first)
                both = QuestionAgreement((one, other), (pair,), question.shown)
                shared[min(first.who, second.who), max(first.who, second.who)].append(both)
    return shared


def _measures(
    compared: Sequence[QuestionAgreement],
    kappa_kind: AgreementFigure,
    kappa_topic: AgreementFigure,
    *,
    single: int = 0,
    drawn: bool = False,
) -> AgreementMeasures:
    left_out = {_ONE_LABEL: single}

    def mean(read: Callable[[PairAgreement], float | None], why: str, words: str) -> AgreementFigure:
        return _mean(compared, read, why, {**left_out, **_unread(compared, read, words)}, drawn=drawn)

    answers = [_answers(question) for question in compared]
    pairable = [each for each in answers if len(each) > 1]
    silent = sum(len(question.labels) for question in compared) - sum(map(len, pairable))
    return AgreementMeasures(
        answers=mean(lambda pair: pair.answers, _SILENT, _SAYS_NONE),
        same_derivation=mean(_same, _NO_TWO, _NO_DERIVATION),
        facts=mean(lambda pair: pair.facts, _NO_FACTS, _FACTS_UNKNOWN),
        distance=mean(lambda pair: pair.distance, _NO_TWO, _NO_DISTANCE),
        alpha=coefficient_figure(
            krippendorff_alpha(pairable),
            len(pairable),
            _ALL_THE_SAME if pairable else _SILENT if compared else SINGLE,
            {**left_out, _SILENT_LABELS: silent},
        ),
        kappa_kind=kappa_kind,
        kappa_topic=kappa_topic,
    )


def _mean(
    compared: Sequence[QuestionAgreement],
    read: Callable[[PairAgreement], float | None],
    why: str,
    left_out: dict[str, int],
    *,
    drawn: bool,
) -> AgreementFigure:
    """The mean over questions of the mean of their pairs; pairs of which ``read`` tells nothing are passed over."""
    each = [[value for pair in question.pairs if (value := read(pair)) is not None] for question in compared]
    values = sorted(fmean(values) for values in each if values)
    return mean_figure(values, why if compared else SINGLE, left_out, drawn=drawn)


def _unread(
    compared: Sequence[QuestionAgreement], read: Callable[[PairAgreement], float | None], words: str
) -> dict[str, int]:
    return {words: sum(read(pair) is None for question in compared for pair in question.pairs)}


def _stage(stage: StageName) -> Callable[[PairAgreement], float | None]:
    return lambda pair: None if pair.stages is None else pair.stages[stage]


def _same(pair: PairAgreement) -> float | None:
    return None if pair.same_derivation is None else float(pair.same_derivation)


def _answers(question: QuestionAgreement) -> list[frozenset[str]]:
    return [frozenset(said.answers) for said in question.labels if said.answers is not None]


def _kind(said: LabelSaid) -> str | None:
    return said.kind


def _topic(said: LabelSaid) -> str | None:
    return said.topic


def _sorted_by_both(
    both: Sequence[QuestionAgreement], says: Callable[[LabelSaid], str | None]
) -> list[tuple[str, str]]:
    """What two people say of each question of which either says something."""
    said = [(says(question.labels[0]), says(question.labels[1])) for question in both]
    return [(one, other) for one, other in said if one is not None and other is not None]


def _cohen(both: Sequence[QuestionAgreement], says: Callable[[LabelSaid], str | None]) -> AgreementFigure:
    """Cohen's κ of two people."""
    said = _sorted_by_both(both, says)
    return coefficient_figure(
        cohen_kappa(said), len(said), _ALL_THE_SAME if said else _NO_TOPICS, {_TOPICLESS: len(both) - len(said)}
    )


def _light(
    shared: dict[tuple[int, int], list[QuestionAgreement]],
    says: Callable[[LabelSaid], str | None],
    compared: Sequence[QuestionAgreement],
) -> AgreementFigure:
    """The mean of Cohen's κ over every two people for whom it is defined."""
    figures = [_cohen(both, says) for _, both in sorted(shared.items())]
    defined = [figure.value for figure in figures if figure.value is not None]
    gone = sum(None in (pair.first, pair.second) for question in compared for pair in question.pairs)
    topicless = sum(figure.left_out.get(_TOPICLESS, 0) for figure in figures)
    left_out = {_GONE: gone, _TOPICLESS: topicless, _NO_KAPPA: len(figures) - len(defined) if defined else 0}
    questions = sum(figure.questions for figure in figures)
    why = _NO_PEOPLE if not shared else _ALL_THE_SAME if questions else _NO_TOPICS
    return coefficient_figure(fmean(defined) if defined else None, questions, why, left_out)
