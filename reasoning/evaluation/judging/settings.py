"""How a benchmark's questions are asked."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, cast, get_args

from reasoning.core.strategy_options import read_value, read_with_options, write_with_options
from reasoning.core.switches import EngineSwitches, Search
from reasoning.strategies.registry import DEFAULT, DIAGNOSED, STRATEGIES, options_by_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasoning.core.strategy_options import OptionValue, StrategyOption, Value
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
    """READS' minimum branch threshold: the minimum of branches before the search may stop; see `EngineSwitches`."""
    gold_branches_from: int = 0
    """Only questions whose gold structure has at least this number of leaves beyond the topic; 0 and 1 take all."""
    perfect: bool = False
    """Whether to replay the gold derivations too, for what a perfect chooser would get on the graph."""
    strategy: str = DEFAULT
    """The name of a strategy of `reasoning.strategies.registry`."""
    model_may_answer: bool = False
    """Whether an answer that no fact supports counts, apart from the others."""
    gold: Gold = "given"
    """``given``: the answers that the benchmark says; ``from-graph``: where it does not say all, those that the gold
    query gives on the graph, see `reasoning.evaluation.judging.gold_from_graph`."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """The options of all strategies by name; those that are left out are set to the usual values."""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("topics", self.topics, get_args(Topics)),
            ("search", self.search, get_args(Search)),
            ("gold", self.gold, get_args(Gold)),
        ):
            if value not in known:
                raise ValueError(f"{name} is {value!r}; expected one of {', '.join(known)}")
        declared = options_by_name()
        if unknown := [name for name in self.options if name not in declared]:
            raise TypeError(f"{', '.join(unknown)}: no strategy has this option")
        read = {name: read_value(each, self.options.get(name, each.usual)) for name, each in declared.items()}
        object.__setattr__(self, "options", read)

    @property
    def has_error_classes(self) -> bool:
        """Whether the strategy has error classes of its own."""
        return self.strategy in DIAGNOSED

    def __getitem__(self, option: StrategyOption[Value]) -> Value:
        """The value of an option."""
        return cast("Value", self.options[option.name])

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` gives, or gave.

        ``min_branches`` was the name of ``gold_branches_from``, and ``determination`` said whether a scorer chooses.

        Raises:
            TypeError, ValueError: a setting is unknown, or a value is none of the known ones.

        """
        settings = read_with_options(cls, cls._renamed(document))
        if settings.strategy not in STRATEGIES:
            raise ValueError(f"strategy is {settings.strategy!r}; expected one of {', '.join(STRATEGIES)}")
        return settings

    @classmethod
    def from_earlier(cls, document: Mapping[str, Any]) -> Self:
        """Read the settings of an earlier evaluation, to show them: its strategy may have been removed since.

        The name of the strategy is kept. Options that no strategy has are left out.

        Raises:
            TypeError, ValueError: a value is none of the known ones.

        """
        known = {one.name for one in fields(cls)} | {*options_by_name()}
        return read_with_options(cls, {name: each for name, each in cls._renamed(document).items() if name in known})

    @staticmethod
    def _renamed(document: Mapping[str, Any]) -> dict[str, Any]:
        read = dict(document)
        if "gold_branches_from" not in read:
            read["gold_branches_from"] = read.pop("min_branches", 0)
        if isinstance(chooses := read.get("determination"), bool):
            read["determination"] = "scorer" if chooses else "explorer"
        return read

    def to_json(self) -> dict[str, Any]:
        """All settings and options by name, in one mapping."""
        return write_with_options(self)

    def switches(self, question: BenchmarkQuestion) -> EngineSwitches:
        """What the engine leaves out when it is asked this question."""
        return EngineSwitches(
            entity_types=self.entity_types,
            constraints=self.constraints,
            search=self.search,
            options=self.options,
            min_branches=self.min_branches,
            model_may_answer=self.model_may_answer,
            topic_may_answer=question.topic_may_answer,
            topic_may_recur=question.topic_may_recur,
        )
