"""The outcome of one question of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from reasoning import events
from reasoning.core.blame import Blame
from reasoning.core.derivation import Derivation, derivation_read
from reasoning.core.structure import ROOT
from reasoning.run.diagnosis import DogDiagnosis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.core.derivation import PartialDerivation
    from reasoning.datasets.question import ComparedBy, Split
    from reasoning.evaluation.judging.cases import Case

Verdict: TypeAlias = events.Verdict | Literal["failed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The question, what was predicted, and how it compares with what the benchmark says."""

    id: str
    question: str
    labels: Mapping[str, str]
    row: str
    split: Split
    gold_topic: str | None
    """The mid of the first reading's topic entity."""
    topic: str | None
    """The mid of the topic entity that the answer is about."""
    topic_right: bool | None
    """Whether linking found a topic entity of the benchmark; None where the topic was given or is not known."""
    gold: tuple[str, ...]
    """The gold answers of the reading that the prediction was compared with, in textual form."""
    gold_labels: tuple[str, ...]
    predicted: tuple[str, ...]
    """The first predicted answers in textual form, the first answer first."""
    predicted_labels: tuple[str, ...]
    predicted_total: int
    """How many there are; all of them were compared."""
    compared_by: ComparedBy
    verdict: Verdict
    reason: str
    """Why: the engine's reason, or the code of what failed, ``topic_not_in_graph`` or ``no_gold_topic``."""
    derivation: PartialDerivation | None
    """The decisions of the run, as far as it came."""
    gold_derivation: Derivation | None
    """Of the readings that have one the one nearest to the run's."""
    problem: str
    """Why there is no gold derivation."""
    graph_gap: bool
    """No gold answer is in the graph, or the topic entity that was to be given is not."""
    answerable: bool
    """The benchmark gives answers."""
    hit: bool
    hit_first: bool
    exact: bool
    precision: float
    recall: float
    f1: float
    case: Case | None
    """None for questions without an answer, and for those whose answer is not in the graph."""
    relation_recall: float | None
    """None without a gold derivation, like the next."""
    edit_distance: int | None
    """None too where the two are too large and too much alike to be compared in time."""
    graph_hit: bool | None
    """None without gold answers."""
    leaves: int | None
    """Of the first gold derivation, like the next."""
    hops: int | None
    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float
    """From question to answer, without the comparison."""
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    """By stage: link, search, prune, infer."""
    stage_costs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Likewise: calls, tokens_in, tokens_out."""
    perfect_f1: float | None = None
    """The F1 of a chooser that makes no mistake (`reasoning.evaluation.judging.ceiling`); None where it was not asked
    for."""
    confidence: float | None = None
    """Probability of all decisions of the model together; None where it reported no probability."""
    blame: Blame | None = None
    """What was to blame; None where the answers are right, no gold derivation says what would have been, or the outcome
    is from before it was recorded."""
    emitted: tuple[events.StageEvent, ...] = field(default=(), compare=False)
    """The events of the run up to its end, without facts: what decided, to be shown again. No part of the JSON."""
    perfect_hit_first: bool | None = None
    """Whether its first answer would be right: where names are shared, the graph may not tell which one is meant."""
    edge_distance: int | None = None
    """The edit distance of edges alone; None too in outcomes from before it was recorded, like the next two."""
    graph_facts: int | None = None
    """How many facts the search brought into G_k; None where the run failed."""
    graph_nodes: int | None = None
    """How many terms they join, the topic entity among them."""
    system: str = ""
    """The other system that answered, of which neither decisions nor costs are known; empty where Discern did."""
    logical_form: str = ""
    """What the other system predicted as GrailQA's s-expression; empty if it predicted none."""
    exact_form: bool | None = None
    """Exact match of logical forms: the query graph and the node that is asked for are those of the gold logical form.
    None if the benchmark has no logical form, or Discern answered."""
    by_rules: Mapping[str, Mapping[str, float]] = field(default_factory=dict, compare=False)
    """What each rule set of `reasoning.evaluation.rules` keeps of it. Empty in outcomes of earlier versions, and in
    those that were judged again."""
    dog: DogDiagnosis | None = None
    """The error class of DoG; None where the first answer is right, another strategy answered, the outcome is from
    before it was recorded, or it was judged again and the events of its run were not kept."""

    @property
    def is_right(self) -> bool:
        """Whether the first answer is right; where the benchmark has none, whether it was said that there is none."""
        return self.hit_first if self.answerable else self.verdict in events.UNANSWERED

    @property
    def relation(self) -> str:
        """The predicate by which the gold derivation reaches its answers; empty without one."""
        gold = self.gold_derivation
        if gold is None or gold.answer_position == ROOT:
            return ""
        return gold.steps[gold.answer_position - 1].relation.predicate

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` gives.

        Raises:
            KeyError, TypeError, ValueError: a part is missing or unknown.

        """
        read = dict(document)
        made, gold = read["derivation"], read["gold_derivation"]
        read["derivation"] = None if made is None else derivation_read(made)
        read["gold_derivation"] = None if gold is None else Derivation.from_json(gold)
        blamed = read.get("blame")
        read["blame"] = None if blamed is None else Blame.from_json(blamed)
        of_dog = read.get("dog")
        read["dog"] = None if of_dog is None else DogDiagnosis.from_json(of_dog)
        for name in ("gold", "gold_labels", "predicted", "predicted_labels"):
            read[name] = tuple(read[name])
        return cls(**read)

    def to_json(self) -> dict[str, Any]:
        """The outcome as a JSON document."""
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "emitted"}
        document = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        document |= {name: dict(values[name]) for name in ("labels", "stage_seconds", "stage_costs", "by_rules")}
        for name, derivation in (("derivation", self.derivation), ("gold_derivation", self.gold_derivation)):
            document[name] = None if derivation is None else derivation.to_json()
        document["blame"] = None if self.blame is None else self.blame.to_json()
        document["dog"] = None if self.dog is None else self.dog.to_json()
        return document
