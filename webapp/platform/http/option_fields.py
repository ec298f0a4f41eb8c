"""The options of strategies in the API: fields of bodies and answers, and what forms are drawn from."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from ninja import Field, Schema
from pydantic import TypeAdapter

from reasoning.core.strategy_options import AblationOption, NumberOption
from reasoning.strategies.registry import options_by_name, strategy_options
from webapp.platform.http.extended import extended

if TYPE_CHECKING:
    from collections.abc import Callable

    from reasoning.core.strategy_options import AnyOption
    from reasoning.core.switches import EngineSwitches
    from webapp.platform.http.extended import Model

Use: TypeAlias = Literal["asked", "evaluated", "recorded"]
"""What a schema holds options for: a question, where each may be left out; an evaluation, where what is left out is as
default; or what answered a question, where each is given."""


def with_options(use: Use) -> Callable[[type[Model]], type[Model]]:
    """Give a schema a field for each option of each strategy. Only an evaluation has ablations."""

    def with_fields(model: type[Model]) -> type[Model]:
        fields = {
            name: _field(option, " ".join(each.sentence for each, _ in declared), use)
            for name, declared in strategy_options().items()
            for option, _ in declared[:1]
            if use == "evaluated" or not isinstance(option, AblationOption)
        }
        return extended(model, fields)

    return with_fields


def _field(option: AnyOption, description: str, use: Use) -> tuple[Any, Any]:
    bounds: dict[str, Any] = {"description": description}
    if isinstance(option, NumberOption):
        type_: Any = int
        if use != "recorded":
            bounds |= {"ge": 1, "le": option.most}
    else:
        type_ = Literal.__getitem__(tuple(each.value for each in option.choices))
    if isinstance(option, AblationOption):
        type_ = list[type_]
        bounds["max_length"] = len(option.choices)
    match use:
        case "asked":
            return type_ | None, Field(default=None, **bounds)
        case "evaluated":
            usual = [*option.usual] if isinstance(option, AblationOption) else option.usual
            return type_, Field(default=usual, **bounds)
        case "recorded":
            return type_, Field(**bounds)


def options_recorded(switches: EngineSwitches) -> dict[str, Any]:
    """The options that a schema records, by name."""
    declared = options_by_name()
    return {name: switches[each] for name, each in declared.items() if not isinstance(each, AblationOption)}


def options_of(body: Schema) -> dict[str, Any]:
    """The options that a body has, by name, without those that were left out."""
    said = {name: getattr(body, name, None) for name in strategy_options()}
    return {name: value for name, value in said.items() if value is not None}


class ChoiceOut(Schema):
    """One of several values."""

    value: str
    words: str
    """As a form offers it."""
    told: str
    """As a result tells it; as a form does if empty."""


class NumberOptionOut(Schema):
    """An option of a strategy: how many of something."""

    kind: Literal["number"]
    name: str
    """Its field wherever a question or an evaluation is asked for."""
    usual: int
    """Its default."""
    label: str
    """Above its field in a form."""
    lead: str
    """Before its field in a line of text."""
    sentence: str
    """What it decides."""
    offered: list[int]
    """The numbers to choose from."""
    one: str
    """What is counted."""
    more: str
    """Its plural."""
    told: str
    """As a result tells it, with ``{count}`` for the number and what is counted."""
    is_always_told: bool
    """Whether a result tells the usual number too."""


class ChoiceOptionOut(Schema):
    """An option of a strategy: who or what, of several."""

    kind: Literal["choice"]
    name: str
    """Its field wherever a question or an evaluation is asked for."""
    usual: str
    """Its default."""
    label: str
    """Above its field in a form."""
    lead: str
    """Before its field in a line of text."""
    sentence: str
    """What it decides."""
    choices: list[ChoiceOut]


class AblationOptionOut(Schema):
    """An option of a strategy: what is left out, to measure what it is worth. Only evaluations take it."""

    kind: Literal["ablation"]
    name: str
    """Its field in the settings of an evaluation."""
    usual: list[str]
    """Its default."""
    label: str
    """Above its field in a form."""
    sentence: str
    """What it decides."""
    choices: list[ChoiceOut]


StrategyOptionOut: TypeAlias = Annotated[
    NumberOptionOut | ChoiceOptionOut | AblationOptionOut, Field(discriminator="kind")
]
_OPTION: TypeAdapter[StrategyOptionOut] = TypeAdapter(StrategyOptionOut)


def option_out(option: AnyOption) -> StrategyOptionOut:
    """An option as forms are drawn from it."""
    entries: dict[str, Any] = asdict(option) | {"sentence": option.sentence}
    if isinstance(option, NumberOption):
        entries["offered"] = option.offered or range(1, option.most + 1)
        entries["more"] = option.more or f"{option.one}s"
    return _OPTION.validate_python(entries)
