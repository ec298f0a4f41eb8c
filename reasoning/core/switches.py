"""Switches of the engine: READS' ablations, and the rules of benchmarks about the topic entity."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias

from kgstore.terms import TermKind
from reasoning.core.options import OptionPool, StepOption, TopicOption
from reasoning.core.structure import AbstractStructure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.core.options import DecisionState, Option

WIDEST = 10
"""No strategy keeps more readings than these."""
USUAL_WIDTH = 3
"""So many they keep where nobody chooses."""
MOST_CANDIDATES = 6
USUAL_CANDIDATES = 3
MOST_PLANS = 10
USUAL_PLANS = 3
MOST_ROUNDS = 8
USUAL_ROUNDS = 3
MOST_DEPTH = 5
USUAL_DEPTH = 3
MOST_RELATIONS = 20
USUAL_RELATIONS = 3
MOST_ENTITIES = 1_000
USUAL_ENTITIES = 300
Search: TypeAlias = Literal["branching", "chain"]
Determination: TypeAlias = Literal["scorer", "explorer", "writer"]
Planner: TypeAlias = Literal["scorer", "writer"]
Reasoner: TypeAlias = Literal["rank", "writer"]
Sufficiency: TypeAlias = Literal["scorer", "writer"]
Debate: TypeAlias = Literal["rule", "writer"]
Debaters: TypeAlias = Literal["1", "2", "3", "one-for-all"]
Predictor: TypeAlias = Literal["rank", "choice", "writer"]
EvidencePart: TypeAlias = Literal["filter", "paths", "predictor"]
CandidatePart: TypeAlias = Literal["letters", "candidates", "probabilities", "paths"]


class WhoChooses(Protocol):
    """Who makes the choices that are not the scorer's in every case."""

    @property
    def determination(self) -> Determination:
        """Of the strategy ``etd``."""

    @property
    def planner(self) -> Planner:
        """Of the strategy ``rog``, as the next one."""

    @property
    def reasoner(self) -> Reasoner:
        """See `EngineSwitches`."""

    @property
    def debate(self) -> Debate:
        """Of the strategy ``dog``."""

    @property
    def sufficiency(self) -> Sufficiency:
        """Of the strategies ``tog``, ``tog-r`` and ``dog``."""

    @property
    def predictor(self) -> Predictor:
        """Of the strategy ``eperm``."""


@dataclass(frozen=True, slots=True)
class EngineSwitches:
    """What the engine leaves out; the defaults leave out nothing of the graph, and all that no fact supports."""

    entity_types: bool = True
    """Whether the scorer is told what kind of thing nodes and options hold; see `without_types`."""
    constraints: bool = True
    """Whether conditions are chosen at all; without them, pruning keeps everything."""
    search: Search = "branching"
    """``chain``: steps lead on from the newest node only."""
    topic_may_answer: bool = False
    """Whether the topic entity may be an answer, which hardly any benchmark means."""
    topic_may_recur: bool = True
    """Whether facts that lead back to the topic entity join G_k, so that a way may pass through it again."""
    width: int = USUAL_WIDTH
    """How many readings the strategy ``beam`` keeps, and how many entities ``tog`` and ``tog-r``; `WIDEST` at most."""
    candidates: int = USUAL_CANDIDATES
    """How many candidates the strategy ``etd`` lets a model choose from, `MOST_CANDIDATES` at most."""
    determination: Determination = "scorer"
    """Who chooses among them: the scorer, the explorer whose best one is the answer, or a model that writes."""
    candidates_without: tuple[CandidatePart, ...] = ()
    """What the model that chooses is not told of them. A scorer sees no more than probabilities; a model that writes
    sees no letters and no probabilities where it sees no candidates."""
    plans: int = USUAL_PLANS
    """How many plans the strategies ``rog`` and ``eperm`` follow, `MOST_PLANS` at most."""
    planner: Planner = "scorer"
    """Who makes those of ``rog``: a beam over the scorer's choices, or a model that writes."""
    reasoner: Reasoner = "rank"
    """Who answers from what they lead to: the plan that weighs most, or a model that writes."""
    rounds: int = USUAL_ROUNDS
    """How many relations the strategy ``dog`` follows at most, without those to mediators; `MOST_ROUNDS` at most."""
    debate: Debate = "rule"
    """Who speaks in its debate: rules that stand in for the roles, or a model that writes."""
    debaters: Debaters = "3"
    """Which roles: the simplifier alone, with the critic, with the linguist too, or one agent for all three."""
    depth: int = USUAL_DEPTH
    """How far the strategies ``tog`` and ``tog-r`` go at most, without steps to mediators; `MOST_DEPTH` at most."""
    sufficiency: Sufficiency = "scorer"
    """Who says whether what ``tog``, ``tog-r`` and ``dog`` found is enough: the scorer by None, or a model that
    writes."""
    relations: int = USUAL_RELATIONS
    """How many relations the strategy ``eperm`` retrieves in a round, `MOST_RELATIONS` at most, and as many as plans at
    least."""
    entities: int = USUAL_ENTITIES
    """How many entities it keeps of what a plan reaches with each relation, `MOST_ENTITIES` at most."""
    predictor: Predictor = "rank"
    """Who answers from its weighed paths: their weights, the scorer, or a model that writes."""
    evidence_without: tuple[EvidencePart, ...] = ()
    """What it leaves out: the judging of entities, so that all are kept and weigh the same; the paths, so that an
    entity weighs what it was given alone; or the predictor, so that all that paths lead to is an answer."""
    model_may_answer: bool = False
    """Whether an answer of a model that writes is told where no fact supports it; see the verdict `from_the_model`."""
    min_branches: int = 0
    """READS' minimum branch threshold, which forces the search: before S_k has so many branches, the model is not
    offered *nothing more*. 0 and 1 force no more than the first step."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` gave, and JSON kept."""
        without = {name: tuple(document.get(name, ())) for name in ("candidates_without", "evidence_without")}
        return cls(**{**document, **without})

    @classmethod
    def as_far_as_known(cls, document: Mapping[str, Any]) -> Self:
        """The same without those that this version does not know."""
        names = {one.name for one in fields(cls)}
        return cls.from_json({name: value for name, value in document.items() if name in names})


USUAL = EngineSwitches()
"""Those that nobody chose."""


def without_types(state: DecisionState, pool: OptionPool) -> tuple[DecisionState, OptionPool]:
    """The state and the pool, option by option, with nothing that tells what kind of thing a node holds.

    Hidden are: the Freebase types of the topic, the targets and the topics to choose from; every node's kind (entity,
    mediator, number, date, text) and the word for it in its name; and the kind that a step leads to. All of them read
    as entities, named ``node_k``. Relations keep their names, and pools still hold only what type-checks.
    """
    nodes = tuple(
        node if node.parent is None else replace(node, kind=TermKind.ENTITY, name=f"node_{node.position}")
        for node in state.structure.nodes
    )
    untyped = replace(state, structure=AbstractStructure(nodes), types={})
    return untyped, OptionPool(tuple(_untyped(option) for option in pool.options))


def _untyped(option: Option) -> Option:
    match option:
        case StepOption():
            return replace(option, kind=TermKind.ENTITY)
        case TopicOption():
            return replace(option, types=())
        case _:
            return option
