"""How a benchmark's questions are asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from reasoning.core.switches import (
    USUAL_CANDIDATES,
    USUAL_DEPTH,
    USUAL_ENTITIES,
    USUAL_PLANS,
    USUAL_RELATIONS,
    USUAL_ROUNDS,
    USUAL_WIDTH,
    CandidatePart,
    Debate,
    Debaters,
    Determination,
    EngineSwitches,
    EvidencePart,
    Planner,
    Predictor,
    Reasoner,
    Search,
    Sufficiency,
)
from reasoning.strategies.registry import DEFAULT, STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.datasets.question import BenchmarkQuestion

Topics: TypeAlias = Literal["gold", "linked"]
Gold: TypeAlias = Literal["given", "from-graph"]


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """Which strategy answers, what topic entities and gold answers are, and which ablations of READS are on."""

    topics: Topics = "gold"
    """``gold``: the engine is given the benchmark's topic entity; ``linked``: it finds one in the question."""
    entity_types: bool = True
    constraints: bool = True
    search: Search = "branching"
    min_branches: int = 0
    """READS' minimum branch threshold: the search must go on until it has so many branches; see `EngineSwitches`."""
    gold_branches_from: int = 0
    """Only questions whose gold structure has at least so many leaves beside the topic entity; 0 and 1 take all."""
    perfect: bool = False
    """Whether to replay the gold derivations too, for what a perfect chooser would get on the graph."""
    strategy: str = DEFAULT
    """The name of a strategy of `reasoning.strategies.registry`."""
    width: int = USUAL_WIDTH
    """How many readings the strategy ``beam`` keeps."""
    candidates: int = USUAL_CANDIDATES
    """How many candidates the strategy ``etd`` lets a model choose from."""
    determination: Determination = "scorer"
    """Who chooses among them; see `EngineSwitches`."""
    candidates_without: tuple[CandidatePart, ...] = ()
    """What of them is not told whoever chooses; in the order of `CandidatePart`, each once."""
    plans: int = USUAL_PLANS
    """How many plans the strategies ``rog`` and ``eperm`` follow."""
    planner: Planner = "scorer"
    reasoner: Reasoner = "rank"
    """Who makes them, and who answers from what they lead to; see `EngineSwitches`."""
    rounds: int = USUAL_ROUNDS
    """How many relations the strategy ``dog`` follows at most."""
    debate: Debate = "rule"
    debaters: Debaters = "3"
    """Who speaks in its debate, and which roles; see `EngineSwitches`."""
    depth: int = USUAL_DEPTH
    """How far the strategies ``tog`` and ``tog-r`` go at most."""
    sufficiency: Sufficiency = "scorer"
    """Who says whether what was found is enough; see `EngineSwitches`."""
    relations: int = USUAL_RELATIONS
    entities: int = USUAL_ENTITIES
    """How many relations the strategy ``eperm`` retrieves in a round, and entities it keeps along each."""
    predictor: Predictor = "rank"
    evidence_without: tuple[EvidencePart, ...] = ()
    """Who answers from its paths, and what it leaves out, in the order of `EvidencePart`, each once; see
    `EngineSwitches`."""
    model_may_answer: bool = False
    """Whether an answer that no fact supports counts, apart from the others."""
    gold: Gold = "given"
    """``given``: the answers that the benchmark says; ``from-graph``: where it does not say all, those that the gold
    query gives on the graph, see `reasoning.evaluation.judging.gold_from_graph`."""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("topics", self.topics, get_args(Topics)),
            ("search", self.search, get_args(Search)),
            ("gold", self.gold, get_args(Gold)),
            ("strategy", self.strategy, (*STRATEGIES,)),
            ("determination", self.determination, get_args(Determination)),
            ("planner", self.planner, get_args(Planner)),
            ("reasoner", self.reasoner, get_args(Reasoner)),
            ("debate", self.debate, get_args(Debate)),
            ("debaters", self.debaters, get_args(Debaters)),
            ("sufficiency", self.sufficiency, get_args(Sufficiency)),
            ("predictor", self.predictor, get_args(Predictor)),
            *(("evidence_without", part, get_args(EvidencePart)) for part in self.evidence_without),
            *(("candidates_without", part, get_args(CandidatePart)) for part in self.candidates_without),
        ):
            if value not in known:
                raise ValueError(f"{name} is {value!r}; expected one of {', '.join(known)}")

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` gives, or gave.

        ``min_branches`` was the name of ``gold_branches_from``, and ``determination`` said whether a scorer chooses.

        Raises:
            TypeError, ValueError: a setting is unknown, or a value is none of the known ones.

        """
        read = dict(document)
        if "gold_branches_from" not in read:
            read["gold_branches_from"] = read.pop("min_branches", 0)
        if isinstance(chooses := read.get("determination"), bool):
            read["determination"] = "scorer" if chooses else "explorer"
        for name, parts in (("candidates_without", CandidatePart), ("evidence_without", EvidencePart)):
            without = read.get(name, ())
            known = [part for part in get_args(parts) if part in without]
            read[name] = (*known, *(part for part in without if part not in known))
        return cls(**read)

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        without = {"candidates_without": [*self.candidates_without], "evidence_without": [*self.evidence_without]}
        return asdict(self) | without

    def switches(self, question: BenchmarkQuestion) -> EngineSwitches:
        """What the engine leaves out when it is asked this question."""
        return EngineSwitches(
            entity_types=self.entity_types,
            constraints=self.constraints,
            search=self.search,
            width=self.width,
            candidates=self.candidates,
            determination=self.determination,
            candidates_without=self.candidates_without,
            plans=self.plans,
            planner=self.planner,
            reasoner=self.reasoner,
            rounds=self.rounds,
            debate=self.debate,
            debaters=self.debaters,
            depth=self.depth,
            sufficiency=self.sufficiency,
            relations=self.relations,
            entities=self.entities,
            predictor=self.predictor,
            evidence_without=self.evidence_without,
            min_branches=self.min_branches,
            model_may_answer=self.model_may_answer,
            topic_may_answer=question.topic_may_answer,
            topic_may_recur=question.topic_may_recur,
        )
