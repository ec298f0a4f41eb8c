"""The parts of events: terms, facts, options and decisions, written down for people."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType

Kind: TypeAlias = Literal["entity", "mediator", "number", "date", "text"]
Measure: TypeAlias = Literal["probability", "score", "attention"]
"""What the numbers of a selection are: shares of a pool that sum to one, a score of any size, or attention (0 to 1)."""

DebateRole: TypeAlias = Literal["simplifier", "critic", "linguist", "all"]
"""Who speaks in DoG's debate; ``all``: one agent for all three."""


def added_later() -> Any:
    """A part that older logs lack: None there, and left out of their JSON."""
    return Field(default=None, exclude_if=lambda value: value is None)


class Frozen(BaseModel):
    """A part of an event: immutable, and it holds nothing but what is named."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TermRecord(Frozen):
    """A term for people: its textual form and what to call it."""

    id: str
    """A mid, or a literal such as ``"2011-02-06"^^xsd:date``."""
    label: str
    kind: Kind


class RelationRecord(Frozen):
    """A relation for people: *actor*, with *TV appearance* beneath it."""

    id: str
    """The predicate, with a caret before it where it is followed backwards."""
    label: str
    context: str
    reverse: bool
    unit: str | None = added_later()
    """In which unit the schema counts the numbers that it leads to: *km²*; None where it says none."""


class SemanticNodeRecord(Frozen):
    """A node of S_k."""

    position: int
    kind: Kind
    name: str
    parent: int | None
    relation: RelationRecord | None


class FactRecord(Frozen):
    """A triple of G_k, in its place: ``source`` belongs to the parent node, ``target`` to the node at ``position``."""

    id: int
    position: int
    source: TermRecord
    relation: RelationRecord
    target: TermRecord


class ConstraintRecord(Frozen):
    """A condition: what the terms at a position must meet."""

    position: int
    operator: Literal["=", "<", "<=", ">", ">=", "min", "max", "holds", "kind"]
    target: TermRecord | None
    """None for ``min`` and ``max``; of a ``kind`` a type, with its plain name: *country* for ``location.country``."""


class _OptionRecord(Frozen):
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
    leads_to: Kind
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


class CostRecord(Frozen):
    """What the model was asked."""

    calls: int
    """Forward passes of the model, or requests to its server."""
    tokens_in: int
    tokens_out: int


class UnreadRecord(Frozen):
    """The options that the model did not read to their end, because the choice was certain without them."""

    count: int
    together: float
    """What they have together, at most. So an option listed with ``p`` has from ``p`` to ``p / (1 - together)``."""
    each: float
    """What any one of them has, at most."""


class PathShareRecord(Frozen):
    """A relation path from the topic entity, with its probability."""

    relations: list[RelationRecord]
    probability: float


class PathsReadRecord(Frozen):
    """The whole paths that a decision was computed from: the probability of an option is the share of its paths."""

    likeliest: list[PathShareRecord]
    none: float
    """The probability that no path is meant."""
    total: int
    """The number of paths that were found."""
    extended: int
    """The number of paths that were extended by a relation: those most like the question."""
    extensible: int
    """The number of paths that could have been."""


class DecisionRecord(Frozen):
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
    explored: bool | None = added_later()
    """True where it follows from what was weighed before (an exploration, plans), so that no model was asked of it."""
    unread: UnreadRecord | None = None
    """None where every option was read, or none because the choice was given."""
    cost: CostRecord | None = None
    """None where the choice was given, and in runs from before it was recorded."""
    paths: PathsReadRecord | None = added_later()
    """Where the model read whole paths for this decision; those after it follow from the same paths."""

    @property
    def probability(self) -> float | None:
        """Of what was chosen; None where the choice was given, or the model only said what it picks."""
        if self.given or not self.exact:
            return None
        return next((option.probability for option in self.options if option.index == self.chosen), None)


class MentionRecord(Frozen):
    """A part of the question, ``question[start:end]`` in Unicode code points, that names a term."""

    start: int
    end: int
    term: TermRecord
    hint: str
    """Its type in words."""


class NotUnderstoodRecord(Frozen):
    """A part of the question, ``question[start:end]`` in Unicode code points, that no method here understands."""

    start: int
    end: int
    what: Literal["negation", "comparison", "second question"]


class ClaimRecord(Frozen):
    """What a yes-no question claims, ``question[start:end]`` in Unicode code points."""

    start: int
    end: int
    holds: bool
    """Whether it is among the answers. Otherwise this graph has no such fact, which does not make it false."""


class ComparedValueRecord(Frozen):
    """One of two things that a question compares, and the value that decides."""

    term: TermRecord
    value: TermRecord
    unit: str


class ComparedRecord(Frozen):
    """Two things that a question compares."""

    relation: RelationRecord
    """The relation that leads to the values; the first one, where there are several."""
    values: list[ComparedValueRecord]
    """In the order in which the question names them."""
    holds: bool | None
    """Whether it is so, where the question asks that; None where it asks which of the two."""


class RemovedFact(Frozen):
    """A fact that pruning took out, and why."""

    fact: int
    reason: Literal["fails", "unsupported", "cut_off"]
    """It fails a condition; what it leads to has no branch that meets one; or its own source was taken out."""
    constraint: int | None
    """The number of the condition behind it, where one alone is."""


class EvidencePathRecord(Frozen):
    """A chain of facts that speaks for an answer, and how much it weighs."""

    facts: list[FactRecord]
    weight: float
    measure: Measure


class HeldRecord(Frozen):
    """When something held that a condition asks to have held; what the graph does not tell is empty, and passes."""

    constraint: int
    """The number of the condition, counted from 1."""
    begins: list[TermRecord]
    ends: list[TermRecord]


class AnswerRecord(Frozen):
    """An answer and the facts that prove it: from the topic entity to it, then those that meet the conditions."""

    term: TermRecord
    path: list[FactRecord]
    conditions: list[FactRecord]
    hint: str | None = added_later()
    """What tells it from other answers of the same name; None where there are none."""
    weight: float | None = added_later()
    """How much speaks for it, where a strategy weighs its answers."""
    evidence: list[EvidencePathRecord] | None = added_later()
    """Several proofs, the weightiest first, where a strategy has more than one."""
    held: list[HeldRecord] | None = added_later()
    """When that held of which a condition asks; None where no condition does."""


class SelectionRecord(Frozen):
    """Several options kept of a pool: the best by their weight."""

    measure: Measure
    options: list[OptionRecord]
    """The weightiest first; of those that were not kept, as many as there is room for."""
    weights: list[float]
    """By place in ``options``."""
    kept: list[int]
    """The indices of the options that were kept, the weightiest first."""
    total: int
    """How many options the pool had."""
    cost: CostRecord | None
    """None where the selection was given, and where it is reported with what it was made for."""
    ways: list[list[RelationRecord]] | None = added_later()
    """By place in ``options``, the relations from the topic entity on to where a step begins, if S_k does not hold
    that; None where it does."""


class ReadingRecord(Frozen):
    """One way to read the question: a derivation, how probable it is, and what it comes to."""

    probability: float
    """The product of the probabilities of its decisions."""
    verdict: Verdict
    nodes: list[SemanticNodeRecord]
    """S_k; empty where it found no topic."""
    constraints: list[ConstraintRecord]
    position: int | None
    answers: list[TermRecord]
    answers_total: int


class KeptReadingRecord(Frozen):
    """A reading that a round of a beam kept: one decision more than the reading of the round before it came from."""

    parent: int
    """The index of that reading among those the round before kept; 0 in the first round."""
    stage: str | None
    """The stage that decided; this and the next two are None where it had come to its end before, and stays."""
    number: int | None
    """Which decision of the stage, from 0."""
    decision: DecisionRecord | None
    probability: float
    """The product over its decisions so far."""
    over: bool
    """Whether it has come to its end."""


class ExploredGroupRecord(Frozen):
    """The edges along one relation from all entities that one way of relations led to, in one layer."""

    way: list[RelationRecord]
    """From the topic entity on; empty for the topic itself."""
    relation: RelationRecord
    weight: float
    """The largest attention of its edges, 0 to 1."""
    heads: int
    """How many entities have such edges."""
    edges: int
    """How many edges the graph holds."""
    kept: int
    """How many of them were kept."""


class CandidateRecord(Frozen):
    """An entity that may be the answer, the best of those that one way of relations leads to."""

    term: TermRecord
    weight: float
    """Its probability among all candidates."""
    position: int
    """The node where its way ends."""
    path: list[FactRecord]
    """The facts of its way, from the topic entity on."""
    weights: list[float]
    """How much each of them weighs: its attention, or what its target was given."""
    paths: int | None = added_later()
    """How many evidence paths lead to it; None where one alone was looked at."""
    overruled: Literal[True] | None = added_later()
    """Whether it is no answer whatever it weighs, for its plan begins or goes on from that of a weightier one."""


class FrontierEntityRecord(Frozen):
    """What a relation led to, and how well it was judged to go with the question."""

    term: TermRecord
    score: float
    """0 to 1."""
    kept: bool


class WeighedPathRecord(Frozen):
    """A chain of facts along a plan, and how much it says for what it leads to."""

    plan: int
    """The number of the plan, from 0."""
    facts: list[FactRecord]
    """From the topic entity on; none of them where a step was not followed."""
    target: TermRecord
    """What it leads to."""
    weight: float
    """The product of its factors, as a share of what all paths have together."""
    plan_weight: float
    """The first factor: the weight of its plan."""
    scores: list[float]
    """The other factors: how each entity on it was judged, by fact."""


class PlanRecord(Frozen):
    """A plan: the relations to follow from the topic entity, one after the other."""

    relations: list[RelationRecord]
    """Of one that a model wrote, those that name relations of the graph."""
    weight: float
    """Its share of what all plans that were proposed with it have, 0 to 1."""
    grounded: bool
    """Whether the graph holds facts along all of it; else it is not followed."""
    written: str | None = added_later()
    """How a model wrote it; None where it was found in the graph."""


class LookedRecord(Frozen):
    """How far the graph was looked at for relation paths."""

    followed: int
    """The number of paths that were extended."""
    leading_on: int
    """The number of paths that could be extended; where it is larger than ``followed``, paths are missing."""


class CalibrationRecord(Frozen):
    """A correction of confidences, learned on held-out questions: the log-odds times ``slope``, plus ``intercept``."""

    slope: float
    intercept: float


class ChangeRecord(Frozen):
    """What was decided otherwise in a run that goes on from another one."""

    kind: Literal["replace", "insert", "remove", "end", "reading"]
    """``reading``: another reading that was kept was taken as a whole; of no stage."""
    stage: str
    number: int
    """Which decision of the stage, or which of the other readings, from 0."""


class ContinuedRecord(Frozen):
    """What a run has from the one that it goes on from."""

    kept: int
    """The number of its decisions that are unchanged."""
    change: ChangeRecord | None
    later: Literal["keep", "ask"]
    """Whether the decisions after the change are kept where they still fit, or asked again."""
    scorer: str
    """Which model made those that were kept; the run's own may be another."""


class WrittenMessageRecord(Frozen):
    """A message that a model was sent."""

    role: Literal["system", "user", "assistant"]
    text: str
    length: int
    """Of the whole text, of which ``text`` may be the beginning."""


class SaidRecord(Frozen):
    """A part of what a model wrote, and what it names."""

    text: str
    names: list[str]
    """What it names is called: some of ``total``; empty where it names nothing."""
    total: int
    place: Literal["facts", "graph", "options"] | None
    """Where that was found: among the facts or the options that the model was shown, or anywhere in the graph."""


Verdict: TypeAlias = Literal[
    "answered", "from_the_model", "not_in_graph", "no_answer_found", "conditions_leave_nothing"
]
"""``from_the_model``: a model answered with what no fact supports; counted apart, and never by READS.
``not_in_graph``: nothing that the question names is in the graph, as far as runs of today go; older ones say it
wherever they came to no answer. ``no_answer_found``: the model stopped. ``conditions_leave_nothing``: no fact meets all
conditions."""
