"""Every event of a run, typed. The same JSON is stored, streamed, served and folded by the browser.

Long lists are cut and say so: beside each stands the full count ("n of N").
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TermRecord(_Frozen):
    """A term for people: its textual form and what to call it."""

    id: str
    """A mid, or a literal such as ``"2011-02-06"^^xsd:date``."""
    label: str
    kind: Literal["entity", "mediator", "number", "date", "text"]


class RelationRecord(_Frozen):
    """A relation for people: *actor*, with *TV appearance* beneath it."""

    id: str
    """The predicate, with a caret before it where it is followed backwards."""
    label: str
    context: str
    reverse: bool


class SemanticNodeRecord(_Frozen):
    """A node of S_k."""

    position: int
    kind: Literal["entity", "mediator", "number", "date", "text"]
    name: str
    parent: int | None
    relation: RelationRecord | None


class FactRecord(_Frozen):
    """A triple of G_k, in its place: ``source`` belongs to the parent node, ``target`` to the node at ``position``."""

    id: int
    position: int
    source: TermRecord
    relation: RelationRecord
    target: TermRecord


class ConstraintRecord(_Frozen):
    """A condition: what the terms at a position must meet."""

    position: int
    operator: Literal["=", "<", "<=", ">", ">=", "min", "max"]
    target: TermRecord | None


class _OptionRecord(_Frozen):
    index: int
    """Its place in the pool; what a decision names."""
    probability: float | None
    """Its share of the pool, at least (`UnreadRecord`); None where it was not read, or the decision was given."""


class TopicOptionRecord(_OptionRecord):
    """The question is about this entity, which it names in ``question[start:end]`` (Unicode code points)."""

    kind: Literal["topic"] = "topic"
    term: TermRecord
    hint: str
    """What tells it from others of the same name: its type in words."""
    start: int
    end: int


class NoneOptionRecord(_OptionRecord):
    """Nothing more of this stage."""

    kind: Literal["none"] = "none"


class StepOptionRecord(_OptionRecord):
    """Follow a relation from a node."""

    kind: Literal["step"] = "step"
    position: int
    relation: RelationRecord
    leads_to: Literal["entity", "mediator", "number", "date", "text"]
    entities: int
    facts: int


class ConstraintOptionRecord(_OptionRecord):
    """Keep only what meets a condition."""

    kind: Literal["constraint"] = "constraint"
    constraint: ConstraintRecord


class AnswerOptionRecord(_OptionRecord):
    """The answer stands at a position."""

    kind: Literal["answer"] = "answer"
    position: int


OptionRecord = TypeAliasType(
    "OptionRecord",
    Annotated[
        TopicOptionRecord | NoneOptionRecord | StepOptionRecord | ConstraintOptionRecord | AnswerOptionRecord,
        Field(discriminator="kind"),
    ],
)


class CostRecord(_Frozen):
    """What the model was asked."""

    calls: int
    """Forward passes of the model, or requests to its server."""
    tokens_in: int
    tokens_out: int


class UnreadRecord(_Frozen):
    """The options that the model did not read to their end, because the choice was certain without them."""

    count: int
    together: float
    """What they have together, at most. So an option listed with ``p`` has from ``p`` to ``p / (1 - together)``."""
    each: float
    """What any one of them has, at most."""


class DecisionRecord(_Frozen):
    """A choice from a pool, with the numbers behind it."""

    options: list[OptionRecord]
    """The most probable first, then those that were not read; the chosen one and None are always among them."""
    total: int
    """How many options the pool had."""
    rest_probability: float
    """The probability, at most, of the options that have none here: not listed, or not read."""
    chosen: int
    """The index of the chosen option."""
    given: bool
    """Whether the choice was given (a replay or a what-if) instead of asked of the model."""
    exact: bool = True
    """Whether the probabilities are the model's own; False where it only said which option it picks."""
    unread: UnreadRecord | None = None
    """None where every option was read, or none because the choice was given."""
    cost: CostRecord | None = None
    """None where the choice was given, and in runs from before it was told."""


class Started(_Frozen):
    """The run has begun."""

    kind: Literal["started"] = "started"
    question: str
    graph: str
    """The name of the graph, for links and requests."""
    graph_title: str
    graph_version: str
    scorer: str
    strategy: str


class MentionRecord(_Frozen):
    """A part of the question, ``question[start:end]`` in Unicode code points, that names a term."""

    start: int
    end: int
    term: TermRecord
    hint: str
    """Its type in words."""


class EntityLinked(_Frozen):
    """What the question is about, and what else it names."""

    kind: Literal["entity_linked"] = "entity_linked"
    topic: TermRecord | None
    """None where nothing that the question names is in the graph."""
    topic_hint: str
    chosen_by_asker: bool
    decision: DecisionRecord | None
    """The entities that were possible; None where the asker chose or the question names none."""
    targets: list[MentionRecord]
    """Entities, numbers and dates that may become conditions."""
    root: SemanticNodeRecord | None
    seconds: float


class SearchStepTaken(_Frozen):
    """Search chose a relation: S_k and G_k grew."""

    kind: Literal["search_step"] = "search_step"
    step: int
    decision: DecisionRecord
    node: SemanticNodeRecord
    facts: list[FactRecord]
    facts_gained: int
    """How many facts G_k gained; ``facts`` may list fewer."""
    facts_available: int
    """How many the graph holds; more than were gained where the limit of a step cut them."""
    members: int
    """How many terms the new node holds."""
    structure_size: int
    """The nodes of S_k."""
    graph_size: int
    """The facts of G_k."""
    seconds: float


class SearchEnded(_Frozen):
    """Search is over."""

    kind: Literal["search_ended"] = "search_ended"
    reason: Literal["chosen", "nothing_left", "step_limit"]
    decision: DecisionRecord | None
    """None where no choice was left to make."""
    seconds: float


class ConstraintChosen(_Frozen):
    """Prune chose a condition."""

    kind: Literal["constraint_chosen"] = "constraint_chosen"
    number: int
    """Counts the conditions of a run from 1."""
    decision: DecisionRecord
    constraint: ConstraintRecord
    seconds: float


class RemovedFact(_Frozen):
    """A fact that pruning took out, and why."""

    fact: int
    reason: Literal["fails", "unsupported", "cut_off"]
    """It fails a condition; what it leads to has no branch that meets one; or its own source was taken out."""
    constraint: int | None
    """The number of the condition behind it, where one alone is."""


class Pruned(_Frozen):
    """What all conditions so far leave of G_k.

    Replaces the previous such event, because a new condition may move a minimum.
    """

    kind: Literal["pruned"] = "pruned"
    removed: list[RemovedFact]
    """Every removed fact among those that search steps listed."""
    removed_total: int
    kept_total: int
    leaves_nothing: bool
    """No fact meets all conditions."""
    seconds: float


class PruningEnded(_Frozen):
    """No more conditions."""

    kind: Literal["pruning_ended"] = "pruning_ended"
    reason: Literal["chosen", "nothing_left"]
    decision: DecisionRecord | None
    seconds: float


class AnswerPositionChosen(_Frozen):
    """Infer chose where the answer stands."""

    kind: Literal["answer_position"] = "answer_position"
    decision: DecisionRecord
    position: int
    seconds: float


class AnswerRecord(_Frozen):
    """An answer and the facts that prove it: from the topic entity to it, then those that meet the conditions."""

    term: TermRecord
    path: list[FactRecord]
    conditions: list[FactRecord]


class StageSeconds(_Frozen):
    """Where the time went."""

    link: float
    search: float
    prune: float
    infer: float


class StageCosts(_Frozen):
    """What the model was asked in each stage."""

    link: CostRecord
    search: CostRecord
    prune: CostRecord
    infer: CostRecord


class Finished(_Frozen):
    """The run has ended by itself."""

    kind: Literal["finished"] = "finished"
    verdict: Literal["answered", "not_in_graph"]
    reason: Literal["answered", "no_topic", "no_relation", "conditions_leave_nothing"]
    answers: list[AnswerRecord]
    answers_total: int
    cost: CostRecord
    """Of all stages together."""
    seconds: StageSeconds
    costs: StageCosts | None = None
    """None in runs from before it was told."""


class Failed(_Frozen):
    """The run could not go on."""

    kind: Literal["failed"] = "failed"
    code: str
    message: str
    retryable: bool


class Cancelled(_Frozen):
    """The asker stopped the run. Written by whoever drives the engine, which knows nothing of askers."""

    kind: Literal["cancelled"] = "cancelled"


StageEvent = TypeAliasType(
    "StageEvent",
    Annotated[
        Started
        | EntityLinked
        | SearchStepTaken
        | SearchEnded
        | ConstraintChosen
        | Pruned
        | PruningEnded
        | AnswerPositionChosen
        | Finished
        | Failed
        | Cancelled,
        Field(discriminator="kind"),
    ],
)

TERMINAL_KINDS = frozenset({"finished", "failed", "cancelled"})
"""The kinds after which a run has no more events."""
