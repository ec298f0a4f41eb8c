"""Switches of the engine: READS' ablations, and the rules of benchmarks about the topic entity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from kgstore.terms import TermKind
from reasoning.options import OptionPool, StepOption, TopicOption
from reasoning.structure import AbstractStructure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.options import DecisionState, Option

WIDEST = 10
"""No strategy keeps more readings than these."""
USUAL_WIDTH = 3
"""So many they keep where nobody chooses."""
MOST_CANDIDATES = 6
USUAL_CANDIDATES = 3
Search: TypeAlias = Literal["branching", "chain"]
Determination: TypeAlias = Literal["scorer", "explorer", "writer"]
CandidatePart: TypeAlias = Literal["letters", "candidates", "probabilities", "paths"]


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
    """How many readings the strategy ``beam`` keeps, `WIDEST` at most; others keep one."""
    candidates: int = USUAL_CANDIDATES
    """How many candidates the strategy ``etd`` lets a model choose from, `MOST_CANDIDATES` at most."""
    determination: Determination = "scorer"
    """Who chooses among them: the scorer, the explorer whose best one is the answer, or a model that writes."""
    candidates_without: tuple[CandidatePart, ...] = ()
    """What the model that chooses is not told of them. A scorer sees no more than probabilities; a model that writes
    sees no letters and no probabilities where it sees no candidates."""
    model_may_answer: bool = False
    """Whether an answer of a model that writes is told where no fact supports it; see the verdict `from_the_model`."""
    min_branches: int = 0
    """READS' minimum branch threshold, which forces the search: before S_k has so many branches, the model is not
    offered *nothing more*. 0 and 1 force no more than the first step."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` gave, and JSON kept."""
        return cls(**{**document, "candidates_without": tuple(document.get("candidates_without", ()))})


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
