"""API schemas of evaluations."""

from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from ninja import Field, Schema

from reasoning.core.options import Stage
from reasoning.evaluation.judging.outcome import Verdict
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.run.diagnosis import DogClass
from reasoning.strategies.registry import DEFAULT
from webapp.evaluations.figure_schemas import HeadlineFigureOut, ReadsTablesOut, RuleFigureOut, SlicesOut
from webapp.evaluations.models import MAX_GROUP_LENGTH
from webapp.platform.http.inputs import LARGEST, MAX_NAME_LENGTH, Input
from webapp.platform.http.option_fields import with_options
from webapp.platform.work.states import Status

Split: TypeAlias = Literal["validation", "train", "all"]
Case: TypeAlias = Literal["C1", "C2", "E1", "E2", "E3"]
Order: TypeAlias = Literal["position", "worst", "slowest"] | Stage
"""As in the dataset, by F1, by seconds, or by the seconds of a stage."""
Change: TypeAlias = Literal["any", "only_this", "only_other", "answers"]


@with_options("evaluated")
class SwitchesIn(Input):
    """How the questions are asked."""

    topics: Literal["gold", "linked"] = "gold"
    """Whether the topic entity is the benchmark's, or found in the question."""
    entity_types: bool = True
    """False to keep the types of entities from the scorer."""
    constraints: bool = True
    """False to set no conditions."""
    search: Literal["branching", "chain"] = "branching"
    """``chain`` to grow from the newest node alone."""
    min_branches: int = Field(default=0, ge=0, le=8)
    """The minimum of branches before the search may stop; 0 and 1 force nothing."""
    gold_branches_from: int = Field(default=0, ge=0, le=8)
    """Only questions whose gold structure has at least this number of branches; 0 and 1 take all."""
    perfect: bool = False
    """True to tell too what a chooser without mistakes would get."""
    strategy: str = Field(default=DEFAULT, max_length=MAX_NAME_LENGTH)
    """How the questions are answered; see the list of strategies."""
    model_may_answer: bool = False
    """True to also give what a model that writes answers by itself, without a fact of the graph; counted apart."""
    gold: Literal["given", "from-graph"] = "given"
    """``from-graph`` to ask the gold query of the graph for answers that the file does not say, or not all."""

    def to_settings(self) -> EvaluationSettings:
        """The same for the engine."""
        return EvaluationSettings.from_json(self.model_dump())


class PredictionsIn(Input):
    """What another system predicted, to be judged in place of what Discern would answer."""

    system: str = Field(min_length=1, max_length=100)
    """What it is called."""
    upload: UUID = Field(strict=False)
    """The file that was sent; see ``docs/how-to/other-systems.md`` for its shapes."""


class EvaluationIn(Input):
    """An evaluation to be started."""

    dataset: str = Field(max_length=MAX_NAME_LENGTH)
    """The name of a loaded dataset, or a file of the site's folder of datasets, which is then loaded first."""
    version: int | None = Field(default=None, ge=1, le=LARGEST)
    """Of a loaded dataset; its last one where it is left out."""
    format: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The likely one where it is left out."""
    split: Split = "validation"
    limit: int | None = Field(default=None, ge=1, le=LARGEST)
    """Maximum of questions, drawn at random, the same each time; all where it is left out."""
    graph: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The site's own choice where it is left out; or each question's own, in formats where each has one."""
    scorer: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    settings: SwitchesIn = SwitchesIn()
    note: str = Field(default="", max_length=200)
    group: str = Field(default="", max_length=MAX_GROUP_LENGTH)
    """A word that it shares with others."""
    predictions: PredictionsIn | None = None
    """Of another system; then no scorer is asked."""


class EvaluationChangeIn(Input):
    """What is to be changed of an evaluation; None leaves it as it is."""

    note: str | None = Field(default=None, max_length=200)
    group: str | None = Field(default=None, max_length=MAX_GROUP_LENGTH)
    starred: bool | None = None


class EvaluationFilter(Schema):
    """Which evaluations are wanted; what is left out is left open."""

    search: str = Field(default="", max_length=1_000)
    """Words, each of which stands in the note, or the name of the model, strategy, dataset, graph or group."""
    dataset: str = Field(default="", max_length=300)
    group: str = Field(default="", max_length=MAX_GROUP_LENGTH)
    starred: bool = False
    """True for those with a star alone."""


class QuestionFilter(Schema):
    """Which questions of an evaluation are wanted; None leaves a choice open."""

    case: Case | None = None
    dog_class: DogClass | None = None
    """The error class of DoG."""
    right: bool | None = None
    verdict: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """``unanswered`` for every verdict without an answer."""
    leaves: int | None = Field(default=None, ge=0, le=LARGEST)
    hops: int | None = Field(default=None, ge=0, le=LARGEST)
    graph_gap: bool | None = None
    answerable: bool | None = None
    seen: bool | None = None
    """Whether the scorer learned from the question."""
    f1_from: float | None = Field(default=None, ge=0, le=2)
    f1_below: float | None = Field(default=None, ge=0, le=2)
    label: str = Field(default="", max_length=1_000)
    """``name=value``."""
    search: str = Field(default="", max_length=1_000)
    changed: Change | None = None
    """Whose answer is right: only this evaluation's, only that of another, or any one of the two; or the two answer
    otherwise, right or wrong."""
    relation: str = Field(default="", max_length=1_000)
    """One of the gold derivation, in its plain reading."""
    domain: str = Field(default="", max_length=MAX_NAME_LENGTH)
    """What the name of such a relation begins with."""
    word: str = Field(default="", max_length=MAX_NAME_LENGTH)
    """A word of the question."""
    linking: bool | None = None
    """Whether the topic entity was found rightly; questions whose topic was given have neither."""
    confused: str = Field(default="", max_length=2_000)
    """``gold>chosen``: the relations at the first decision of the search that differs from the gold derivation."""
    order: Order = "position"


class EvaluationOut(Schema):
    """An evaluation as a row of a list."""

    id: UUID
    note: str
    group: str
    starred: bool
    dataset: str
    snapshot: UUID | None
    """The loaded dataset; None until the file was read, and of evaluations made before datasets had versions."""
    version: int | None
    """Which version of the dataset it is."""
    format: str
    split: Split
    limit: int | None
    graph: str
    graph_title: str
    graph_version: str
    scorer: str
    """The model that decides, or the other system that answered."""
    other_system: bool
    """Whether another system answered, of which no decisions are known."""
    settings: SwitchesIn
    status: Status
    reason: str
    """Why it failed, and what to do."""
    waits: str | None
    """Why it does not go on yet, in words: no worker is there that would take it up, or its graph or model is away."""
    total: int | None
    """How many questions there are; None until the dataset was read."""
    done: int
    right: float | None
    """Share of right ones among those judged so far."""
    f1: float | None
    """Their mean F1."""
    starter: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    may_manage: bool
    """Whether the viewer may cancel or resume it."""


class EvaluationPageOut(Schema):
    """Evaluations, newest first."""

    evaluations: list[EvaluationOut]
    total: int
    """How many meet the filter."""
    all: int
    """How many there are."""
    datasets: list[str]
    """The datasets that were evaluated, by name."""
    groups: list[str]
    """The groups that there are, by name."""
    may_manage: bool
    """Whether the viewer may start one."""


class AnsweredOut(Schema):
    """How well some questions are answered: shares from 0 to 1, and means over the questions."""

    questions: int
    hit: float
    hits_at_1: float
    exact_match: float
    """Of answers."""
    exact_match_of_logical_forms: float | None = None
    """None if no logical form was predicted."""
    precision: float
    recall: float
    macro_f1: float
    paper_f1: float
    turned_away: float


class ReachableOut(AnsweredOut):
    """The same compared with a scorer that makes no mistake."""

    perfect_hits_at_1: float
    perfect_f1: float
    of_perfect: float
    """The macro-F1 divided by the perfect one."""


class GraphGapOut(Schema):
    """The questions whose answers are not in the graph."""

    questions: int
    topic_not_in_graph: int
    turned_away: float | None


class UnanswerableOut(Schema):
    """The questions that the benchmark has no answer to."""

    questions: int
    recognised: int


class SearchFiguresOut(Schema):
    """How near the search came to the gold structures."""

    graph_hits: float | None
    with_gold_derivation: int
    relation_recall: float | None
    edit_distance: float | None
    same_graph: float | None


class StructureSizeOut(Schema):
    """The questions whose gold structure has this number of leaves and hops."""

    leaves: int
    hops: int
    questions: int
    hits_at_1: float
    macro_f1: float
    cases: dict[Case, int]


class AnswerCountOut(Schema):
    """The questions with this number of right answers."""

    fewest: int
    most: int | None
    """None where there is no upper end."""
    questions: int
    hits_at_1: float
    macro_f1: float


class StageCostOut(Schema):
    """What the model was asked in one stage, on average."""

    calls: float
    tokens_in: float
    tokens_out: float


class StageCostsOut(Schema):
    """The same by stage."""

    link: StageCostOut
    search: StageCostOut
    prune: StageCostOut
    infer: StageCostOut


class MeanCostOut(Schema):
    """What a question costs on average."""

    calls: float | None
    tokens_in: float | None
    tokens_out: float | None
    stages: StageCostsOut | None = None
    """Of the questions whose outcomes tell it; None where none does."""


class StagesOut(Schema):
    """Mean seconds by stage."""

    link: float
    search: float
    prune: float
    infer: float


class SecondsOut(Schema):
    """How long a question takes."""

    mean: float
    p95: float
    longest: float
    stages: StagesOut


class ReliabilityBinOut(Schema):
    """The answers whose confidence lies in a range."""

    low: float
    high: float
    questions: int
    confidence: float
    """Their mean confidence."""
    right: float
    """The share of them that is right."""


class ReliabilityOut(Schema):
    """The confidence of answers compared with what was right; see `reasoning.evaluation.reporting.calibration`."""

    questions: int
    confidence: float
    right: float
    ece: float
    """Expected calibration error."""
    bins: list[ReliabilityBinOut]
    corrected_ece: float | None
    """After a correction that each half of the questions learned from the other half."""
    correction: dict[str, float] | None


class DogFiguresOut(Schema):
    """The error classes of DoG, see `reasoning.run.diagnosis`."""

    classes: dict[DogClass, int]
    """How many wrong answers have each."""
    hits_at_1_with_aliases: float
    """Hits@1 if answers that are right by another name alone were right."""


class FiguresOut(Schema):
    """What `reasoning.evaluation.reporting.report.figures` makes of the outcomes, where each figure is defined."""

    topics: Literal["gold", "linked"]
    graph: str
    compared_by: str | None
    questions: int
    all: AnsweredOut | None
    answerable: AnsweredOut | None
    """Of the questions that the benchmark has answers to."""
    in_graph: AnsweredOut | None
    """Of those with an answer in the graph; error cases and shapes cover these."""
    reachable: ReachableOut | None
    """Of those that a gold derivation leads to; None where that was not asked for."""
    graph_gap: GraphGapOut
    unanswerable: UnanswerableOut
    cases: dict[Case, int]
    causes: dict[str, int] = Field(default_factory=dict)
    """Causes of answers that are not exactly right; empty in figures from before they were recorded."""
    dog: DogFiguresOut | None = None
    """None where no answer has an error class of DoG, and in figures from before it was recorded."""
    search: SearchFiguresOut
    by_shape: list[StructureSizeOut]
    by_answers: list[AnswerCountOut] = Field(default_factory=list)
    """Empty in figures from before it was recorded."""
    reasons: dict[str, int]
    failed: int
    without_gold_derivation: dict[str, int]
    linking: float | None
    cost: MeanCostOut
    seconds: SecondsOut | None
    from_the_model: AnsweredOut | None = None
    """Of the questions that a model answered without any fact; None in figures from before there were such."""
    without_the_model: AnsweredOut | None = None
    """Of all questions, where such an answer counts as none; None where there is no such answer."""
    confidence: ReliabilityOut | None = None
    """None where nothing was answered with a probability, and in figures from before it was recorded."""
    by_rules: list[RuleFigureOut] | None = None
    """None in figures from before it was recorded, like the next three."""
    headline: list[HeadlineFigureOut] | None = None
    reads: ReadsTablesOut | None = None
    slices: SlicesOut | None = None


class BinOut(Schema):
    """How many questions have an F1 from a bound on, and below another."""

    f1_from: float
    f1_below: float | None
    questions: int


class LabelOut(Schema):
    """What the benchmark says of some questions."""

    name: str
    values: list[str]


class RefusedQuestionOut(Schema):
    """An entry of the dataset's file that is no question, and why."""

    place: str
    """Where it stands in the file."""
    reason: str
    """In words that are counted in ``left_out``."""
    detail: str


class SeenInTrainingOut(Schema):
    """How many of an evaluation's questions the scorer learned from, by hashes that its model card carries."""

    questions: int
    seen: int
    same_identity: int
    """The same question of the same dataset."""
    same_text: int
    """Another question with the same normalised text."""


class JudgedPredictionsOut(Schema):
    """The file of another system's predictions."""

    name: str
    sha256: str
    questions: int | None
    """How many questions it names; None until it was read, like the next."""
    matched: int | None
    """The number of asked questions for which it has a prediction."""
    repeated: int | None
    """So often one took the place of an earlier one."""
    fields: list[str]
    """The fields of the file that the predictions were read from; empty for a file of question → answers."""
    notes: list[str]
    """What a reader of the figures must know about the file, as sentences."""


class PredictedFieldOut(Schema):
    """A field of a file of predictions."""

    name: str
    predictions: int
    """The number of predictions that were read from it."""


class PredictedOut(Schema):
    """A prediction as it was read."""

    question: str
    """The question's id, or its text where the file tells no ids."""
    answers: list[str]
    """The first few."""
    answers_total: int


class PredictionsLookOut(Schema):
    """What a file that was sent predicts first, before it is judged."""

    too_large: bool
    """Whether it is one document that is too large for a preview; then nothing else is reported."""
    fields: list[PredictedFieldOut]
    """What the predictions were read from; empty for a file of question → answers."""
    first: list[PredictedOut]
    looked_at: int
    """The number of predictions that were read."""
    is_all: bool
    """Whether the file holds no more."""


class RemovedCountOut(Schema):
    """Rows that depend on an evaluation and are deleted with it."""

    what: str
    """In words, singular or plural by their count."""
    count: int


class RemovalOut(Schema):
    """The effect of deleting an evaluation."""

    judged: int
    """The number of outcomes that are deleted."""
    goes: list[RemovedCountOut]
    """What else is deleted."""
    refused: str
    """Why it cannot be deleted; empty where it can."""


class CodeOut(Schema):
    """The code that an evaluation ran on; None where it is not known."""

    commit: str | None
    sources_sha256: str
    """Of the sources as they were, changed or not."""
    lock_sha256: str | None


class MachineOut(Schema):
    """The machine that an evaluation ran on."""

    cpu: str
    cores: int | None
    memory_bytes: int | None
    gpus: list[str]
    gpu_driver: str | None
    system: str


class EnvironmentOut(Schema):
    """Code, libraries and machine, as far as they changed since."""

    code: CodeOut | None = None
    versions: dict[str, str] | None = None
    machine: MachineOut | None = None


class ManifestModelOut(Schema):
    """Who decided."""

    scorer: str
    weights: dict[str, str]
    """The hash of each of its files."""
    server: str | None
    """What its server calls it."""


class ManifestDatasetOut(Schema):
    """What was asked."""

    name: str
    format: str
    version: int | None
    file_sha256: str
    split: str
    limit: int | None
    seed: int
    """What fixes the draw where not all were asked."""
    questions: int
    questions_sha256: str
    """Of their ids and texts."""


class ManifestGraphOut(Schema):
    """What they were asked of."""

    name: str | None
    """None where each had a graph of its own."""
    title: str
    version: str


class ManifestOut(Schema):
    """What an evaluation was made with, so that it can be made again: see ``docs/results/reproduce.md``."""

    dataset: ManifestDatasetOut
    graph: ManifestGraphOut
    settings: SwitchesIn
    model: ManifestModelOut
    predictions: JudgedPredictionsOut | None
    code: CodeOut
    versions: dict[str, str]
    machine: MachineOut
    resumed: list[EnvironmentOut]
    """What was otherwise each time that it went on."""


class EvaluationDetailOut(EvaluationOut):
    """An evaluation with its figures."""

    gold_hidden: str
    """Why the viewer does not see what became of single questions, as a sentence; empty where they see it."""
    predictions: JudgedPredictionsOut | None
    """The other system's file."""
    has_manifest: bool
    """Whether it is known what it was made with: from when it began, and not of earlier ones."""
    figures: FiguresOut | None
    """None until the first questions were judged."""
    figures_of: int
    """How many outcomes the figures sum up."""
    left_out: dict[str, int]
    """How many questions of the split are not asked, by reason."""
    refused: list[RefusedQuestionOut]
    """The first 1,000 entries of the file that are no questions."""
    seen_in_training: SeenInTrainingOut | None
    """None where it is not known what the scorer learned from, or the dataset was not read yet."""
    fingerprint: str
    """SHA-256 of the dataset's file."""
    compared_by: Literal["id", "name"] | None
    """What tells entities apart in the dataset; None until it was read."""
    labels: list[LabelOut]
    f1_bins: list[BinOut]
    """The questions that were judged, by F1."""


class ComparedOut(Schema):
    """The same question in another evaluation."""

    right: bool
    case: Case | None
    f1: float
    predicted: list[str]
    predicted_total: int
    counted: bool
    """Whether ``predicted_total`` is the answer itself."""


class EvaluatedQuestionOut(Schema):
    """What became of a question; all but its text is empty until it was judged."""

    position: int
    question_id: str
    text: str
    labels: dict[str, str]
    judged: bool
    verdict: Verdict | None
    reason: str
    case: Case | None
    dog_class: DogClass | None
    """The error class of DoG; None where the first answer is right, or another strategy answered."""
    dog_why: str
    """That in a sentence."""
    right: bool | None
    f1: float | None
    seconds: float | None
    leaves: int | None
    hops: int | None
    graph_gap: bool | None
    topic_right: bool | None
    predicted: list[str]
    """The first few predicted answers, by name."""
    predicted_total: int
    counted: bool
    """Whether ``predicted_total`` is the answer itself."""
    gold: list[str]
    """The first few gold answers, by name."""
    gold_total: int
    seen: bool | None
    """Whether the scorer learned from it; None where that is not known."""
    run: UUID | None
    other: ComparedOut | None
    """In the evaluation that this one is compared with."""


class EvaluatedQuestionPageOut(Schema):
    """Some of an evaluation's questions."""

    questions: list[EvaluatedQuestionOut]
    total: int
    """How many meet the filter."""
    all: int
    """How many there are."""


class PlacedQuestionOut(Schema):
    """A question, and where it stands among those that meet a filter."""

    question: EvaluatedQuestionOut
    """With more of its answers than in a list."""
    place: int | None
    """Counts from 1; None where it does not meet the filter."""
    total: int
    """How many meet the filter."""
    previous: int | None
    """The position of the one before it; None for the first."""
    next: int | None


class ComparisonOut(Schema):
    """Two evaluations side by side, over the questions that both have judged."""

    first: EvaluationDetailOut
    second: EvaluationDetailOut
    common: int
    both_right: int
    both_wrong: int
    only_first: int
    """Right in the first, wrong in the second."""
    only_second: int
    """Wrong in the first, right in the second."""
    first_right: float | None
    second_right: float | None
    first_f1: float | None
    second_f1: float | None


class EvaluatedRunOut(Schema):
    """The run that shows how a question was answered."""

    run: UUID
