"""Switches of the engine: READS' ablations, and the rules of benchmarks about the topic entity."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias, cast

from kgstore.terms import TermKind
from reasoning.core.options import OptionPool, StepOption, TopicOption
from reasoning.core.strategy_options import read_with_options, write_with_options
from reasoning.core.structure import AbstractStructure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.core.options import DecisionState, Option
    from reasoning.core.strategy_options import OptionValue, StrategyOption, Value

Search: TypeAlias = Literal["branching", "chain"]


class HasOptions(Protocol):
    """What holds the options of strategies."""

    def __getitem__(self, option: StrategyOption[Value]) -> Value:
        """The value of an option: the usual one where none was chosen."""


@dataclass(frozen=True, slots=True)
class EngineSwitches:
    """What the engine leaves out; the defaults leave out nothing of the graph, and all that no fact supports."""

    entity_types: bool = True
    """Whether the scorer sees the types of nodes and options; see `without_types`."""
    constraints: bool = True
    """Whether conditions are chosen at all; without them, pruning keeps everything."""
    search: Search = "branching"
    """``chain``: steps lead on from the newest node only."""
    topic_may_answer: bool = False
    """Whether the topic entity may be an answer, which hardly any benchmark means."""
    topic_may_recur: bool = True
    """Whether facts that lead back to the topic entity join G_k, so that a way may pass through it again."""
    model_may_answer: bool = False
    """Whether an answer that a model wrote is reported if no fact supports it; see the verdict `from_the_model`."""
    min_branches: int = 0
    """READS' minimum branch threshold, which forces the search: before S_k has this number of branches, the model is
    not offered *nothing more*. 0 and 1 force no more than the first step."""

    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """The options of strategies by name, as far as they were chosen."""

    def __getitem__(self, option: StrategyOption[Value]) -> Value:
        """The value of an option: the usual one where none was chosen."""
        return cast("Value", self.options.get(option.name, option.usual))

    @classmethod
    def of(cls, **chosen: Any) -> Self:
        """Switches and options of strategies by their names."""
        return read_with_options(cls, chosen)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` gave."""
        return cls.of(**document)

    def to_json(self) -> dict[str, Any]:
        """Switches and options by name, in one mapping."""
        return write_with_options(self)

    def but(self, **chosen: OptionValue) -> Self:
        """The same with other options."""
        return replace(self, options={**self.options, **chosen})


DEFAULT_SWITCHES = EngineSwitches()
"""The default switches."""


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
