"""Every event of a run, typed. The same JSON is stored, streamed, served and folded by the browser.

Long lists are cut and say so: each has the full count ("n of N"). What a part of an event may lack in older
logs is left out of the JSON where it is None, so that an old log reads and is served as it was written.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypeAliasType

from reasoning.events.records import (
    AnswerOptionRecord,
    AnswerRecord,
    CalibrationRecord,
    CandidateRecord,
    ChangeRecord,
    ClaimRecord,
    ComparedRecord,
    ComparedValueRecord,
    ConstraintOptionRecord,
    ConstraintRecord,
    ContinuedRecord,
    CostRecord,
    DebateRole,
    DecisionRecord,
    EvidencePathRecord,
    ExploredGroupRecord,
    FactRecord,
    FrontierEntityRecord,
    Frozen,
    HeldRecord,
    KeptReadingRecord,
    LookedRecord,
    Measure,
    MentionRecord,
    NoneOptionRecord,
    NotUnderstoodRecord,
    OptionRecord,
    PathShareRecord,
    PathsReadRecord,
    PlanRecord,
    ReadingRecord,
    RelationRecord,
    RemovedFact,
    SaidRecord,
    SelectionRecord,
    SemanticNodeRecord,
    StepOptionRecord,
    TermRecord,
    TopicOptionRecord,
    UnreadRecord,
    Verdict,
    WeighedPathRecord,
    WrittenMessageRecord,
    added_later,
)

__all__ = [
    "TERMINAL_KINDS",
    "UNANSWERED",
    "AnswerOptionRecord",
    "AnswerPositionChosen",
    "AnswerRecord",
    "AnswersCounted",
    "CalibrationRecord",
    "Cancelled",
    "CandidateRecord",
    "CandidatesRanked",
    "ChangeRecord",
    "ClaimRecord",
    "ComparedRecord",
    "ComparedValueRecord",
    "ConstraintChosen",
    "ConstraintOptionRecord",
    "ConstraintRecord",
    "ContinuedRecord",
    "CostRecord",
    "DebateRole",
    "DebateTurn",
    "DecisionRecord",
    "EntityLinked",
    "EvidencePathRecord",
    "ExploredGroupRecord",
    "FactRecord",
    "Failed",
    "Finished",
    "FrontierEntityRecord",
    "FrontierKept",
    "HeldRecord",
    "KeptReadingRecord",
    "LayerExplored",
    "LookedRecord",
    "Measure",
    "MentionRecord",
    "ModelWrote",
    "NoCandidateChosen",
    "NoneOptionRecord",
    "NotUnderstoodRecord",
    "OptionRecord",
    "PathShareRecord",
    "PathsReadRecord",
    "PathsWeighed",
    "PlanRecord",
    "PlansProposed",
    "Pruned",
    "PruningEnded",
    "QuestionSimplified",
    "ReadingRecord",
    "ReadingsKept",
    "Reason",
    "RelationRecord",
    "RemovedFact",
    "SaidRecord",
    "SearchEnded",
    "SearchStepTaken",
    "SelectionMade",
    "SelectionRecord",
    "SemanticNodeRecord",
    "StageEvent",
    "Started",
    "StepOptionRecord",
    "Sufficiency",
    "TermRecord",
    "TopicOptionRecord",
    "Undecided",
    "UnreadRecord",
    "Verdict",
    "WeighedPathRecord",
    "WrittenMessageRecord",
]


class Started(Frozen):
    """The run has begun."""

    kind: Literal["started"] = "started"
    question: str
    graph: str
    """The name of the graph, for links and requests."""
    graph_title: str
    graph_version: str
    scorer: str
    strategy: str
    continued: ContinuedRecord | None = added_later()
    """What it keeps of another run, where it goes on from one."""
    calibration: CalibrationRecord | None = added_later()
    """How far the confidence of the model's answers is to be trusted; None where that was not learned."""
    today: str | None = added_later()
    """The day that *now* means, as an ISO date; None where nothing is asked of now."""


class EntityLinked(Frozen):
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


class SearchStepTaken(Frozen):
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
    weight: float | None = added_later()
    """How much a strategy that weighs relations gives this one, 0 to 1."""
    seconds: float


class SearchEnded(Frozen):
    """The search has ended."""

    kind: Literal["search_ended"] = "search_ended"
    reason: Literal["chosen", "nothing_left", "step_limit"]
    decision: DecisionRecord | None
    """None where no choice was left to make."""
    seconds: float


class ConstraintChosen(Frozen):
    """Prune chose a condition."""

    kind: Literal["constraint_chosen"] = "constraint_chosen"
    number: int
    """Counts the conditions of a run from 1."""
    decision: DecisionRecord
    constraint: ConstraintRecord
    seconds: float


class Pruned(Frozen):
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


class PruningEnded(Frozen):
    """No more conditions."""

    kind: Literal["pruning_ended"] = "pruning_ended"
    reason: Literal["chosen", "nothing_left"]
    decision: DecisionRecord | None
    seconds: float


class AnswerPositionChosen(Frozen):
    """Infer chose where the answer stands."""

    kind: Literal["answer_position"] = "answer_position"
    decision: DecisionRecord
    position: int
    seconds: float


class AnswersCounted(Frozen):
    """Whether the answers are counted, where the question asks how many or a user said so. Words decide it.

    An addition of Discern to READS; older logs have none, and count nothing.
    """

    kind: Literal["answers_counted"] = "answers_counted"
    counted: bool
    seconds: float


UNANSWERED = frozenset[Verdict]({"not_in_graph", "no_answer_found", "conditions_leave_nothing"})
Reason: TypeAlias = Literal[
    "answered",
    "from_the_model",
    "no_topic",
    "no_relation",
    "nothing_compared",
    "two_not_compared",
    "claim_not_checked",
    "claim_reversed",
    "not_left_out",
    "another_kind",
    "described",
    "unsupported",
    "nothing_said",
    "conditions_leave_nothing",
]
"""``nothing_compared``: the topic is a type, and no condition says which of its instances the question means.
``two_not_compared``: the question compares two named things, and nothing was found by which.
``claim_not_checked``: it asks for yes or no, and nothing was found that tells.
``claim_reversed``: it asks whether a relation holds that holds in the other direction.
``not_left_out``: it leaves out what a condition keeps.
``described``: it asks what the topic is, and for no fact of it: *tell me about X*.
``another_kind``: nothing that was found may answer the word that asks: *who* is no date.
``unsupported``: a model answered with what no fact supports; reported only if the run asks for it.
``nothing_said``: a model that writes named no answer."""


class Finished(Frozen):
    """The run has ended by itself."""

    kind: Literal["finished"] = "finished"
    verdict: Verdict
    reason: Reason
    answers: list[AnswerRecord]
    answers_total: int
    count: int | None = added_later()
    """How many answers there are, where that is what was asked; then it is the answer, and ``answers`` lists them."""
    count_at_least: bool | None = added_later()
    """True where a step was cut, so that there may be more than ``count``; None where all were counted."""
    cost: CostRecord
    """Of all stages together."""
    seconds: dict[str, float]
    """Where the time went, by stage."""
    costs: dict[str, CostRecord] | None = None
    """What the model was asked, by stage; None in runs from before it was recorded."""
    claim: ClaimRecord | None = added_later()
    """What a yes-no question claims, and whether it is among the answers; None where it asks for something else."""
    compared: ComparedRecord | None = added_later()
    """Of two things that the question compares, by which values; then ``answers`` is the one that it asks for."""
    confidence: float | None = added_later()
    """The product of the probabilities of all decisions that had a choice; None where one was given, was not read as a
    probability, or kept several options, and where a model wrote: the confidence of its text is unknown. It is shown
    for no partial answer."""
    calibrated: float | None = added_later()
    """The share of right answers among held-out ones of such a confidence; None where that was not learned, and where
    there is no answer, or a partial one: it is learned from answers to whole questions."""
    unused_words: list[tuple[int, int]] | None = added_later()
    """The parts of the question (Unicode code points) that no decision used and that carry meaning."""
    not_understood: list[NotUnderstoodRecord] | None = added_later()
    """The parts that negate, compare or ask a second question, which no decision can say; None where there are none."""
    partial: list[tuple[int, int]] | None = added_later()
    """The parts, of these two, without which the answer is to less than was asked: names, numbers, dates, what narrows,
    what is asked for, and all that is not understood. None where there are none, and without an answer."""
    readings: list[ReadingRecord] | None = added_later()
    """How else the question may be read, the most probable first, where a strategy keeps several."""


class SelectionMade(Frozen):
    """A strategy kept several options of a pool."""

    kind: Literal["selection"] = "selection"
    stage: str
    number: int
    """Which decision of the stage, from 0."""
    selection: SelectionRecord
    seconds: float


class ReadingsKept(Frozen):
    """A round of the beam search: the most probable readings so far."""

    kind: Literal["readings_kept"] = "readings_kept"
    round: int
    """Counts from 1."""
    kept: list[KeptReadingRecord]
    """The most probable first."""
    considered: int
    """Of how many readings; those of options that could not be among the kept are not counted."""
    costs: dict[str, CostRecord]
    """What the model was asked in this round, by stage."""
    seconds: float


class LayerExplored(Frozen):
    """EtD explored one layer more: the edges that it looked at, and how many it kept."""

    kind: Literal["layer_explored"] = "layer_explored"
    layer: int
    """Counts from 1."""
    layers: int
    depths: list[float] | None = added_later()
    """Probability that 1, 2, … layers are enough. None where the model is not asked."""
    explorer: str
    """Which weights explored."""
    keep: int
    """Maximum of edges that are kept for each entity."""
    groups: list[ExploredGroupRecord]
    """Those of which something was kept first, the weightiest first."""
    groups_total: int
    entities_before: int
    entities_after: int
    edges_total: int
    edges_kept: int
    seconds: float


class CandidatesRanked(Frozen):
    """What was found was ranked: by EtD the best of each of the best ways, by EPERM whatever its paths lead to."""

    kind: Literal["candidates_ranked"] = "candidates_ranked"
    candidates: list[CandidateRecord]
    """The most probable first."""
    total: int
    """How many entities were candidates."""
    threshold: float | None = added_later()
    """The weight from which a candidate is an answer; None where one of them is chosen instead."""
    seconds: float


class PlansProposed(Frozen):
    """Plans were proposed: ways of relations from the topic entity to where the answer may stand."""

    kind: Literal["plans_proposed"] = "plans_proposed"
    by: Literal["scorer", "writer"]
    begins: list[RelationRecord]
    """The given relations with which all of them begin; usually none."""
    plans: list[PlanRecord]
    """The weightiest first; their weights sum to one."""
    total: int
    """Of how many complete plans that were weighed."""
    covered: float | None
    """What these have together of all the plans that there may be; None where there are none, no probability is
    known, or not all were found."""
    looked: LookedRecord | None = added_later()
    """Where a language model gave each plan a probability as a whole: how far the graph was looked at for them. None
    where plans were weighed relation by relation."""
    cost: CostRecord | None
    """What the scorer was asked; None where a model wrote them, whose text tells its own cost."""
    seconds: float


class Sufficiency(Frozen):
    """Whether what was found is enough to answer."""

    kind: Literal["sufficiency"] = "sufficiency"
    round: int
    """Counts from 1."""
    question: str
    """What is asked by now, which may be less than what the asker asked."""
    enough: bool
    by: Literal["scorer", "writer"]
    share: float | None
    """The probability that nothing more is needed; None where a model wrote it."""
    positions: list[int]
    """From the facts of these nodes of S_k."""
    facts_total: int
    """How many facts these are."""
    cost: CostRecord | None
    """None where the event of the decision or text that says so tells it."""
    seconds: float


class DebateTurn(Frozen):
    """One turn of DoG's debate about how to shorten the question."""

    kind: Literal["debate_turn"] = "debate_turn"
    round: int
    """Counts from 1."""
    turn: int
    """Counts the turns of a round from 1."""
    role: DebateRole
    by: Literal["rule", "writer"]
    """A rule stands in for the role where no model writes."""
    text: str
    """What was said, or the beginning of that."""
    length: int
    """Of the whole text, in Unicode code points."""
    seconds: float


class QuestionSimplified(Frozen):
    """DoG's debate took out of the question what was answered."""

    kind: Literal["question_simplified"] = "question_simplified"
    round: int
    """Counts from 1."""
    by: Literal["rule", "writer"]
    before: str
    after: str
    """The same as ``before`` where it could not be shortened."""
    removed: list[tuple[int, int]]
    """The parts of ``before`` that went, in Unicode code points."""
    topic: tuple[int, int] | None
    """Where ``after`` names what it is about now; None where it does not."""
    position: int
    """The node of S_k that it is about now."""
    relation: RelationRecord
    """The one that was followed to there."""
    seconds: float


class FrontierKept(Frozen):
    """What relations led to was judged, entity by entity, and the best were kept to go on from."""

    kind: Literal["frontier_kept"] = "frontier_kept"
    hop: int
    """Counts from 1."""
    of: Literal["plan", "beam"]
    """Whether ``numbers`` are plans that go this way, or beams of a search that makes its way hop by hop."""
    numbers: list[int]
    """From 0, in the order in which plans were proposed, or beams weighed."""
    way: list[RelationRecord]
    """The relations from the topic entity on that led there; the last one at this hop."""
    judge: str
    """What judged; empty if nothing did, so that all were kept."""
    entities: list[FrontierEntityRecord]
    """The kept ones first, then those that were dropped; of both the best first."""
    kept: int
    dropped: int
    """How many there were in all; ``entities`` may list fewer."""
    seconds: float


class PathsWeighed(Frozen):
    """The evidence was weighed: chains of facts along plans, each with what its weight is made of."""

    kind: Literal["paths_weighed"] = "paths_weighed"
    paths: list[WeighedPathRecord]
    """The weightiest first."""
    total: int
    """How many there are; the weights of all of them sum to one."""
    seconds: float


class NoCandidateChosen(Frozen):
    """The model chose none of the candidates."""

    kind: Literal["no_candidate"] = "no_candidate"
    decision: DecisionRecord
    seconds: float


class ModelWrote(Frozen):
    """A model wrote a text. It is no fact of the graph."""

    kind: Literal["model_wrote"] = "model_wrote"
    stage: str
    purpose: str
    """What it was asked for, in a few words."""
    writer: str
    messages: list[WrittenMessageRecord]
    """What it was sent."""
    text: str
    """What it wrote, or the beginning of that."""
    length: int
    """Of the whole text, in Unicode code points."""
    cost: CostRecord
    seconds: float
    cut_short: bool | None = added_later()
    """True where the limit of tokens cut it."""
    said: list[SaidRecord] | None = added_later()
    """How it was read, part by part; None where it was not read in parts, and in older logs."""


class Undecided(Frozen):
    """The run stops before a decision that is still open, as requested."""

    kind: Literal["undecided"] = "undecided"
    stage: str
    number: int
    """Which decision of the stage, from 0."""
    options: list[OptionRecord]
    """The options of a choice, without probabilities."""
    total: int


class Failed(Frozen):
    """The run could not go on."""

    kind: Literal["failed"] = "failed"
    code: str
    message: str
    retryable: bool


class Cancelled(Frozen):
    """The asker stopped the run. Written by the caller of the engine, which knows nothing of askers."""

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
        | AnswersCounted
        | SelectionMade
        | ReadingsKept
        | LayerExplored
        | CandidatesRanked
        | PlansProposed
        | Sufficiency
        | DebateTurn
        | QuestionSimplified
        | FrontierKept
        | PathsWeighed
        | NoCandidateChosen
        | ModelWrote
        | Finished
        | Undecided
        | Failed
        | Cancelled,
        Field(discriminator="kind"),
    ],
)

TERMINAL_KINDS = frozenset({"finished", "undecided", "failed", "cancelled"})
"""The kinds after which a run has no more events."""
