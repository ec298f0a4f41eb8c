"""API schemas of questions and examples."""

from ninja import Field, Schema

from reasoning.question.linking import MAX_QUESTION_LENGTH
from webapp.asking.runs.schemas import RunOut
from webapp.platform.environment import QuestionReaders
from webapp.platform.http.inputs import MAX_NAME_LENGTH, Input
from webapp.platform.http.option_fields import StrategyOptionOut, options_of, with_options


@with_options("asked")
class WayIn(Input):
    """A way to answer a question: by which model and strategy."""

    scorer: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    strategy: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """How it is answered; see the list of strategies."""
    model_may_answer: bool = False
    """True to also give what a model that writes answers by itself, without a fact of the graph."""

    @property
    def switches(self) -> dict[str, object]:
        """Those of `EngineSwitches` that were chosen."""
        return options_of(self) | ({"model_may_answer": True} if self.model_may_answer else {})


class QuestionIn(WayIn):
    """A question, what it is asked of, and how it is answered."""

    question: str = Field(max_length=MAX_QUESTION_LENGTH)
    graph: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The name of a graph; the site's own choice where it is left out."""
    topic: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    """The mid of the topic entity; found in the question where it is left out."""


class OwnQuestionOut(Schema):
    """A question of one's own, however often it was asked."""

    question: str
    starred: bool
    may_be_labelled: bool | None
    """Whether annotators may be given it; null where who asks cannot say so: they had no account, or the words are
    another user's."""
    runs: list[RunOut]
    """The last times it was asked, the newest first."""
    runs_total: int


class OwnQuestionPageOut(Schema):
    """Some of one's own questions, and how many there are."""

    questions: list[OwnQuestionOut]
    total: int
    """How many meet the filter."""
    all: int
    starred: int
    """How many of all are starred."""
    readers: QuestionReaders
    """Who else may read them."""


class OwnQuestionPatchIn(Input):
    """What is changed of a question of one's own; what is left out stays."""

    starred: bool | None = None
    """Whether to find it again."""
    may_be_labelled: bool | None = None
    """Whether annotators may be given it: its words and its graph, never who asked."""


class ErasedOut(Schema):
    """What became of the runs of a question that was deleted."""

    deleted: int
    kept: int
    """The number that stay, without their author, because something refers to them."""


class ExampleOut(Schema):
    """A question to try."""

    question: str
    kind: str
    """What is special about it, in a word or two: several steps, a date, several answers."""


class StrategyOut(Schema):
    """A way to answer questions."""

    name: str
    title: str
    about: str
    """What it does, in a sentence."""
    options: list[StrategyOptionOut]
    """Its options, in the order of the forms."""
    answered_by: str | None
    """The option that says who answers: a model does by itself only if that is ``writer``. Null if it always may."""
    keeps_readings: bool = Field(json_schema_extra={"deprecated": True})
    """See ``options``, as of the next five."""
    determines: bool = Field(json_schema_extra={"deprecated": True})
    plans: bool = Field(json_schema_extra={"deprecated": True})
    debates: bool = Field(json_schema_extra={"deprecated": True})
    beams: bool = Field(json_schema_extra={"deprecated": True})
    predicts: bool = Field(json_schema_extra={"deprecated": True})
    own_answers: bool
    """Whether a model may answer by itself in it, which may be asked for."""
    fault: str | None
    """Why it cannot run on this site, in words."""
