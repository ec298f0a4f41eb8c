"""API schemas of scorers and trainings."""

from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from ninja import Field, Schema

from webapp.platform.http.inputs import MAX_NAME_LENGTH, Input
from webapp.platform.work.states import Status

MAX_BASE_LENGTH = 200


class LearnedOut(Schema):
    """How a scorer answers the validation questions of one source that it learned from."""

    source: str
    questions: int
    hits_at_1: float
    macro_f1: float
    graph: str
    topics: Literal["gold", "linked"]
    unseen: bool
    """Whether nothing was learned from this graph and its questions."""


class ChoicesOut(Schema):
    """How often a fine-tuned language model chooses right on validation questions, which it never learned from."""

    decisions: int
    questions: int
    accuracy: dict[str, float]
    """Shares from 0 to 1: ``all``, by stage, by source where there are several, and where ``None`` is right or not."""
    accuracy_without_none_bias: dict[str, float]
    """Likewise, had None no learnt bias."""
    baselines: dict[str, dict[str, float]]
    """Likewise without a model, ``all`` and by stage: what was most often right, and what shares the most words."""


class ModelCardOut(Schema):
    """What a scorer was made from, and how well it does."""

    title: str
    """Of the data."""
    finished_at: datetime
    samples: int
    """Decisions that it learned from."""
    learned_questions: int | None
    """How many questions they are of, which the card knows by their hashes; None where it was written without them."""
    data: dict[str, str]
    """SHA-256 of the data, by name."""
    code: str
    """SHA-256 of the code that made it; empty where it is not known."""
    version: str
    seed: int
    learned: list[LearnedOut]
    """Empty for language models, of which `choices` tells."""
    choices: ChoicesOut | None
    """None for other scorers, and where no validation question was judged."""


class ScorerOut(Schema):
    """A scorer that may decide."""

    name: str
    title: str
    about: str
    """What it is, in a sentence."""
    is_default: bool
    queue: str
    """Where questions to it wait for a worker."""
    waits: str | None
    """Why it decides nothing here now, and what to do; None where nothing is known to keep it."""
    card: ModelCardOut | None
    """None for a scorer that learned nothing, or whose card cannot be read."""


class RecipeOut(Schema):
    """What a scorer may be trained on."""

    name: str
    title: str
    sent: bool
    """Whether a user uploaded it to this site; the others come with Discern."""


class RecipeIn(Input):
    """A recipe's file."""

    name: str = Field(max_length=MAX_NAME_LENGTH)
    """What it will be called: small letters, digits, and single hyphens or underscores between them."""
    text: str = Field(max_length=100_000)
    """TOML."""


class LessonIn(Input):
    """Questions that a training reads."""

    dataset: UUID | None = Field(default=None, strict=False)
    """A dataset that is loaded; the bundled sample where it is left out."""
    graph: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The graph that they are taught over; the site's own choice where it is left out."""
    share: float = Field(default=1.0, ge=0.001, le=1_000)
    """The share of samples that is drawn from here, relative to the shares of the others."""
    topics: Literal["named", "given"] = "named"
    """Whether it is taught to find the topic entity in the question, or is given it."""
    overlay: UUID | None = Field(default=None, strict=False)
    """Corrections to be laid over the questions."""
    least_precision: float | None = Field(default=None, ge=0.001, le=1)
    """Where given, weak labels are taught: derivations found from answers alone, of which at least this share of what
    one leads to is an answer."""


class TrainingSettingsIn(Input):
    """How to train; what is left out is as the recipe says, or as usual."""

    epochs: int | None = Field(default=None, ge=1, le=100)
    """Maximum of epochs."""
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1)
    epoch_samples: int | None = Field(default=None, ge=1, le=1_000_000)
    """Number of decisions of an epoch, drawn again for each."""
    learning_rate: float | None = Field(default=None, ge=1e-9, le=1)
    dev_share: float | None = Field(default=None, ge=0, le=0.5)
    """The share of the questions on which the best epoch is chosen; 0 lets all of them teach."""


class BaseOut(Schema):
    """A language model that may be fine-tuned."""

    name: str
    fault: str | None
    """Why it cannot be, and what to do; None where nothing is known to keep it."""
    waits: str | None
    """Why a training of it would wait; None where a worker serves its queue."""


KindName: TypeAlias = Literal["encoder", "causal"]
TrainedKindName: TypeAlias = Literal["encoder", "causal", "strategy"]


class TrainingIn(TrainingSettingsIn):
    """A training to be started: of a recipe, or of lessons."""

    name: str = Field(max_length=MAX_NAME_LENGTH)
    """What the scorer will be called; the name of the strategy, of weights of one."""
    recipe: str = Field(default="", max_length=MAX_NAME_LENGTH)
    lessons: list[LessonIn] = Field(default=[], max_length=20)
    start: str = Field(default="", max_length=MAX_NAME_LENGTH)
    """The model to go on from; as the recipe says, or none, where it is left out."""
    kind: TrainedKindName = "encoder"
    """What it makes: an encoder, a language model, or the weights of a strategy."""
    base: str = Field(default="", max_length=MAX_BASE_LENGTH)
    """The language model that is fine-tuned; left out for all others."""


class LessonOut(Schema):
    """Questions that a training reads."""

    title: str
    dataset: UUID | None
    """None for the bundled sample."""
    graph: str
    share: float
    corrected: bool
    least_precision: float | None
    """Of weak labels; null where known derivations are taught."""


class TrainingStepOut(Schema):
    """What a training had done at a time."""

    at: datetime
    stage: str
    epoch: int
    """0 outside of epochs."""
    done: int
    loss: float | None


class TrainingOut(Schema):
    """A training, and how far it is."""

    id: UUID
    name: str
    recipe: str
    """Empty where it has lessons."""
    lessons: list[LessonOut]
    start: str
    kind: TrainedKindName
    base: str
    """Empty for all but a language model."""
    queue: str
    """Where it waits for a worker."""
    status: Status
    reason: str
    """Why it failed, and what to do."""
    stage: str
    epoch: int
    of_epochs: int
    done: int
    total: int
    """Batches or questions of the stage."""
    loss: float | None
    log: list[TrainingStepOut]
    created_at: datetime
    finished_at: datetime | None
    starter: str | None


class ExploredFiguresOut(Schema):
    """How the weights of a strategy do on held-out questions of one source, their topics given."""

    source: str
    taught: int
    asked: int
    hits_at_1: float | None
    """The share whose best candidate is an answer; None where none was asked."""
    answers_kept: float | None
    """The mean share of a question's answers that it reached."""


class WeightsCardOut(Schema):
    """What the weights of a strategy were made from, and how well they do."""

    title: str
    """Of the data."""
    own: bool
    """Whether they were trained on this site; the others come with Discern."""
    command: str
    """How they came about."""
    epochs: int
    seconds: float
    """That the training took."""
    figures: list[ExploredFiguresOut]


class TrainedStrategyOut(Schema):
    """A strategy that has weights of its own."""

    name: str
    title: str
    recipes: list[RecipeOut]
    """What it may be trained on."""
    card: WeightsCardOut | None
    """None where it has no weights, or their card cannot be read."""
    fault: str
    """Why the card cannot be shown; empty where it can."""


class TrainingPageOut(Schema):
    """The last trainings, newest first, and what may be trained on."""

    trainings: list[TrainingOut]
    total: int
    """How many there are, listed or not."""
    recipes: list[RecipeOut]
    starts: list[str]
    """The models that a training may go on from."""
    bases: list[BaseOut]
    """The language models that may be fine-tuned."""
    strategies: list[TrainedStrategyOut]
    """Those whose own weights may be trained, with the weights that they have."""
    waits: str | None
    """Why no training is worked on; None where a worker serves their queue."""
    may_manage: bool
    """Whether the viewer may start, stop and resume trainings."""


class EfficiencyFigureOut(Schema):
    """How often a stage decides rightly after a share of the questions."""

    share: float
    """Of the training questions, above 0 and up to 1."""
    questions: int
    """The number of questions that taught."""
    samples: int
    """The number of their decisions."""
    stage: str
    """``all`` for all stages together."""
    decisions: int
    """The number of validation decisions."""
    accuracy: float
    low: float | None
    """With ``high``: where the accuracy lies with 95 % confidence; null with too few decisions."""
    high: float | None


class EfficiencyOut(Schema):
    """Data efficiency as it was measured once: accuracy by stage against the share of the training questions."""

    name: str
    title: str
    """Of the recipe."""
    recipe: str
    finished_at: datetime
    tested: int
    """Maximum of decisions of each stage that were asked."""
    questions: int | None
    """The number of questions of each source; null for the recipe's number."""
    figures: list[EfficiencyFigureOut]


class EfficiencyPageOut(Schema):
    """What was measured of data efficiency, the last first."""

    measured: list[EfficiencyOut]
    total: int
    """How many there are, listed or not."""
    damaged: list[str]
    """The folders of those that cannot be read."""
